"""Checks whether a hand wins, its shape and its class; the best reading counts (W24, W25).

A `Claim` is a hand shown for a win, with the source of its last tile. `is_complete` is a fast check
of the shape; `judged` is the full verdict with its reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.tiles import CAISHEN, WILD, Caishen, SetDown
from rules.melds import (
    DIGIT,
    HONOURS,
    KINDS,
    Counts,
    Group,
    Kind,
    Reading,
    groups_with,
    only_sets,
    packed_sets_and_pair,
    pairs,
    readings,
    sets_and_pair,
    triplets_and_pair,
)
from rules.tiles import Face

By = Literal["self", "replacement", "discard", "robbing"]

SOFT: Final = 1
HARD: Final = 2
DOUBLE: Final = 4
CLASSES: Final = {SOFT: "soft", HARD: "hard", DOUBLE: "double"}
FIRST_HONOUR: Final = DIGIT * HONOURS
"""The lowest bit of the honours in a packed hand."""
HONOUR_DIGITS: Final = (1 << DIGIT * (KINDS - HONOURS)) - 1
ODD: Final = sum(1 << DIGIT * kind for kind in range(KINDS))
"""The lowest bit of every digit."""
SETS: Final = 5
PAIRS: Final = 8


@dataclass(frozen=True, slots=True)
class Claim:
    """A hand for which a win is claimed.

    `hand` are the concealed tiles without the winning tile, `tile`. `first_turn` is true for the
    dealer's dealt hand and for a win on the dealer's first discard; `undisturbed` is true if no
    seat has called a tile before (E11).
    """

    caishen: Caishen
    hand: tuple[Face, ...]
    tile: Face
    by: By
    melds: tuple[SetDown, ...] = ()
    first_turn: bool = False
    undisturbed: bool = True

    @property
    def drawn(self) -> bool:
        """Whether the winner drew the winning tile; a replacement tile counts as drawn."""
        return self.by in ("self", "replacement")

    @property
    def parted(self) -> tuple[Counts, int]:
        """The counts of all natural concealed tiles, and the number of caishen."""
        return self.caishen.parted((*self.hand, self.tile))


@dataclass(frozen=True, slots=True)
class WinReading:
    """A win and its class. `reading` is None for eight pairs and for three caishen."""

    name: str
    multiplier: int
    reasons: tuple[str, ...]
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class NoWin:
    """The reasons why a hand does not win, one sentence for each shape that it nearly has."""

    reasons: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return " ".join(self.reasons)


def is_complete(counts: Counts, wild: int, melds: int = 0) -> bool:
    """Whether these tiles have a winning shape, regardless of the source of the last tile (W24)."""
    return (
        wild >= CAISHEN
        or sets_and_pair(counts, wild)
        or (not melds and pairs(counts, wild) >= PAIRS)
    )


def is_complete_packed(packed: int, melds: int) -> bool:
    """`is_complete` for a hand that is packed by `Caishen.packed` and includes its last tile.

    In a hand of eight pairs and one more tile, at most one kind has an odd number of tiles without
    a caishen to pair it. Most hands have more such kinds, so their pairs are not counted.
    """
    wild = packed >> WILD
    return (
        wild >= CAISHEN
        or packed_sets_and_pair(packed, wild)
        or (
            not melds
            and (packed & ODD).bit_count() <= wild + 1
            and pairs(Counts.unpacked(packed), wild) >= PAIRS
        )
    )


def judged(claim: Claim, parameters: Parameters) -> WinReading | NoWin:
    """The best win of a hand, or the reasons why it does not win."""
    size = len(claim.hand) + 1 + 3 * len(claim.melds)
    if size != 3 * SETS + 2:
        return NoWin((f"A winning hand has 17 tiles, a kong counted as three, not {size}.",))
    if claim.caishen.face is None:
        return NoWin(("The indicator has not been read, so the caishen is unknown; read it.",))
    counts, wild = claim.parted
    best: WinReading | None = None
    refused: list[str] = []
    for found in (
        _by_five_sets(claim, counts, wild, parameters),
        _by_eight_pairs(claim, counts, wild, parameters),
        _by_three_caishen(claim, wild, parameters),
    ):
        if isinstance(found, NoWin):
            refused += found.reasons
        elif found is not None and (best is None or found.multiplier > best.multiplier):
            best = found
    if best is not None:
        return best
    return NoWin(
        tuple(refused)
        or ("The hand is neither five sets and a pair, nor eight pairs, nor three caishen (W24).",)
    )


def _by_five_sets(
    claim: Claim, counts: Counts, wild: int, parameters: Parameters
) -> WinReading | NoWin | None:
    """Shape (a): five sets and a pair, in the best reading that the last tile can complete."""
    if not sets_and_pair(counts, wild):
        return None
    if not claim.drawn and not _has_other_wait(claim, counts, wild, parameters):
        return NoWin((_SINGLE_WAIT,))
    classes = _classes_of_hand(claim, wild)
    if len(claim.melds) == SETS:
        classes.append(_bare_single(claim))
    reading = _best_reading(claim, counts, wild, classes, parameters)
    if reading is None:
        return None
    classes += _classes_of_reading(reading, claim, parameters)
    sets = ", ".join([*map(str, claim.melds), str(reading)])
    return _best(classes, f"Five sets and a pair: {sets} (W24 a).", reading)


def _best_reading(
    claim: Claim, counts: Counts, wild: int, classes: list[_Class], parameters: Parameters
) -> Reading | None:
    """The first reading with the highest class that any reading of the hand has.

    A hand with caishen can have hundreds of readings. So the readings of each class are searched
    separately, the highest class first, and only if a fast check shows that there can be one.
    """
    always = max((one.multiplier for one in classes), default=SOFT)
    if always < DOUBLE and _can_be_all_triplets(claim, counts, wild, parameters):
        found = _first(claim, counts, wild, parameters, _is_triplet_or_pair)
        if found is not None:
            return found
    kind = claim.caishen.kind
    if always < HARD and wild and kind is not None and sets_and_pair(counts.plus(kind, wild)):
        found = _first(
            claim, counts, wild, parameters, lambda group: _at_face_value(group, kind, parameters)
        )
        if found is not None:
            return found
    return _first(claim, counts, wild, parameters)


def _first(
    claim: Claim,
    counts: Counts,
    wild: int,
    parameters: Parameters,
    only: Callable[[Group], bool] | None = None,
) -> Reading | None:
    """The first reading that the last tile can complete and whose groups all pass `only`."""
    for reading in readings(counts, wild, only):
        if claim.drawn or not _is_single_wait(reading, claim, parameters):
            return reading
    return None


def _by_eight_pairs(
    claim: Claim, counts: Counts, wild: int, parameters: Parameters
) -> WinReading | NoWin | None:
    """Shape (b): eight pairs and any other tile; four equal tiles are two pairs."""
    if claim.melds or pairs(counts, wild) < PAIRS:
        return None
    if not claim.drawn and not parameters.any_tile_wait_discard:
        before, held = claim.caishen.parted(claim.hand)
        if pairs(before, held) >= PAIRS:
            return NoWin(
                ("Eight pairs that wait on any tile do not win on a discard in this house (E8).",)
            )
    classes = _classes_of_hand(claim, wild)
    if _pairs_at_face_value(counts, wild, claim, parameters) >= PAIRS:
        how = "every caishen at face value" if wild else "no caishen"
        classes.append(_Class("hard eight pairs", DOUBLE, f"Eight pairs with {how}: double."))
    else:
        classes.append(_SOFT_PAIRS)
    return _best(classes, "Eight pairs and one more tile (W24 b).")


def _by_three_caishen(claim: Claim, wild: int, parameters: Parameters) -> WinReading | NoWin | None:
    """Shape (c): three caishen and any other tiles; never heaven or earth (E9, E10)."""
    if wild < CAISHEN:
        return None
    if claim.first_turn and parameters.garbage_first_turn == "forbid":
        return NoWin(
            ("Three caishen with any tiles do not win in the first turn in this house (E10).",)
        )
    if not claim.drawn and not parameters.three_caishen_any_on_discard:
        return NoWin(("Three caishen with any tiles do not win on a discard in this house (E9).",))
    return WinReading(
        "three caishen and any tiles",
        HARD,
        ("Three caishen and any other tiles (W24 c).", "Three caishen with any tiles: hard."),
    )


class _Class(NamedTuple):
    name: str
    multiplier: int
    why: str


_SOFT: Final = _Class("soft", SOFT, "Won on a discard, with a caishen as another tile: soft.")
_HEAVEN: Final = _Class("heaven", DOUBLE, "Won with the dealer's dealt hand, heaven: double (E11).")
_EARTH: Final = _Class("earth", DOUBLE, "Won on the first discard, earth: double (E11).")
_THREE_CAISHEN: Final = _Class(
    "three caishen", DOUBLE, "Three caishen in a complete shape: double."
)
_SELF_DRAW: Final = _Class("self-draw", HARD, "Won on a tile drawn by the winner: hard.")
_REPLACEMENT: Final = _Class(
    "self-draw", HARD, "Won on a replacement tile, which counts as drawn by the winner: hard."
)
_ROBBING: Final = _Class("robbing a kong", HARD, "Won by robbing a kong: hard.")
_NO_CAISHEN: Final = _Class("hard", HARD, "No caishen: hard.")
_FACE_VALUE: Final = _Class("hard", HARD, "Every caishen at face value: hard.")
_ALL_TRIPLETS: Final = _Class("all triplets", DOUBLE, "Only triplets: double in this house.")
_SOFT_PAIRS: Final = _Class(
    "soft eight pairs", HARD, "Eight pairs with a caishen as another tile: hard."
)


def _best(classes: list[_Class], shape: str, reading: Reading | None = None) -> WinReading:
    """The win in its highest class; classes do not multiply."""
    top = _SOFT
    for one in classes:
        if one.multiplier > top.multiplier or top is _SOFT:
            top = one
    same = [one.why for one in classes if one.multiplier == top.multiplier] or [_SOFT.why]
    return WinReading(top.name, top.multiplier, (shape, *same), reading)


def _classes_of_hand(claim: Claim, wild: int) -> list[_Class]:
    """The classes of a complete hand that do not depend on its reading."""
    found = []
    if claim.first_turn and claim.undisturbed:
        found.append(_HEAVEN if claim.drawn else _EARTH)
    if wild >= CAISHEN:
        found.append(_THREE_CAISHEN)
    if claim.drawn:
        found.append(_REPLACEMENT if claim.by == "replacement" else _SELF_DRAW)
    if claim.by == "robbing":
        found.append(_ROBBING)
    return found


def _bare_single(claim: Claim) -> _Class:
    """The class of five sets laid down, including concealed kongs, and one tile in hand (E17)."""
    god = claim.caishen.is_caishen(claim.hand[0])
    name = "all-seeking god" if god else "bare single"
    return _Class(name, DOUBLE, f"Five sets laid down, one tile in hand, {name}: double (E17).")


def _classes_of_reading(reading: Reading, claim: Claim, parameters: Parameters) -> Iterator[_Class]:
    """The classes that depend on the reading."""
    kind = claim.caishen.kind
    if not any(group.wild for group in reading.groups):
        yield _NO_CAISHEN
    elif kind is not None and all(
        _at_face_value(group, kind, parameters) for group in reading.groups
    ):
        yield _FACE_VALUE
    if (
        parameters.all_pungs_double
        and not any(group.is_run for group in reading.sets)
        and all(meld.what != "chow" for meld in claim.melds)
    ):
        yield _ALL_TRIPLETS


def _can_be_all_triplets(claim: Claim, counts: Counts, wild: int, parameters: Parameters) -> bool:
    """Whether the house doubles all triplets and the hand can be read as triplets and a pair."""
    return (
        parameters.all_pungs_double
        and all(meld.what != "chow" for meld in claim.melds)
        and triplets_and_pair(counts, wild)
    )


def _is_triplet_or_pair(group: Group) -> bool:
    return not group.is_run


def _at_face_value(group: Group, kind: Kind, parameters: Parameters) -> bool:
    """Whether every caishen of a group counts as its own kind.

    White can be in the same group only if `white_counts_as_face` is set.
    """
    return not group.wild or (
        all(wild == kind for wild in group.wild)
        and (parameters.white_counts_as_face or kind not in group.natural)
    )


def _pairs_at_face_value(counts: Counts, wild: int, claim: Claim, parameters: Parameters) -> int:
    """The number of pairs with each caishen as its own kind.

    White and a caishen form a pair only if `white_counts_as_face` is set.
    """
    kind = claim.caishen.kind
    if kind is None or not parameters.white_counts_as_face:
        return pairs(counts) + wild // 2
    return pairs(counts.plus(kind, wild))


_SINGLE_WAIT = (
    "The hand waits only for the pair of a single caishen, so it wins only on a tile drawn by the"
    " winner (W25, E7)."
)


def _has_other_wait(claim: Claim, counts: Counts, wild: int, parameters: Parameters) -> bool:
    """Whether the claimed tile can be elsewhere than in the pair of a single caishen (W25, E7).

    A claimed caishen could replace any tile of the hand. For it the hand before the claim is
    checked: does it consist of sets and one caishen?
    """
    strict = parameters.caishen_single_strict
    if claim.caishen.is_caishen(claim.tile):
        return not strict or wild != 2 or not only_sets(counts)
    kind = claim.caishen.kind_of(claim.tile)
    allowed = not strict and kind == claim.caishen.kind
    return any(
        allowed or not (group.is_pair and group.wild) for group in groups_with(counts, kind, wild)
    )


def _is_single_wait(reading: Reading, claim: Claim, parameters: Parameters) -> bool:
    """Whether in this reading the claimed tile can only be in the pair of a single caishen.

    Tiles of one kind are interchangeable: if a set contains a tile of the claimed kind, the claimed
    tile can be in that set.
    """
    kind = claim.caishen.kind_of(claim.tile)
    if claim.caishen.is_caishen(claim.tile) or (
        kind == claim.caishen.kind and not parameters.caishen_single_strict
    ):
        return False
    return (
        len(reading.pair.wild) == 1
        and kind in reading.pair.natural
        and not any(kind in group.natural for group in reading.sets)
    )
