"""A play as JSON lines: how it was set up, what was known, and every action; and back again.

The first line of a hand tells the game, the seating, the parameters that differ from the game's
own, the outcomes of the set-up's steps and the tiles that anybody knew. Each later line is one
action as its seat and its text. Replaying a record gives the play itself. A whole evening is one
hand after the other; what its match had come to follows from the hands before. Where seats were
drawn anew between two hands, a line of its own has the outcomes that drew them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from rules.errors import RulesError
from rules.games import find_game, rules_of
from rules.geometry import Seat, parse_place
from rules.play import Action, Match, Reseated, Tiles, drawn
from rules.setup import Seating, Setup, replay
from rules.steps import Outcome
from rules.tiles import Face

SHAPES: Mapping[str, type] = {
    "game": str,
    "players": int,
    "dealer": int,
    "parameters": dict,
    "outcomes": list,
    "tiles": dict,
    "seat": int,
    "do": str,
    "seats": list,
}
"""What each key of a line has for a value."""
Numbered = tuple[int, str]
"""A line and its number in the file."""
HouseRules = Callable[[str, Mapping[str, Any]], Any]
"""A game's parameters from those that a record says differ: `house(game, changed)`."""


class NoRecord(RulesError):
    """A line with which no hand of a record can begin."""


@dataclass(frozen=True)
class Replayed:
    """One hand of an evening, at its end or where it was given up, and the match after it."""

    line: int
    """The number of the hand's first line."""
    game: str
    dealer: Seat
    play: Any
    match: Match


def recorded(setup: Setup, tiles: Tiles, actions: Iterable[Action]) -> Iterator[str]:
    """The lines of a play that began with this set-up and these known tiles."""
    yield heading(setup, tiles)
    yield from map(entry, actions)


def heading(setup: Setup, tiles: Tiles) -> str:
    """The line with which a hand begins."""
    own, house = asdict(setup.game.parameters()), asdict(setup.parameters)
    told = {
        "game": setup.game.name,
        "players": setup.seating.players,
        "dealer": setup.seating.dealer,
        "parameters": {name: value for name, value in house.items() if value != own[name]},
        "outcomes": list(setup.outcomes),
        "tiles": {str(place): face for place, face in tiles.items() if face is not None},
    }
    return json.dumps(told)


def entry(action: Action) -> str:
    """The line of one action."""
    return json.dumps({"seat": action.seat, "do": str(action)})


def seats_line(outcomes: Iterable[Outcome]) -> str:
    """The line of seats that were drawn anew: what was chosen and thrown for them, in order."""
    return json.dumps({"seats": list(outcomes)})


def replayed(lines: Iterable[str], parameters: Any = None, match: Match | None = None) -> Any:
    """The play that one hand's record tells, under these parameters and in this match.

    Without parameters it is played by the game's own. Raises NoRecord where no hand begins, and
    RulesError for a line that is none, for house rules that are not given, and as the rules do for
    what they do not allow.
    """
    numbered = enumerate(lines, 1)
    return _played(_heading(*next(numbered, (1, ""))), numbered, parameters, match)


def evening(lines: Iterable[str], house: HouseRules) -> Iterator[Replayed]:
    """Each hand of a record, in order. Raises RulesError with the line, as `replayed` does.

    A match goes on where the next hand is of the same game and its dealer the one that the match
    names; otherwise a new one begins. A hand that was given up leaves it as it was.
    """
    going: Replayed | None = None
    for hand in _hands(lines):
        (line, first), *acts = hand
        if going is not None and "seats" in _object(line, first, keys=set()):
            going = replace(going, match=_seated(line, first, going).match)
            continue
        told = _heading(line, first)
        game, parameters = str(told["game"]), None
        try:
            parameters = house(game, told.get("parameters", {}))
            seating = _seating(told)
        except RulesError as error:
            raise _impossible(line, error) from error
        match = _goes_on(going, game, seating)
        if match is None:
            match = rules_of(game).match(parameters, seating.players, seating.dealer)
        play = _played(told, iter(acts), parameters, match, line)
        after = match if play.settlement is None else match.after(play)
        going = Replayed(line, game, seating.dealer, play, after)
        yield going


