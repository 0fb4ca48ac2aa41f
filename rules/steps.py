"""The steps of a set-up, as frozen values.

A step describes the next action of the set-up; `check` validates its outcome. Steps without a
choice, a throw or a tile to read have the outcome `None`. `facts` is the step as plain JSON values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rules.errors import IllegalOutcomeError
from rules.geometry import (
    Boneyard,
    Break,
    CardPile,
    Layout,
    Pile,
    Place,
    Seat,
    Walls,
)
from rules.tiles import Face

Outcome = int | str | tuple[int, ...] | None
Facts = dict[str, object]


def _texts(places: Sequence[object]) -> list[str]:
    return [str(place) for place in places]


def _step_name(step: object) -> str:
    return "The step '" + re.sub("(?<=.)(?=[A-Z])", " ", type(step).__name__).lower() + "'"


def _typed(outcome: Outcome) -> str:
    """An outcome as a person types it."""
    return ",".join(map(str, outcome)) if isinstance(outcome, tuple) else repr(outcome)


def _offer(among: tuple[int | str, ...]) -> str:
    """All answers as a text; a long range of numbers as its two ends."""
    if len(among) > 12 and isinstance(among[0], int):
        return f"{among[0]} to {among[-1]}"
    return ", ".join(str(answer) for answer in among)


class _Done:
    """A step that has no outcome."""

    __slots__ = ()

    def check(self, outcome: Outcome) -> Outcome:
        """Returns `None`. Raises IllegalOutcomeError for anything else."""
        if outcome is not None:
            raise IllegalOutcomeError(f"{_step_name(self)} has no outcome; leave out {outcome!r}.")
        return None


class _Seen:
    """A step that shows the face of a tile; the outcome `None` is a tile that was not seen."""

    __slots__ = ()

    def check(self, outcome: Outcome) -> Outcome:
        """Returns the face, or `None` if unseen. Raises IllegalOutcomeError for anything else."""
        if outcome is not None and not isinstance(outcome, str):
            raise IllegalOutcomeError(
                f"{_step_name(self)} shows a tile such as '2m', or None if unseen, not {outcome!r}."
            )
        return outcome


@dataclass(frozen=True, slots=True)
class Build(_Done):
    """Shuffle the set and build this layout."""

    layout: Layout

    def facts(self) -> Facts:
        return {"step": "build", "tiles": self.layout.count, **layout_facts(self.layout)}


@dataclass(frozen=True, slots=True)
class Throw:
    """A seat throws `dice` dice `times` times; the outcome is every face in order."""

    by: Seat
    dice: int
    why: str
    times: int = 1

    def check(self, outcome: Outcome) -> Outcome:
        """Returns the faces. Raises IllegalOutcomeError for a wrong face or number of faces."""
        wanted = self.dice * self.times
        if not isinstance(outcome, tuple) or len(outcome) != wanted:
            count = f"{wanted} dice faces" if wanted > 1 else "1 die face"
            raise IllegalOutcomeError(
                f"The {self.why} needs {count}, not {_typed(outcome)}; throw again."
            )
        for face in outcome:
            if type(face) is not int or not 1 <= face <= 6:
                raise IllegalOutcomeError(f"A die shows 1 to 6, not {face!r}; throw again.")
        return outcome

    def facts(self) -> Facts:
        return {
            "step": "throw",
            "by": self.by,
            "dice": self.dice,
            "times": self.times,
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class Choose:
    """A person decides: `what` is the question, `among` every answer, `default` the usual one."""

    by: Seat
    what: str
    among: tuple[int | str, ...]
    default: int | str

    def check(self, outcome: Outcome) -> Outcome:
        """Returns the answer. Raises IllegalOutcomeError for one that is not offered."""
        if type(outcome) not in (int, str) or outcome not in self.among:
            raise IllegalOutcomeError(
                f"Seat {self.by} cannot choose {outcome!r} as {self.what};"
                f" offered: {_offer(self.among)}."
            )
        return outcome

    def facts(self) -> Facts:
        return {"step": "choose", "by": self.by, "what": self.what, "default": self.default}


@dataclass(frozen=True, slots=True)
class Arrange(_Done):
    """Rearrange the pile before the players: push out, lift onto, slide, lay across, wing, join.

    `tiles` are the places, in the pile as built, of the tiles moved, top first in each column. `to`
    names the columns that receive them (`p3`) or a direction (forward, left, right, middle).
    `announces` is false for the moves between hands, which are not part of the cut.
    """

    verb: str
    tiles: tuple[Place, ...]
    to: tuple[str, ...]
    announces: bool = True

    def facts(self) -> Facts:
        return {
            "step": "arrange",
            "verb": self.verb,
            "from": _texts(self.tiles),
            "to": list(self.to),
        }


@dataclass(frozen=True, slots=True)
class Packet(_Done):
    """Deal these tiles to a seat, in this order; `hand` is the hand's number in pai gow."""

    seat: Seat
    places: tuple[Place, ...]
    hand: int | None = None

    def facts(self) -> Facts:
        number = {} if self.hand is None else {"hand": self.hand}
        return {"step": "packet", "seat": self.seat, "from": _texts(self.places), **number}


