"""Checks discards from hidden hands after the hands are shown (W16, W17, E16).

The rules can refuse a discard against the order only if they know the hand. A table that follows
hidden hands keeps a trail of the tiles that each seat drew, discarded and laid down. After the hand
the tiles are shown, and every discard from a hidden hand is checked. It stays unknown which tile
came with which draw; a discard is therefore fined only if it was against the order for every
possible assignment of tiles to draws.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.tiles import Caishen
from rules.geometry import Seat
from rules.melds import Kind, is_honour
from rules.tiles import Face


@dataclass(frozen=True, slots=True)
class Taken:
    """A seat took a tile; `face` is None if it is unknown."""

    seat: Seat
    face: Face | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """Tiles left a seat's concealed hand: a discard, or its own tiles of a set laid down."""

    seat: Seat
    faces: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A seat discarded a tile from a hand with unknown tiles, which could not be checked.

    `thrown` are the kinds that had been discarded before it. `exempt` are the kinds of the seat's
    pongs, to which a single honour could be added (E12).
    """

    seat: Seat
    face: Face
    thrown: frozenset[Kind]
    exempt: frozenset[Kind]


Trail = tuple[Taken | Given | Unchecked, ...]
"""The tiles that each seat took and gave, in the order of play."""


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

    `hands` are the concealed tiles of each seat at the end of the hand, all known.
    """
    return tuple(
        Breach(step.seat, step.face, rule)
        for at, step in enumerate(trail)
        if isinstance(step, Unchecked)
        and (rule := _broken_rule(step, _later(step, trail[at + 1 :], hands[step.seat], caishen)))
    )


def _broken_rule(step: Unchecked, rest: _LaterTiles) -> str:
    """The rule that a discard broke, or an empty text.

    The hand at the discard was the discarded tile and those tiles of `rest` that were not drawn
    later. A single honour in `rest` does not count against the discard if it can have been drawn
    later.
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
        if rest.can_have_been_drawn(single):
            return ""
        return "W17" if not rest.can_have_been_drawn(dead) else "W16"
    was_dead = kind in step.thrown - step.exempt and rest.can_have_been_drawn({kind})
    return "" if was_dead or rest.can_have_been_drawn(dead - {kind}) else "W17"


@dataclass(frozen=True, slots=True)
class _LaterTiles:
    """The tiles that a seat held at or after one of its discards, without that discard.

    They are the tiles that it kept and those that it drew later unseen. `deadlines` has, for each
    kind, one number for each tile: the number of unseen draws between the discard and the moment
    when the tile left the hand or the hand ended.
    """

    caishen: Caishen
    deadlines: dict[Kind, list[int]]

    def can_have_been_drawn(self, kinds: Iterable[Kind]) -> bool:
        """Whether all tiles of these kinds can have come with different later draws."""
        deadlines = sorted(at for kind in kinds for at in self.deadlines.get(kind, ()))
        return all(number <= at for number, at in enumerate(deadlines, 1))


def _later(step: Unchecked, later: Trail, hand: Iterable[Face], caishen: Caishen) -> _LaterTiles:
    """The later tiles of a discard: from the trail after it and the hand at the end."""
    deadlines: dict[Kind, list[int]] = defaultdict(list)
    taken_seen: Counter[Face] = Counter()
    draws = 0

    def remove(faces: Iterable[Face]) -> None:
        for face in faces:
            if taken_seen[face]:
                taken_seen[face] -= 1
            elif not caishen.is_caishen(face):
                deadlines[caishen.kind_of(face)].append(draws)

    for event in later:
        if event.seat != step.seat:
            continue
        match event:
            case Given(_, faces):
                remove(faces)
            case Unchecked(_, face):
                remove((face,))
            case Taken(_, None):
                draws += 1
            case Taken(_, str(face)):
                taken_seen[face] += 1
    remove(hand)
    return _LaterTiles(caishen, dict(deadlines))