def _hands(lines: Iterable[str]) -> Iterator[list[Numbered]]:
    """A record's lines, hand by hand, and seats that were drawn by themselves.

    A hand begins with the line that names its game.
    """
    hand: list[Numbered] = []
    for number, line in enumerate(lines, 1):
        if hand and _object(number, line, keys=set()).keys() & {"game", "seats"}:
            yield hand
            hand = []
        hand.append((number, line))
    yield hand or [(1, "")]


def _seated(line: int, text: str, going: Replayed) -> Reseated:
    """The seats that a line has drawn for the match. Raises RulesError if it cannot have."""
    drawing = rules_of(going.game).seats_anew(going.match)
    if drawing is None:
        raise _impossible(line, RulesError("No seats are to be drawn after this hand."))
    try:
        return drawn(drawing, map(_outcome, _object(line, text, keys={"seats"})["seats"]))
    except RulesError as error:
        raise _impossible(line, error) from error


def _goes_on(going: Replayed | None, game: str, seating: Seating) -> Match | None:
    """The match to which a hand belongs, if it is the one that was being played."""
    if going is None or going.match.over:
        return None
    same = (going.game, len(going.match.scores)) == (game, seating.players)
    return going.match if same and going.match.dealer == seating.dealer else None


def _played(
    told: Mapping[str, Any],
    acts: Iterator[Numbered],
    parameters: Any,
    match: Match | None,
    line: int = 1,
) -> Any:
    changed = told.get("parameters")
    if changed and parameters is None:
        raise RulesError(
            f"The record was played by rules of the house ({', '.join(changed)}); give them."
        )
    try:
        rules, setup = rules_of(str(told["game"])), _set_up(told, parameters)
        play = rules.start(setup, _tiles(setup, told.get("tiles", {})), match)
    except RulesError as error:
        raise _impossible(line, error) from error
    for number, text in acts:
        act = _object(number, text, keys={"seat", "do"})
        try:
            play = play.apply(rules.parse(act["seat"], act["do"]))
        except RulesError as error:
            raise _impossible(number, error) from error
    return play


def _set_up(told: Mapping[str, Any], parameters: Any) -> Setup:
    game = find_game(str(told["game"]))
    own = game.parameters() if parameters is None else parameters
    return replay(game, _seating(told), own, map(_outcome, told["outcomes"]))


def _seating(told: Mapping[str, Any]) -> Seating:
    game = find_game(str(told["game"]))
    return Seating(told.get("players", game.players[-1]), told.get("dealer", 0))


def _heading(number: int, line: str) -> dict[str, Any]:
    try:
        return _object(number, line, keys={"game", "outcomes"})
    except RulesError as error:
        raise NoRecord(str(error)) from error


def _object(number: int, line: str, keys: set[str]) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except json.JSONDecodeError as error:
        raise RulesError(f"Line {number} of the record is no JSON ({error.msg}).") from error
    if not isinstance(told, dict):
        raise RulesError(f"Line {number} of the record is no JSON object.")
    if not keys <= told.keys():
        raise RulesError(f"Line {number} of the record lacks {' or '.join(sorted(keys))}.")
    for key, value in told.items():
        if key in SHAPES and not isinstance(value, SHAPES[key]):
            raise RulesError(f"Line {number} of the record has a wrong {key}: {value!r}.")
    return told


def _impossible(line: int, error: RulesError) -> RulesError:
    return RulesError(f"Line {line} of the record cannot be played: {error}")


def _outcome(value: Any) -> Outcome:
    """JSON has no tuples: a throw comes back as a list."""
    return tuple(value) if isinstance(value, list) else value


def _tiles(setup: Setup, told: Mapping[str, Face]) -> Tiles:
    for face in told.values():
        if face not in setup.game.tiles.faces:
            raise RulesError(f"{setup.game.title} has no tile {face!r}.")
    return {parse_place(place): face for place, face in told.items()}
