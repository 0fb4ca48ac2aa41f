"""GameResults: what people say about a finished hand, as data, and the finished hand that follows.

At most tables people play by hand, and the table learns afterwards who has won. A game says in a
`ResultForm` of which facts a result consists: fields with their choices and limits. It turns a
checked result into a `FinishedHand`, by the same functions that settle a followed hand and that
judge a claim; the match continues from it as from a followed hand.

A result has one of three depths. `who` is enough for the next dealer and for the state of the
match, but the payments are not counted. `amount` adds what the game counts (a class, points, pips,
stakes), and `tiles` the tiles, which the judge reads.

A result is a mapping of JSON values. It contains everything that decides the payments, also what
the table knew by itself (`ResultField.known`), so a match can be computed again from its results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any, Final, Literal

from rules.errors import RulesError
from rules.geometry import Seat
from rules.judging import RecordedAct, refuse
from rules.play import HOUSE, Finished, Payment, Settlement, plain
from rules.setup import Setup
from rules.steps import Facts
from rules.well_typed import shown

Depth = Literal["who", "amount", "tiles"]
DEPTHS: Final[tuple[Depth, ...]] = ("who", "amount", "tiles")
"""The depths, from the shortest result to the longest."""
Kind = Literal["seat", "seats", "choice", "number", "yes_no", "tile", "tiles", "sets"]
"""What the value of a field is.

`seat` is a seat's number, `seats` a list of them, `choice` one of the field's choices, `number` a
whole number within the field's limits, `yes_no` true or false, `tile` a face, `tiles` a list of
faces, and `sets` a list of such lists.
"""
Value = Any
"""A value of JSON: its type is that of the field's kind."""
Result = Mapping[str, Value]
"""The values of a checked result by the names of their fields."""
MOST_TILES: Final = 200
"""No hand has more tiles, and no field more entries, than this."""


@dataclass(frozen=True, slots=True)
class ResultField:
    """One fact of a result; `words` name it in a sentence: `the class of the hand`."""

    name: str
    kind: Kind
    words: str
    depth: Depth = "who"
    """The shortest result that contains the field."""
    needed: Depth | None = None
    """The shortest result that needs the field; longer ones need it too. None if it is optional."""
    unless: str = ""
    """A field from which this one follows; a result with that field does not need this one."""
    choices: tuple[str, ...] = ()
    """The values of a choice; the faces of the game's tiles for tiles."""
    least: int = 0
    most: int = 0
    """The limits of a number, both included; for a list, of its number of entries."""
    per_seat: bool = False
    """Whether the value is a list with one value for each seat; null for a seat without one."""
    except_seat: str = ""
    """A field that names a seat without a value in such a list, such as the bank."""
    when: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    """Other fields and the values of them with which this field is asked."""
    unlike: str = ""
    """Another field whose seat cannot be this one."""
    known: Value = None
    """The value that the table knows already; people need not give it."""
    rule: str = ""
    """The number of the rule that the field serves (W30, F34 ...)."""

    def is_needed(self, depth: Depth) -> bool:
        """Whether a result of this depth needs the field, if it is asked at all."""
        return self.needed is not None and DEPTHS.index(self.needed) <= DEPTHS.index(depth)

    def facts(self) -> Facts:
        """The field as JSON values, without what is empty."""
        facts: Facts = {"name": self.name, "kind": self.kind, "words": self.words}
        facts |= {"depth": self.depth}
        if self.kind == "number" or self.most:
            facts |= {"least": self.least, "most": self.most}
        if self.when:
            facts["when"] = {name: list(values) for name, values in self.when}
        more = {"choices": list(self.choices), "per_seat": self.per_seat, "unlike": self.unlike}
        more |= {"unless": self.unless, "except_seat": self.except_seat}
        more |= {"needed": self.needed, "known": self.known, "rule": self.rule}
        return facts | {name: value for name, value in more.items() if value not in ("", None, [])}


