"""Plays are values: equal plays have equal hashes, even if different actions led to them."""

from __future__ import annotations

from itertools import islice, pairwise, permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.games import GAMES, rules_of
from tests.quick import tries
from tests.rules.hidden_hands import dealt, houses, play_hidden_stepwise

STEPS = 15
MOST_COMPARED = 200
"""The most legal actions that are compared; a hidden hand of pai gow has thousands."""
LONGEST = 150
"""The most actions of a hand that are played; a game of backgammon has more."""
games = st.sampled_from(list(GAMES))


@pytest.mark.evidence
@given(games, st.integers(0, 10_000), st.booleans())
@settings(max_examples=tries(10, quick=10, evidence=100))
def test_the_same_actions_lead_to_the_same_key(game: str, seed: int, hidden: bool) -> None:
    rules, chance = rules_of(game), Random(seed)
    house = chance.choice(houses(game))
    setup, tiles = dealt(game, chance, parameters=house)
    seen = {} if hidden else tiles
    play, again = rules.start(setup, seen), rules.start(setup, dict(seen))
    met: dict[Any, int] = {play: 0}
    for step in range(1, STEPS):
        assert play == again and hash(play) == hash(again)
        if play.settlement is not None:
            break
        action = chance.choice(list(play.legal_actions))
        play, again = play.apply(action), again.apply(rules.parse(action.seat, str(action)))
        met[play] = step
        assert met[again] == step


@pytest.mark.evidence
@given(games, st.integers(0, 10_000))
@settings(max_examples=tries(10, quick=10, evidence=100))
@pytest.mark.slow
def test_equal_plays_after_answers_in_another_order_are_the_same_key(game: str, seed: int) -> None:
    """If several seats can act, their actions in another order often lead to an equal play."""
    rules, chance = rules_of(game), Random(seed)
    setup, tiles = dealt(game, chance, parameters=chance.choice(houses(game)))
    play = rules.start(setup, tiles if seed % 2 else {})
    for _ in range(STEPS):
        if play.settlement is not None:
            break
        first: dict[int, Any] = {}
        offered = list(islice(play.legal_actions, MOST_COMPARED))
        for action in chance.sample(offered, min(12, len(offered))):
            first.setdefault(action.seat, action)
        ends = []
        for order in permutations(list(first.values())[:3]):
            end = play
            for action in order:
                if action in end.legal_actions:
                    end = end.apply(action)
            ends.append(end)
        for one, other in pairwise(ends):
            assert one != other or hash(one) == hash(other)
        play = ends[0] if ends else play


def played_on(game: str, seed: int, known: float) -> None:
    """Plays at random; each tile is known with this probability. Some action has to be legal."""
    rules, chance = rules_of(game), Random(seed)
    setup, tiles = dealt(game, chance, parameters=chance.choice(houses(game)))
    seen = {place: face for place, face in tiles.items() if chance.random() < known}
    play = rules.start(setup, seen)
    for _ in range(LONGEST):
        if play.settlement is not None:
            break
        offered = list(islice(play.legal_actions, MOST_COMPARED))
        assert offered, f"no action is legal: {play}"
        play = play.apply(chance.choice(offered))


KNOWN = st.sampled_from([0.2, 0.5, 0.8, 0.97])


@pytest.mark.evidence
@given(games, st.integers(0, 10_000), KNOWN)
@settings(max_examples=tries(10, quick=10, evidence=200))
def test_with_partly_known_tiles_some_action_is_always_legal(
    game: str, seed: int, known: float
) -> None:
    """A reader can miss tiles. A partly known hand always has a legal action."""
    played_on(game, seed, known)


@pytest.mark.evidence
@given(st.integers(0, 100_000), KNOWN)
@settings(max_examples=tries(10, quick=10, evidence=200))
@pytest.mark.slow
def test_a_partly_known_filipino_hand_always_has_a_legal_action(seed: int, known: float) -> None:
    played_on("filipino", seed, known)


def test_a_flores_known_to_be_in_the_wall_does_not_count_as_an_unknown_one() -> None:
    """Otherwise it could be laid out twice, and its drawer could neither keep it nor lay it out."""
    setup, tiles = dealt("filipino", Random(0))
    flores = [place for place, face in tiles.items() if face[-1] in "zf"]
    assert setup.ready is not None
    wall = {place: tiles[place] for place in setup.ready.draws if place in flores}
    play = rules_of("filipino").start(setup, wall)
    laid = sum(len(hand.flores) for hand in play.table.hands)
    assert play.table.flores_unseen == 36 - laid - len(wall)


@pytest.mark.parametrize("game", GAMES)
def test_every_play_of_a_hand_can_be_a_key(game: str) -> None:
    for house in houses(game):
        chance, rules = Random(7), rules_of(game)
        setup, tiles = dealt(game, chance, parameters=house)
        for hand in play_hidden_stepwise(rules, setup, tiles, chance):
            assert {hand.full_play: 1, hand.play: 2}[hand.play] == 2
