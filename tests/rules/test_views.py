"""The view of one seat: its own tiles and the open tiles, but no concealed tile of another seat."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.errors import RulesError
from rules.games import GAMES, rules_of
from rules.geometry import Place
from rules.setup import Setup
from rules.steps import TurnUp
from rules.tiles import Face
from tests.rules.hidden_hands import dealt

TILED = [game for game in GAMES if GAMES[game].tiles.faces]
games = st.sampled_from(TILED)
STEPS = 40


def dealt_otherwise(
    setup: Setup, tiles: dict[Place, Face], seat: int, chance: Random
) -> dict[Place, Face]:
    """A deal that looks the same to a seat: its own tiles and the open tiles are not moved."""
    kept = set(setup.hands.get(seat, ()))
    kept |= {step.place for step, _ in setup.done if isinstance(step, TurnUp)}
    # Flores are laid out, visible to all seats, before the play begins.
    kept |= {
        place for place, face in tiles.items() if face[-1] in "zf" and setup.game.name == "filipino"
    }
    loose = [place for place in tiles if place not in kept]
    faces = [tiles[place] for place in loose]
    chance.shuffle(faces)
    return tiles | dict(zip(loose, faces, strict=True))


@given(games, st.integers(0, 10_000))
@settings(max_examples=80)
def test_two_deals_that_differ_only_in_hidden_tiles_have_the_same_view(
    game: str, seed: int
) -> None:
    rules, chance = rules_of(game), Random(seed)
    setup, tiles = dealt(game, chance)
    seat = chance.randrange(setup.seating.players)
    one = rules.start(setup, tiles)
    other = rules.start(setup, dealt_otherwise(setup, tiles, seat, chance))
    if game == "da_san" or one.to_act == other.to_act:
        assert rules.view(one, seat) == rules.view(other, seat)


@given(games, st.integers(0, 10_000))
@settings(max_examples=80)
@pytest.mark.slow
def test_a_seat_sees_its_own_tiles_and_has_its_legal_actions(game: str, seed: int) -> None:
    rules, chance = rules_of(game), Random(seed)
    setup, tiles = dealt(game, chance)
    play = rules.start(setup, tiles)
    for _ in range(STEPS):
        if play.settlement is not None:
            break
        for seat in range(setup.seating.players):
            seen, held = rules.view(play, seat), rules.held(play)
            assert rules.held(seen)[seat] == held[seat]
            assert list(map(len, rules.held(seen))) == list(map(len, held))
        seat = chance.choice(play.to_act)
        seen = rules.view(play, seat)
        offered = [action for action in play.legal_actions if action.seat == seat]
        for action in offered[:20]:
            assert action in seen.legal_actions, action
        play = play.apply(chance.choice(offered))


@pytest.mark.parametrize("game", TILED)
def test_no_seat_sees_the_tiles_of_another_hand_before_the_first_action(game: str) -> None:
    rules = rules_of(game)
    setup, tiles = dealt(game, Random(4))
    play = rules.start(setup, tiles)
    for seat in range(setup.seating.players):
        for owner, hand in enumerate(rules.held(rules.view(play, seat))):
            known = [face for face in hand if face is not None and face[-1] not in "zf"]
            assert (owner == seat) == bool(known)


def test_in_a_game_without_hidden_tiles_every_seat_sees_the_whole_play() -> None:
    rules = rules_of("backgammon")
    setup, _ = dealt("backgammon", Random(1))
    play = rules.start(setup)
    assert rules.view(play, 0) is play is rules.view(play, 1)


def test_the_hand_of_the_winner_is_visible_and_the_other_hands_are_not() -> None:
    rules = rules_of("wenzhou")
    for seed in range(60):
        setup, tiles = dealt("wenzhou", Random(seed))
        play = rules.start(setup, tiles)
        while play.settlement is None:
            play = play.apply(rules.sensible(play, play.to_act[0]))
        winner = play.settlement.winner
        if winner is None:
            continue
        loser, third = [seat for seat in range(4) if seat != winner][:2]
        held = rules.held(rules.view(play, loser))
        assert None not in held[winner] and None in held[third]
        return
    raise RulesError("No hand was won in 60 deals.")
