"""Checks discards from hidden hands after the hands are shown (W16, W17, E16).

The rules refuse a discard against the order only where they know the hand. A table that follows
hidden hands keeps a trail of what each seat drew, discarded and laid down; after the hand the tiles
are shown and every discard of an unseen hand is checked. Which tile came with which draw stays
unknown, so a discard is fined only if no order of the draws excuses it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rules.games.wenzhou.caishen import Caishen
from rules.games.wenzhou.parameters import Parameters
from rules.geometry import Seat
from rules.melds import Kind, is_honour
from rules.tiles import Face


@dataclass(frozen=True, slots=True)
class Taken:
    """A seat took a tile; `face` is None if the table did not see it."""

    seat: Seat
    face: Face | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """Tiles left a seat's concealed hand: a discard, or its own tiles of a set laid down."""

    seat: Seat
    faces: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A seat discarded a tile from a hand with unseen tiles, so the rules could not check it.

    `thrown` are the kinds that had been discarded before it, `exempt` those of the seat's pongs,
    which a single honour could join (E12).
    """

    seat: Seat
    face: Face
    thrown: frozenset[Kind]
    exempt: frozenset[Kind]


Trail = tuple[Taken | Given | Unchecked, ...]
"""What each seat took and gave, in the order of play."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A discard against the order, and the rule that it broke (W16 or W17)."""

    seat: Seat
    face: Face
    rule: str


def is_fined(parameters: Parameters) -> bool:
    """Whether this house checks the discards of hidden hands after the hand."""
    return parameters.discard_order and parameters.discard_order_penalty > 0


def breaches(trail: Trail, hands: Sequence[Iterable[Face]], caishen: Caishen) -> tuple[Breach, ...]:
    """Every discard against the order, in the order of play.

    `hands` are the concealed tiles of each seat at the end, all of them seen.
    """
    return tuple(
        Breach(step.seat, step.face, rule)
        for at, step in enumerate(trail)
        if isinstance(step, Unchecked)
        and (rule := _broken(step, _Rest.of(step, trail[at + 1 :], hands[step.seat], caishen)))
    )


def _broken(step: Unchecked, rest: _Rest) -> str:
    """The rule that a discard broke, or an empty text.

    The hand before the discard is the tile itself and the tiles of `rest` that were not drawn
    later. A single honour in it is excused by a later draw.
    """
    single = {
        kind
        for kind, left in rest.deadlines.items()
        if is_honour(kind) and len(left) == 1 and kind not in step.exempt
    }
    dead = single & step.thrown
    kind = rest.caishen.kind_of(step.face)
    if rest.caishen.is_caishen(step.face):
        return ""
    if not is_honour(kind):
        if rest.may_have_been_drawn(single):
            return ""
        return "W17" if not rest.may_have_been_drawn(dead) else "W16"
    was_dead = kind in step.thrown - step.exempt and rest.may_have_been_drawn({kind})
    return "" if was_dead or rest.may_have_been_drawn(dead - {kind}) else "W17"


@dataclass(frozen=True, slots=True)
class _Rest:
    """A seat's tiles after one of its discards: those it kept and those it drew later.

    `deadlines` has for each kind one number a tile: how many unseen draws the seat had taken,
    counted from the discard, before that tile left the hand or the hand ended.
    """

    caishen: Caishen
    deadlines: dict[Kind, list[int]]

    @staticmethod
    def of(step: Unchecked, later: Trail, hand: Iterable[Face], caishen: Caishen) -> _Rest:
        deadlines: dict[Kind, list[int]] = defaultdict(list)
        seen_to_come: Counter[Face] = Counter()
        draws = 0

        def leaves(faces: Iterable[Face]) -> None:
            for face in faces:
                if seen_to_come[face]:
                    seen_to_come[face] -= 1
                elif not caishen.is_caishen(face):
                    deadlines[caishen.kind_of(face)].append(draws)

        for event in later:
            if event.seat != step.seat:
                continue
            match event:
                case Given(_, faces):
                    leaves(faces)
                case Unchecked(_, face):
                    leaves((face,))
                case Taken(_, None):
                    draws += 1
                case Taken(_, str(face)):
                    seen_to_come[face] += 1
        leaves(hand)
        return _Rest(caishen, dict(deadlines))

    def may_have_been_drawn(self, kinds: Iterable[Kind]) -> bool:
        """Whether all tiles of these kinds can have come with different later draws."""
        deadlines = sorted(at for kind in kinds for at in self.deadlines.get(kind, ()))
        return all(number <= at for number, at in enumerate(deadlines, 1))