@dataclass(frozen=True, slots=True)
class ResultForm:
    """The fields of a game's result, in the order in which people are asked for them.

    `more` finds what contradicts the rules in a result whose fields are right one by one; it yields
    sentences of the form `field: error (rule).`.
    """

    game: str
    seats: int
    fields: tuple[ResultField, ...]
    more: Callable[[Result], Iterator[str]] = field(default=lambda _: iter(()), repr=False)

    def __getitem__(self, name: str) -> ResultField:
        for each in self.fields:
            if each.name == name:
                return each
        raise KeyError(name)

    def facts(self) -> Facts:
        """The form as JSON values."""
        return {
            "game": self.game,
            "seats": self.seats,
            "fields": [each.facts() for each in self.fields],
        }

    def depth(self, result: Result) -> Depth:
        """The depth of a result: that of its deepest field which the table did not know."""
        given = (each for each in self.fields if result.get(each.name) not in (None, each.known))
        return max((each.depth for each in given), key=DEPTHS.index, default="who")

    def checked(self, given: object) -> Result:
        """The result with these values and with what the table knows.

        Raises RulesError, `field: error`, for an unknown field, a value of a wrong type or beyond
        its limits, a missing field, and a result that the game's rules do not allow.
        """
        if not isinstance(given, Mapping):
            raise RulesError(f"A result is a mapping of fields to values, not {shown(given)}.")
        names = [each.name for each in self.fields]
        for name in given:
            if name not in names:
                raise RulesError(
                    f"{shown(name)} is not a field of a result of this game; its fields are"
                    f" {', '.join(names)}."
                )
        result = {
            each.name: value
            for each in self.fields
            if (value := given.get(each.name, each.known)) is not None
        }
        refuse(self._wrong(result))
        refuse(self.more(result))
        return result

    def require(self, each: ResultField, value: Value) -> None:
        """Raises RulesError, `field: error`, for a wrong value of one field."""
        check = self._check_each_seat if each.per_seat else self._check
        refuse(check(each, value))

    def _wrong(self, result: Result) -> Iterator[str]:
        depth = self.depth(result)
        for each in self.fields:
            asked = all(result.get(name) in values for name, values in each.when)
            if each.name not in result:
                if asked and each.is_needed(depth) and each.unless not in result:
                    yield f"{each.name}: The result does not say {each.words}; add it."
                continue
            value = result[each.name]
            if not asked and value != each.known:
                yield f"{each.name}: {_unasked(each)}"
            yield from (self._check_each_seat if each.per_seat else self._check)(each, value)
            if each.unlike and value == result.get(each.unlike):
                yield (
                    f"{each.name}: Seat {value} is {self[each.unlike].words} already; name another"
                    " seat."
                )

    def _check_each_seat(self, each: ResultField, value: Value) -> Iterator[str]:
        if not isinstance(value, list | tuple) or len(value) != self.seats:
            yield f"{each.name}: Give a list with one value for each of the {self.seats} seats."
            return
        for one in value:
            if one is not None:
                yield from self._check(each, one)

    def _check(self, each: ResultField, value: Value) -> Iterator[str]:
        """Yields a sentence for a value that is not of the field's kind or beyond its limits."""
        wrong = f"{each.name}: {shown(value)} is not"
        match each.kind:
            case "seat":
                if not self._is_seat(value):
                    yield f"{wrong} a seat; seats are 0 to {self.seats - 1}."
            case "choice":
                if not isinstance(value, str) or value not in each.choices:
                    yield f"{wrong} one of {', '.join(each.choices)}."
            case "number":
                if not _is_number(value) or not each.least <= value <= each.most:
                    limits = f"{each.least} to {each.most}"
                    yield f"{wrong} a whole number of {limits}{_cited(each.rule)}."
            case "yes_no":
                if not isinstance(value, bool):
                    yield f"{wrong} true or false."
            case "tile":
                yield from _check_tile(each, value)
            case "seats" | "tiles" | "sets":
                yield from self._check_list(each, value)

    def _check_list(self, each: ResultField, value: Value) -> Iterator[str]:
        if not isinstance(value, list | tuple):
            yield f"{each.name}: {shown(value)} is not a list."
            return
        most = each.most or MOST_TILES
        if not each.least <= len(value) <= most:
            limits = f"{each.least} to {most}"
            yield f"{each.name}: The list has {len(value)} entries; {limits} are possible."
        for one in value:
            if each.kind == "seats":
                if not self._is_seat(one):
                    yield f"{each.name}: {shown(one)} is not a seat of 0 to {self.seats - 1}."
            elif each.kind == "tiles":
                yield from _check_tile(each, one)
            elif not isinstance(one, list | tuple):
                yield f"{each.name}: {shown(one)} is not a list of tiles."
            else:
                for tile in one:
                    yield from _check_tile(each, tile)

    def _is_seat(self, value: Value) -> bool:
        return _is_number(value) and 0 <= value < self.seats


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_tile(each: ResultField, value: Value) -> Iterator[str]:
    if not isinstance(value, str) or value not in each.choices:
        yield f"{each.name}: {shown(value)} is not a tile of this game."


def _unasked(each: ResultField) -> str:
    conditions = " and ".join(
        f"{name} is {' or '.join('left out' if one is None else str(one) for one in values)}"
        for name, values in each.when
    )
    return f"Give {each.words} only if {conditions}; leave it out."


def _cited(rule: str) -> str:
    return f" ({rule})" if rule else ""


@dataclass(frozen=True, slots=True)
class FinishedHand:
    """A hand that is over, as a match needs it; games whose match needs more add to it.

    `counted` is false if the payments are not known: the settlement then has none.
    """

    settlement: Settlement
    counted: bool = True


