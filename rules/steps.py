"""The steps of a set-up, as frozen values.

A step describes the next thing to do; `check` validates its outcome. Steps without a choice, a
throw or a tile to read have the outcome `None`. `facts` is the step as plain JSON values.
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


def _in_words(step: object) -> str:
    return "The step '" + re.sub("(?<=.)(?=[A-Z])", " ", type(step).__name__).lower() + "'"


def _said(outcome: Outcome) -> str:
    """An outcome as a person would type it."""
    return ",".join(map(str, outcome)) if isinstance(outcome, tuple) else repr(outcome)


def _offer(among: tuple[int | str, ...]) -> str:
    """Every answer, a long row of numbers by its ends."""
    if len(among) > 12 and isinstance(among[0], int):
        return f"{among[0]} to {among[-1]}"
    return ", ".join(str(answer) for answer in among)


class _Done:
    """A step that simply happens."""

    __slots__ = ()

    def check(self, outcome: Outcome) -> Outcome:
        """`None`; raises IllegalOutcome for anything else."""
        if outcome is not None:
            raise IllegalOutcomeError(
                f"{_in_words(self)} has no outcome, yet it was given {outcome!r}; give none."
            )
        return None


class _Seen:
    """A step that shows a face to whoever can see it; `None` means that nobody could."""

    __slots__ = ()

    def check(self, outcome: Outcome) -> Outcome:
        """The face, or `None` for an unknown tile; raises IllegalOutcome for anything else."""
        if outcome is not None and not isinstance(outcome, str):
            raise IllegalOutcomeError(
                f"{_in_words(self)} shows a tile such as '2m', or None if unseen, not {outcome!r}."
            )
        return outcome


@dataclass(frozen=True, slots=True)
class Build(_Done):
    """Shuffle the set and set it up as this layout."""

    layout: Layout

    def facts(self) -> Facts:
        return {"step": "build", "tiles": self.layout.count, **layout_facts(self.layout)}


@dataclass(frozen=True, slots=True)
class Throw:
    """A seat throws `dice` dice `times` times over; the outcome is every face in order."""

    by: Seat
    dice: int
    why: str
    times: int = 1

    def check(self, outcome: Outcome) -> Outcome:
        """The faces; raises IllegalOutcome for a wrong number of them or one outside 1 to 6."""
        wanted = self.dice * self.times
        if not isinstance(outcome, tuple) or len(outcome) != wanted:
            count = f"{wanted} dice faces" if wanted > 1 else "1 die face"
            raise IllegalOutcomeError(
                f"The {self.why} needs {count}, not {_said(outcome)}; throw again."
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
    """A person decides: `what` is the question, `among` every answer, `default` the house's."""

    by: Seat
    what: str
    among: tuple[int | str, ...]
    default: int | str

    def check(self, outcome: Outcome) -> Outcome:
        """The answer; raises IllegalOutcome for one that is not among those offered."""
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
    """Rearrange the pile in sight of all: push out, lift onto, slide, lay across, wing, join.

    `tiles` are the tiles moved, top first in each column, by their address in the pile as built;
    `to` names the columns that receive them (`p3`) or a direction (forward, left, right, middle).
    `announces` is false for the moves between hands, which nobody has to see to know the cut.
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
    """Deal these tiles to a seat, in this order; `hand` numbers the hand in games that do."""

    seat: Seat
    places: tuple[Place, ...]
    hand: int | None = None

    def facts(self) -> Facts:
        number = {} if self.hand is None else {"hand": self.hand}
        return {"step": "packet", "seat": self.seat, "from": _texts(self.places), **number}


@dataclass(frozen=True, slots=True)
class Replace(_Done):
    """Give a seat one tile from the replacement end (a flower laid out, a flores turned up)."""

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
    """A seat draws one tile and shows it, to settle who begins; the outcome is its face."""

    seat: Seat
    place: Place

    def facts(self) -> Facts:
        return {"step": "lot", "seat": self.seat, "from": [str(self.place)]}


@dataclass(frozen=True, slots=True)
class ReturnLots(_Done):
    """The shown lots go back to their places, and all of the boneyard is mixed by hand (C5).

    `boneyard` are the places whose tiles are mixed, those of the lots among them.
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
    """What the set-up leaves to the play.

    `begins` is the seat that acts first (None where a hidden tile decides), `draws` the tiles in
    the order of ordinary draws, `replacements` the same from the other end, `indicator` what was
    turned up and `shows` its face if anyone saw it. `opened` is where the dealing began, in games
    that break a wall or cut a pile.
    """

    begins: Seat | None
    draws: tuple[Place, ...] = ()
    replacements: tuple[Place, ...] = ()
    indicator: Place | None = None
    shows: Face | None = None
    opened: Break | None = None


def layout_facts(layout: Layout) -> Facts:
    """A layout as JSON values: `walls`, or `pile` with its columns and levels; neither if bare."""
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
