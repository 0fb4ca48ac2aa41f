"""Writes a play as JSON lines (set-up, known tiles, every action), and replays it.

The first line of a hand is its heading: the game, the seating, the parameters that differ from the
game's defaults, the outcomes of the set-up's steps, and the known tiles. Each later line is one
action: its seat and its text; a line `take_back` takes back the last actions, which were entered
wrongly. A record of an evening has several hands; the match before each hand follows from the hands
before it. A first line with `new_match` begins a new match, which the hands do not show after a
change of house rules; records of earlier versions do not have it. The throws and choices between
hands that settle the seats and the dealer (seats drawn, the first dealer cut for, the bank
declined) have a line of their own.

A hand that nobody followed has one line after its heading: its result, as people reported it. If
the result was corrected after the next hand was dealt, the line also has the result by which that
hand was dealt (`dealt_as`): who dealt does not change, the scores do. The heading of such a hand
has the scores with which it was dealt (`standing`), which a later correction of an earlier hand
does not change, and it continues the match unless it has `new_match`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from rules.errors import RulesError
from rules.games import find_game, judging_of, results_of, rules_of
from rules.geometry import Place, Seat, parse_place
from rules.judging import RecordedAct, no_case
from rules.play import Action, Drawing, Match, Tiles, drawn
from rules.records.record_lines import NotARecordError, RecordLine, outcome_of, read_lines, tiles_in
from rules.results import Result
from rules.setup import Game, Seating, Setup, replay
from rules.steps import Facts, Outcome
from rules.tiles import Face

__all__ = [
    "HouseRules",
    "NotARecordError",
    "Replayed",
    "entry",
    "evening",
    "heading",
    "is_result",
    "recorded",
    "replayed",
    "result_line",
    "seats_line",
    "take_back",
]

HouseRules = Callable[[str, Mapping[str, Any]], Any]
"""`house(game, changed)` returns a game's parameters, given the changed ones from a record.

Raises RulesError for parameters that the game does not have."""


@dataclass(frozen=True)
class Replayed:
    """One hand of a record, at its end or where it was abandoned, and the match after it.

    `play` is a `FinishedHand` if the hand was not followed and its result was reported.
    """

    line: int
    """The number of the hand's first line."""
    game: str
    dealer: Seat
    play: Any
    match: Match
    acts: tuple[RecordedAct, ...] = ()
    """Each action with the play before it, without those that were taken back."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of the hand that differ from the game's defaults."""

    def case(self, seat: Seat | None = None) -> Facts:
        """The keys of a judge case of this hand, about this seat where a game needs one.

        Raises RulesError for a hand of which no case can be made.
        """
        make = judging_of(self.game).recorded_case
        if make is None:
            raise no_case(f"the game '{self.game}' does not support it")
        changed = {"parameters": dict(self.parameters)} if self.parameters else {}
        return {"game": self.game, **make(self.acts, self.play, seat), **changed}


def recorded(setup: Setup, tiles: Tiles, actions: Iterable[Action]) -> Iterator[str]:
    """Yields the lines of a play that began with this set-up and these known tiles."""
    yield heading(setup, tiles)
    yield from map(entry, actions)


def heading(
    setup: Setup, tiles: Tiles, *, new_match: bool = False, standing: Facts | None = None
) -> str:
    """Returns the line with which a hand begins; with `new_match` it begins a new match.

    `standing` is that of the match with which a hand is dealt whose result people report.
    """
    known = {str(place): face for place, face in tiles.items() if face is not None}
    header = _header(setup) | _mark(new_match)
    header |= {} if standing is None else {"standing": standing}
    return json.dumps({**header, "outcomes": list(setup.outcomes), "tiles": known})


def _mark(new_match: bool) -> dict[str, Any]:
    """The key that begins a new match, or none: records of earlier versions do not have it."""
    return {"new_match": True} if new_match else {}


def _header(setup: Setup) -> dict[str, Any]:
    """The game, the seating, and the parameters that differ from the game's defaults."""
    own, house = asdict(setup.game.parameters()), asdict(setup.parameters)
    return {
        "game": setup.game.name,
        "players": setup.seating.players,
        "dealer": setup.seating.dealer,
        "parameters": {name: value for name, value in house.items() if value != own[name]},
    }


def entry(action: Action) -> str:
    """Returns the line of one action."""
    return json.dumps({"seat": action.seat, "do": str(action)})


def take_back(count: int) -> str:
    """Returns the line that takes back the last actions."""
    return json.dumps({"take_back": count})