@dataclass(frozen=True)
class GameResults:
    """The results of one game.

    `form(match, setup)` is the form of the hand that begins with this match; `setup` is its
    finished set-up, from which the table knows some fields, or None. `finish(match, result)` is the
    finished hand of a checked result; it raises RulesError for tiles that do not win. `read(match,
    acts, play, depth)` reads the result of this depth off a followed hand: its actions, and the
    play after the last one. It raises RulesError if the play does not know a tile that it needs.

    `carried` names what a match adds up over its hands besides the scores, such as chips: a
    correction of an earlier hand changes these, not who has dealt since.
    """

    form: Callable[[Any, Setup | None], ResultForm]
    finish: Callable[[Any, Result], FinishedHand]
    read: Callable[[Any, Sequence[RecordedAct], Any, Depth], Result]
    carried: tuple[str, ...] = ()

    def recounted(self, dealt: Any, match: Any, moves: Sequence[Seat] = ()) -> Any:
        """The match with which a hand was dealt, with what now follows from earlier results.

        `match` is the match after the hands before, computed again. Scores and what is `carried`
        are taken from it, and nothing else. If seats were drawn in between, `moves` are the new
        seats of all players. A match that is not a dataclass stays as it was.
        """
        if not is_dataclass(dealt) or isinstance(dealt, type):
            return dealt
        fresh: dict[str, Any] = {}
        for name in ("scores", *self.carried):
            value = getattr(match, name)
            if moves and isinstance(value, tuple):
                value = tuple(value[moves.index(seat)] for seat in range(len(value)))
            fresh[name] = value
        counted: Any = replace(dealt, **fresh)
        return counted

    def standing(self, match: Any) -> Facts:
        """The scores of a match and what is `carried`, as JSON values by their names."""
        if not is_dataclass(match):
            return {}
        values = {name: getattr(match, name) for name in ("scores", *self.carried)}
        return {
            name: [plain(each) for each in value] if isinstance(value, tuple) else value
            for name, value in values.items()
        }

    def with_standing(self, match: Any, standing: Mapping[str, Any]) -> Any:
        """The match with this standing in place of its own.

        Raises RulesError for a name or a value that the match does not have.
        """
        own = self.standing(match)
        for name, value in standing.items():
            if name not in own or not _is_alike(value, own[name]):
                raise RulesError(
                    f"The standing of a match of this game has no {shown(name)} {shown(value)}; it"
                    f" is like {shown(own)}."
                )
        if not own:
            return match
        given = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in standing.items()
        }
        dealt: Any = replace(match, **given)
        return dealt


def _is_alike(value: Any, own: Any) -> bool:
    """Whether a value is of the kind of another: a list of as many numbers, or true or false."""
    if isinstance(own, list):
        return (
            isinstance(value, list)
            and len(value) == len(own)
            and all(isinstance(each, int | float) for each in value)
        )
    return type(value) is type(own)


MOST_POINTS: Final = 1_000_000
"""The most points of a seat in a result of a game that says nothing about its results."""


def points_form(match: Any, setup: Setup | None = None) -> ResultForm:
    """The form of a game that declares no results: the winner, and the points of each seat."""
    return ResultForm(
        "",
        len(match.scores),
        (
            ResultField("winner", "seat", "the seat that won"),
            ResultField(
                "points",
                "number",
                "the points of each seat",
                "amount",
                least=-MOST_POINTS,
                most=MOST_POINTS,
                per_seat=True,
            ),
        ),
    )


def finish_by_points(match: Any, result: Result) -> FinishedHand:
    """The hand in which each seat wins or loses its points to the house, which stands for all."""
    points: Sequence[int | None] = result.get("points") or ()
    payments = tuple(
        Payment(HOUSE, seat, each, "points") if each > 0 else Payment(seat, HOUSE, -each, "points")
        for seat, each in enumerate(points)
        if each
    )
    winner: Seat | None = result.get("winner")
    name = "no winner" if winner is None else f"seat {winner} won"
    return FinishedHand(Settlement(name, payments=payments, winner=winner), counted=bool(points))


def read_points(match: Any, acts: Sequence[RecordedAct], play: Any, depth: Depth) -> Result:
    """The winner of a followed hand, and the points of each seat. Raises RulesError."""
    settlement = finished(play)
    result: dict[str, Value] = {}
    if settlement.winner is not None:
        result["winner"] = settlement.winner
    if depth != "who":
        gains = settlement.balance()
        points = [plain(gains.get(seat, 0)) for seat in range(len(match.scores))]
        if any(each != int(each) for each in points):
            raise RulesError("The hand has payments that are not whole points.")
        result["points"] = [int(each) for each in points]
    return result


BY_POINTS: Final = GameResults(points_form, finish_by_points, read_points)
"""The results of a game that declares none."""


def finished(play: Finished) -> Settlement:
    """The settlement of a followed hand. Raises RulesError if the hand is not over."""
    settlement = play.settlement
    if settlement is None:
        raise RulesError("The hand is not over; finish it before its result is read.")
    return settlement


def not_counted(name: str, winner: Seat | None = None, *reasons: str) -> Settlement:
    """The settlement of a result `who`: it names the winner, and no payment is counted."""
    return Settlement(
        name, multiplier=0, reasons=(*reasons, "The payments are not counted."), winner=winner
    )
