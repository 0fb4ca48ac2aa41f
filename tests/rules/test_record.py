"""A record of a play, line by line, gives the play back: every game, random players, all seen."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from rules.errors import RulesError
from rules.games import GAMES, find_game, rules_of
from rules.play import Tiles, random_action
from rules.record import recorded, replayed
from rules.setup import Setup
from rules.steps import Choose, DrawLot, Throw, TurnUp

MOST = 60
"""Actions in a test's play; a game of backgammon takes longer than a test should."""


def dealt(game: str, chance: Random) -> tuple[Setup, Tiles]:
    """A finished set-up with every tile known, thrown and turned up as chance would have it."""
    setup = find_game(game).setup()
    faces = list(setup.game.tiles.faces)
    chance.shuffle(faces)
    tiles: Tiles = dict(zip(setup.layout.places, faces, strict=True))
    while (step := setup.pending) is not None:
        match step:
            case Throw():
                count = step.dice * step.times
                setup = setup.apply(tuple(chance.randint(1, 6) for _ in range(count)))
            case Choose():
                setup = setup.apply(step.default)
            case TurnUp():
                setup = setup.apply(tiles[step.place])
            case DrawLot():
                # Lots are mixed before they are drawn again: the same two would tie for ever.
                setup = setup.apply(chance.choice(faces))
            case _:
                setup = setup.apply()
    return setup, tiles


def played(game: str, seed: int) -> tuple[Any, list[str]]:
    """A play by random players, at most so long, and its record."""
    chance = Random(seed)
    setup, tiles = dealt(game, chance)
    play, actions = rules_of(game).start(setup, tiles), []
    while play.settlement is None and len(actions) < MOST:
        action = random_action(play, chance.choice)
        actions.append(action)
        play = play.apply(action)
    return play, list(recorded(setup, tiles, actions))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_record_replays_to_the_very_play(game: str, seed: int) -> None:
    play, lines = played(game, seed)
    again = replayed(lines)
    assert again == play
    assert (again.to_act, again.settlement) == (play.to_act, play.settlement)


def test_every_line_is_json_and_says_who_did_what() -> None:
    _, (header, *lines) = played("wenzhou", 1)
    assert json.loads(header)["game"] == "wenzhou"
    assert all(json.loads(line).keys() == {"seat", "do"} for line in lines)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "Line 2 of the record is no JSON"),
        ('{"seat": 1}', "Line 2 of the record lacks do or seat"),
        ('{"seat": 0, "do": "dance"}', "Line 2 of the record cannot be played"),
    ],
)
def test_a_line_that_cannot_be_is_named(line: str, says: str) -> None:
    _, (header, *_) = played("wenzhou", 1)
    with pytest.raises(RulesError, match=says):
        replayed([header, line])


def test_an_empty_record_is_refused() -> None:
    with pytest.raises(RulesError, match="Line 1 of the record is no JSON"):
        replayed([])
