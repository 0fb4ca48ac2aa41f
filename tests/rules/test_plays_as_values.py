"""Plays are values: equal plays have equal hashes, whatever path led to them."""

from __future__ import annotations

from itertools import islice, pairwise, permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.games import GAMES, rules_of
from tests.quick import tries
from tests.rules.hidden_hands import dealt, houses, told_by_one

STEPS = 15
MOST_COMPARED = 200
"""So many legal actions are looked at; a hidden hand of pai gow could show thousands."""
LONGEST = 150
"""So many actions of a hand are played; backgammon goes on for longer."""
games = st.sampled_from(list(GAMES))


@given(games, st.integers(0, 10_000), st.booleans())
@settings(max_examples=tries(25, quick=10))
def test_a_play_that_is_played_again_is_the_same_key(game: str, seed: int, hidden: bool) -> None:
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


@given(games, st.integers(0, 10_000))
@settings(max_examples=tries(25, quick=10))
def test_a_play_reached_by_another_order_of_answers_is_the_same_key(game: str, seed: int) -> None:
    """Where several seats may act, their actions in another order often come to the same."""
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
    """Random play where each tile is known with this probability. Raises AssertionError."""
    rules, chance = rules_of(game), Random(seed)
    setup, tiles = dealt(game, chance, parameters=chance.choice(houses(game)))
    seen = {place: face for place, face in tiles.items() if chance.random() < known}
    play = rules.start(setup, seen)
    for _ in range(LONGEST):
        if play.settlement is not None:
            break
        offered = list(islice(play.legal_actions, MOST_COMPARED))
        assert offered, f"nobody can act: {play}"
        play = play.apply(chance.choice(offered))


KNOWN = st.sampled_from([0.2, 0.5, 0.8, 0.97])


@given(games, st.integers(0, 10_000), KNOWN)
@settings(max_examples=tries(50, quick=10))
def test_where_some_tiles_are_known_there_is_always_something_to_do(
    game: str, seed: int, known: float
) -> None:
    """Readers miss tiles: what is known of a hand never leaves its seat without a legal action."""
    played_on(game, seed, known)


@given(st.integers(0, 100_000), KNOWN)
@settings(max_examples=tries(50, quick=10))
def test_filipino_with_partly_known_hands_never_runs_out_of_acts(seed: int, known: float) -> None:
    played_on("filipino", seed, known)


def test_a_flores_that_lies_in_the_wall_is_not_laid_out_unseen() -> None:
    """Then the seat that draws it could neither keep it nor lay it out."""
    setup, tiles = dealt("filipino", Random(0))
    flores = [place for place, face in tiles.items() if face[-1] in "zf"]
    assert setup.ready is not None
    wall = {place: tiles[place] for place in setup.ready.draws if place in flores}
    play = rules_of("filipino").start(setup, wall)
    laid = sum(len(hand.flores) for hand in play.table.hands)
    assert play.table.flores_unseen == 36 - laid - len(wall)


@pytest.mark.parametrize("game", GAMES)
def test_every_play_of_a_hand_can_be_a_key_to_the_very_end(game: str) -> None:
    for house in houses(game):
        chance, rules = Random(7), rules_of(game)
        setup, tiles = dealt(game, chance, parameters=house)
        for hand in told_by_one(rules, setup, tiles, chance):
            assert {hand.truth: 1, hand.play: 2}[hand.play] == 2