NEVER_CORRECTED: Mapping[str, Any] = {}
"""The value of `dealt_as` for a result that is the one by which the next hand was dealt."""


def result_line(result: Result, dealt_as: Result | None = NEVER_CORRECTED) -> str:
    """Returns the line of a reported result; `dealt_as` None: the next hand was dealt without."""
    corrected = {} if dealt_as is NEVER_CORRECTED else {"dealt_as": dealt_as}
    return json.dumps({"result": result, **corrected})


def is_result(line: str) -> bool:
    """Whether a line of a record is a reported result."""
    return line.startswith('{"result"')


def seats_line(setup: Setup, outcomes: Iterable[Outcome], *, new_match: bool = False) -> str:
    """Returns the line of the throws and choices that settled seats and dealer before a hand.

    `setup` is a set-up of the same game and parameters with the dealer before those throws. With
    `new_match` the next hand is the first one of a new match.
    """
    return json.dumps({"seats": list(outcomes), **_header(setup), **_mark(new_match)})


def replayed(lines: Iterable[str], parameters: Any = None, match: Match | None = None) -> Any:
    """Replays the record of one hand with these parameters, in this match; returns the play.

    Without parameters the game's defaults apply. Raises NotARecordError if the first line does not
    begin a hand. Raises RulesError, with the number of the line, for a damaged line, for changed
    parameters that are not passed, and for an action that is not legal.
    """
    first, *acts = read_lines(lines)
    return _played(first, acts, _set_up(first, lambda *_: parameters), match)[0]


def evening(lines: Iterable[str], house: HouseRules) -> Iterator[Replayed]:
    """Replays each hand of a record. Raises NotARecordError and RulesError as `replayed` does.

    A match continues if the next hand is of the same game and number of players and has the dealer
    that the match expects; otherwise, and where a line says so, a new match begins. An abandoned
    hand does not change the match. A match can go on after its target is reached, if its hands were
    reported and a correction has changed the scores.
    """
    current: _CurrentMatch | None = None
    for first, *acts in _hands(read_lines(lines)):
        if first.kind == "seats":
            current = _seated(first, acts, current, house)
            continue
        setup = _set_up(first, house)
        goes_on = "standing" in first.values
        known = _continued_match(_left(current, first), setup, goes_on=goes_on)
        match = known or _new_match(setup)
        if acts and acts[0].kind == "result":
            play, after = _reported(acts, first, setup, match)
            played: tuple[RecordedAct, ...] = ()
        else:
            play, played = _played(first, acts, setup, match)
            after = match if play.settlement is None else match.after(play)
        current = _CurrentMatch(setup.game.name, after)
        yield Replayed(
            first.number,
            setup.game.name,
            setup.seating.dealer,
            play,
            after,
            played,
            first.values.get("parameters", {}),
        )


@dataclass(frozen=True)
class _CurrentMatch:
    """The match to which the next hand of a record can belong, and its game."""

    game: str
    match: Match


def _hands(lines: Iterable[RecordLine]) -> Iterator[list[RecordLine]]:
    """Yields a record's lines hand by hand.

    A line of a draw for seats begins a group of its own.
    """
    hand: list[RecordLine] = []
    for line in lines:
        if hand and line.kind in ("heading", "seats"):
            yield hand
            hand = []
        hand.append(line)
    yield hand


def _seated(
    line: RecordLine, acts: Iterable[RecordLine], current: _CurrentMatch | None, house: HouseRules
) -> _CurrentMatch:
    """The match after the throws and choices before a hand. Raises RulesError."""
    for act in acts:
        raise act.fault("No hand has begun since the draw for seats; begin it with a heading.")
    if "game" in line.values:
        setup = _set_up(line, house)
        known = _continued_match(_left(current, line), setup)
        current = _CurrentMatch(setup.game.name, known or _new_match(setup))
        drawing = _drawing(current, first=known is None)
    else:
        assert current is not None, "the first line of a record names its game"
        drawing = _drawing(current, first=False)
    if drawing is None:
        raise line.fault("No draw for seats is due here; leave the line out.")
    try:
        return replace(current, match=drawn(drawing, map(outcome_of, line.values["seats"])).match)
    except RulesError as error:
        raise line.fault(error) from error


def _drawing(current: _CurrentMatch, *, first: bool) -> Drawing | None:
    """The draw before the next hand; before the first hand also a draw that players asked for."""
    rules = rules_of(current.game)
    drawing = rules.before_hand(current.match)
    if drawing is None and first:
        with suppress(RulesError):
            drawing = rules.before_hand(rules.to_draw(current.match))
    return drawing


