"""Writes a play as JSON lines (set-up, known tiles, every action), and replays it.

The first line of a hand is its heading: the game, the seating, the parameters that differ from the
game's own, the outcomes of the set-up's steps, and the tiles that were known. Each later line is
one action: its seat and its text. An evening is one hand after the other; the match before each
hand follows from the hands before it. What was thrown and chosen between hands for seats and dealer
(seats drawn, the first dealer cut for, the bank declined) has a line of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from rules.errors import RulesError
from rules.games import find_game, rules_of
from rules.geometry import Place, Seat, parse_place
from rules.play import Action, Drawing, Match, Tiles, drawn
from rules.record_lines import NotARecordError, RecordLine, outcome_of, read_lines, tiles_in
from rules.setup import Game, Seating, Setup, replay
from rules.steps import Outcome
from rules.tiles import Face

__all__ = [
    "HouseRules",
    "NotARecordError",
    "Replayed",
    "entry",
    "evening",
    "heading",
    "recorded",
    "replayed",
    "seats_line",
]

HouseRules = Callable[[str, Mapping[str, Any]], Any]
"""`house(game, changed)`: a game's parameters from those that a record says differ.

Raises RulesError for parameters that the game does not have."""


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
    known = {str(place): face for place, face in tiles.items() if face is not None}
    return json.dumps({**_header(setup), "outcomes": list(setup.outcomes), "tiles": known})


def _header(setup: Setup) -> dict[str, Any]:
    """Which game is played, by whom, and by which rules of the house."""
    own, house = asdict(setup.game.parameters()), asdict(setup.parameters)
    return {
        "game": setup.game.name,
        "players": setup.seating.players,
        "dealer": setup.seating.dealer,
        "parameters": {name: value for name, value in house.items() if value != own[name]},
    }


def entry(action: Action) -> str:
    """The line of one action."""
    return json.dumps({"seat": action.seat, "do": str(action)})


def seats_line(setup: Setup, outcomes: Iterable[Outcome]) -> str:
    """The line of what was thrown and chosen before a hand for its seats and its dealer.

    `setup` is a set-up by the dealer of before, of the game and by the parameters that are played.
    """
    return json.dumps({"seats": list(outcomes), **_header(setup)})


def replayed(lines: Iterable[str], parameters: Any = None, match: Match | None = None) -> Any:
    """The play of one hand's record, under these parameters and in this match.

    Without parameters it is played by the game's own. Raises NotARecordError where no hand begins,
    and RulesError, with the line, for a damaged line, for house rules that are not given, and for
    whatever the rules do not allow.
    """
    first, *acts = read_lines(lines)
    return _played(first, acts, _set_up(first, lambda *_: parameters), match)


def evening(lines: Iterable[str], house: HouseRules) -> Iterator[Replayed]:
    """Each hand of a record, in order. Raises NotARecordError and RulesError as `replayed` does.

    A match goes on where the next hand is of the same game and its dealer is the one that the match
    names; otherwise a new match begins. A hand that was given up leaves the match as it was.
    """
    going: _Going | None = None
    for first, *acts in _hands(read_lines(lines)):
        if first.kind == "seats":
            going = _seated(first, acts, going, house)
            continue
        setup = _set_up(first, house)
        match = _goes_on(going, setup) or _new_match(setup)
        play = _played(first, acts, setup, match)
        after = match if play.settlement is None else match.after(play)
        going = _Going(setup.game.name, after)
        yield Replayed(first.number, setup.game.name, setup.seating.dealer, play, after)


@dataclass(frozen=True)
class _Going:
    """The match that the next hand of a record may belong to."""

    game: str
    match: Match


def _hands(lines: Iterable[RecordLine]) -> Iterator[list[RecordLine]]:
    """A record's lines, hand by hand; a line that draws the seats anew stands by itself."""
    hand: list[RecordLine] = []
    for line in lines:
        if hand and line.kind != "action":
            yield hand
            hand = []
        hand.append(line)
    yield hand


def _seated(
    line: RecordLine, acts: Iterable[RecordLine], going: _Going | None, house: HouseRules
) -> _Going:
    """The match after what was thrown and chosen before a hand. Raises RulesError."""
    for act in acts:
        raise act.fault("No hand has begun since the seats were drawn; a heading comes first.")
    if "game" in line.values:
        setup = _set_up(line, house)
        known = _goes_on(going, setup)
        going = _Going(setup.game.name, known or _new_match(setup))
        drawing = _drawing(going, first=known is None)
    else:
        assert going is not None, "the first line of a record names its game"
        drawing = _drawing(going, first=False)
    if drawing is None:
        raise line.fault("No seats are to be drawn after this hand.")
    try:
        return replace(going, match=drawn(drawing, map(outcome_of, line.values["seats"])).match)
    except RulesError as error:
        raise line.fault(error) from error


def _drawing(going: _Going, *, first: bool) -> Drawing | None:
    """What is thrown and chosen before the next hand; before a first hand also by request."""
    rules = rules_of(going.game)
    drawing = rules.before_hand(going.match)
    if drawing is None and first:
        with suppress(RulesError):
            drawing = rules.before_hand(rules.to_draw(going.match))
    return drawing


def _new_match(setup: Setup) -> Match:
    seating = setup.seating
    return rules_of(setup.game.name).match(setup.parameters, seating.players, seating.dealer)


def _goes_on(going: _Going | None, setup: Setup) -> Match | None:
    """The match to which a hand belongs, if it is the one that was being played."""
    if going is None or going.match.over:
        return None
    game, seating = setup.game.name, setup.seating
    same = (going.game, len(going.match.scores)) == (game, seating.players)
    return going.match if same and going.match.dealer == seating.dealer else None


def _set_up(first: RecordLine, house: HouseRules) -> Setup:
    """The set-up of a heading, checked as `Game.setup` checks it. Raises RulesError."""
    values = first.values
    try:
        game = find_game(values["game"])
        seating = Seating(values.get("players", game.usual_players), values.get("dealer", 0))
        game.setup(players=seating.players, dealer=seating.dealer)
        parameters = _parameters(game, values.get("parameters", {}), house)
        return replay(game, seating, parameters, map(outcome_of, values.get("outcomes", ())))
    except RulesError as error:
        raise first.fault(error) from error


def _parameters(game: Game, changed: Mapping[str, Any], house: HouseRules) -> Any:
    """The parameters that a hand was played by. Raises RulesError if they have to be given."""
    parameters = house(game.name, changed)
    if changed and parameters is None:
        raise RulesError(
            f"The record was played by rules of the house ({', '.join(changed)}); give them."
        )
    return game.parameters() if parameters is None else parameters


def _played(
    first: RecordLine, acts: Iterable[RecordLine], setup: Setup, match: Match | None
) -> Any:
    """A hand from its set-up, action by action. Raises RulesError with the line that fails."""
    rules = rules_of(setup.game.name)
    try:
        play = rules.start(setup, _tiles(tiles_in(first)), match)
    except RulesError as error:
        raise first.fault(error) from error
    for line in acts:
        if line.kind != "action":
            raise line.fault("Another hand begins here; a record of one hand has one heading.")
        try:
            play = play.apply(rules.parse(line.values["seat"], line.values["do"]))
        except RulesError as error:
            raise line.fault(error) from error
    return play


def _tiles(texts: Mapping[str, Face]) -> Tiles:
    """Known tiles by their places. Raises RulesError for a text that names no place."""
    tiles: dict[Place, Face] = {}
    for text, face in texts.items():
        place = parse_place(text)
        if place in tiles:
            raise RulesError(f"The place {place} is named twice among the tiles.")
        tiles[place] = face
    return tiles
