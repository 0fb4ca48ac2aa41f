"""A play as JSON lines: how it was set up, what was known, and every action; and back again.

The first line tells the game, the seating, the parameters that differ from the game's own, the
outcomes of the set-up's steps and the tiles that anybody knew. Each later line is one action as its
seat and its text. Replaying a record gives the play itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rules.errors import RulesError
from rules.games import find_game, rules_of
from rules.geometry import parse_place
from rules.play import Action, Tiles
from rules.setup import Seating, Setup, replay
from rules.steps import Outcome
from rules.tiles import Face


def recorded(setup: Setup, tiles: Tiles, actions: Iterable[Action]) -> Iterator[str]:
    """The lines of a play that began with this set-up and these known tiles."""
    header = {
        "game": setup.game.name,
        "players": setup.seating.players,
        "dealer": setup.seating.dealer,
        "outcomes": list(setup.outcomes),
        "tiles": {str(place): face for place, face in tiles.items() if face is not None},
    }
    yield json.dumps(header)
    for action in actions:
        yield json.dumps({"seat": action.seat, "do": str(action)})


def replayed(lines: Iterable[str], parameters: Any = None) -> Any:
    """The play that a record tells, under these parameters (the game's own, unless told).

    Raises RulesError for a line that is none, and as the rules do for what they do not allow.
    """
    numbered = enumerate(lines, 1)
    header = _object(*next(numbered, (1, "")), keys={"game", "outcomes"})
    game = find_game(str(header["game"]))
    rules = rules_of(game.name)
    seating = Seating(header.get("players", game.players[-1]), header.get("dealer", 0))
    own = game.parameters() if parameters is None else parameters
    setup = replay(game, seating, own, map(_outcome, header["outcomes"]))
    play = rules.start(setup, _tiles(header.get("tiles", {})))
    for number, line in numbered:
        told = _object(number, line, keys={"seat", "do"})
        try:
            play = play.apply(rules.parse(told["seat"], told["do"]))
        except RulesError as error:
            raise RulesError(f"Line {number} of the record cannot be played: {error}") from error
    return play


def _object(number: int, line: str, keys: set[str]) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except json.JSONDecodeError as error:
        raise RulesError(f"Line {number} of the record is no JSON ({error.msg}).") from error
    if not isinstance(told, dict) or not keys <= told.keys():
        raise RulesError(f"Line {number} of the record lacks {' or '.join(sorted(keys))}.")
    return told


def _outcome(value: Any) -> Outcome:
    """JSON has no tuples: a throw comes back as a list."""
    return tuple(value) if isinstance(value, list) else value


def _tiles(told: Mapping[str, Face]) -> Tiles:
    return {parse_place(place): face for place, face in told.items()}