@dataclass(frozen=True, slots=True)
class Replace(_Done):
    """Give a seat one tile from the replacement end, for a flower or a flores."""

    seat: Seat
    place: Place

    def facts(self) -> Facts:
        return {"step": "replace", "seat": self.seat, "from": [str(self.place)]}


@dataclass(frozen=True, slots=True)
class TurnUp(_Seen):
    """A seat turns one tile face up where it lies; the outcome is its face."""

    place: Place
    by: Seat

    def facts(self) -> Facts:
        return {"step": "turn_up", "at": str(self.place), "turned_by": self.by}


@dataclass(frozen=True, slots=True)
class DrawLot(_Seen):
    """A seat draws one tile and shows it, to decide who begins; the outcome is its face."""

    seat: Seat
    place: Place

    def facts(self) -> Facts:
        return {"step": "lot", "seat": self.seat, "from": [str(self.place)]}


@dataclass(frozen=True, slots=True)
class ReturnLots(_Done):
    """The shown lots return to their places, and the whole boneyard is mixed by hand (C5).

    `boneyard` are the places whose tiles are mixed, including those of the lots.
    """

    places: tuple[Place, ...]
    boneyard: tuple[Place, ...]

    def facts(self) -> Facts:
        return {
            "step": "return_lots",
            "to": _texts(self.places),
            "mixed": _texts(self.boneyard),
        }


Step = Build | Throw | Choose | Arrange | Packet | Replace | TurnUp | DrawLot | ReturnLots


@dataclass(frozen=True, slots=True)
class Ready:
    """The result of a set-up, with which the play begins.

    `begins` is the seat that acts first, or None if a hidden tile decides. `draws` are the tiles in
    the order of ordinary draws, `replacements` the tiles in the order of draws from the other end.
    `indicator` is the place of the tile turned up, `shows` its face if it was seen. `opened` is
    where the deal began, in games that break a wall or cut a pile.
    """

    begins: Seat | None
    draws: tuple[Place, ...] = ()
    replacements: tuple[Place, ...] = ()
    indicator: Place | None = None
    shows: Face | None = None
    opened: Break | None = None


def layout_facts(layout: Layout) -> Facts:
    """A layout as JSON values: `pile` with its columns and levels, or `walls` (empty if bare)."""
    match layout:
        case Walls():
            return {
                "walls": [
                    {"owner": owner, "columns": columns, "levels": layout.levels}
                    for owner, columns in enumerate(layout.columns)
                ]
            }
        case Pile():
            return {"pile": {"columns": layout.columns, "levels": layout.levels}}
        case Boneyard():
            return {"pile": {"columns": layout.count, "levels": 1}}
        case CardPile():
            return {"pile": {"columns": 1, "levels": layout.count}}
    return {"walls": []}