def _new_match(setup: Setup) -> Match:
    seating = setup.seating
    return rules_of(setup.game.name).match(setup.parameters, seating.players, seating.dealer)


def _left(current: _CurrentMatch | None, line: RecordLine) -> _CurrentMatch | None:
    """The current match unless this line begins a new one."""
    return None if line.values.get("new_match") else current


def _continued_match(
    current: _CurrentMatch | None, setup: Setup, *, goes_on: bool = False
) -> Match | None:
    """The current match if this hand continues it, else None.

    With `goes_on` the hand was dealt in a match that was not over, whatever its scores are now.
    """
    if current is None or (current.match.over and not goes_on):
        return None
    game, seating = setup.game.name, setup.seating
    same = (current.game, len(current.match.scores)) == (game, seating.players)
    return current.match if same and current.match.dealer == seating.dealer else None


def _set_up(first: RecordLine, house: HouseRules) -> Setup:
    """The set-up of a heading. Raises RulesError where `Game.setup` or `Setup.apply` would."""
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
    """The parameters of a hand. Raises RulesError if the caller has to pass them."""
    parameters = house(game.name, changed)
    if changed and parameters is None:
        raise RulesError(
            f"The record was played with changed parameters ({', '.join(changed)}); give them."
        )
    return game.parameters() if parameters is None else parameters


def _played(
    first: RecordLine, acts: Iterable[RecordLine], setup: Setup, match: Match | None
) -> tuple[Any, tuple[RecordedAct, ...]]:
    """Replays a hand from its set-up; returns the play at its end, and every action that stands.

    Raises RulesError with the line that fails.
    """
    rules, played = rules_of(setup.game.name), list[RecordedAct]()
    try:
        play = rules.start(setup, _tiles(tiles_in(first)), match)
    except RulesError as error:
        raise first.fault(error) from error
    before: list[Any] = []
    for line in acts:
        if line.kind == "take_back":
            play = _taken_back(line, before, play)
            del played[len(before) :]
            continue
        if line.kind == "result":
            raise line.fault("A hand whose actions are recorded has no reported result.")
        if line.kind != "action":
            raise line.fault("A second hand begins here; give the record of one hand only.")
        before.append(play)
        try:
            action = rules.parse(line.values["seat"], line.values["do"])
            played.append((play, action))
            play = play.apply(action)
        except RulesError as error:
            raise line.fault(error) from error
    return play, tuple(played)


def _reported(
    lines: Iterable[RecordLine], first: RecordLine, setup: Setup, match: Match
) -> tuple[Any, Match]:
    """The hand that follows from its last reported result, and the match with which it goes on.

    Raises RulesError with the line that cannot be.
    """
    results = results_of(setup.game.name)
    try:
        dealt = results.with_standing(match, first.values.get("standing", {}))
    except RulesError as error:
        raise first.fault(error) from error
    form = results.form(dealt, setup)
    finished, after = None, match
    for line in lines:
        if line.kind != "result":
            raise line.fault("The hand has a result already; begin the next hand with a heading.")
        try:
            finished = results.finish(match, form.checked(line.values["result"]))
            after = match.after(finished)
            if "dealt_as" in line.values:
                earlier, used = line.values["dealt_as"], dealt
                if earlier is not None:
                    used = dealt.after(results.finish(dealt, form.checked(earlier)))
                after = results.recounted(used, after)
        except RulesError as error:
            raise line.fault(error) from error
    return finished, after


def _taken_back(line: RecordLine, before: list[Any], play: Any) -> Any:
    """The play before the last actions, which are removed from `before`. Raises RulesError."""
    count = line.values["take_back"]
    if not 1 <= count <= len(before):
        raise line.fault(f"{count} actions cannot be taken back; {len(before)} were taken.")
    if play.settlement is not None:
        raise line.fault("The hand is settled; its actions cannot be taken back.")
    earlier = before[-count]
    del before[-count:]
    return earlier


def _tiles(texts: Mapping[str, Face]) -> Tiles:
    """The known tiles by their places. Raises RulesError for a text that is not a place."""
    tiles: dict[Place, Face] = {}
    for text, face in texts.items():
        place = parse_place(text)
        if place in tiles:
            raise RulesError(f"The tiles name the place {place} twice; name each place once.")
        tiles[place] = face
    return tiles
