"""Whether a hand wins, by which shape and in which class: the best reading counts (W24, W25).

A `Claim` is a hand laid open and how its last tile came. `is_complete` is the quick yes or no;
`judged` is the floor's answer, with every reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from rules.games.wenzhou.caishen import CAISHEN, Caishen
from rules.games.wenzhou.parameters import Parameters
from rules.games.wenzhou.sets_down import SetDown
from rules.melds import (
    Counts,
    Kind,
    Reading,
    groups_with,
    only_sets,
    pairs,
    readings,
    sets_and_pair,
)
from rules.tiles import Face

By = Literal["self", "replacement", "discard", "robbing"]

SOFT: Final = 1
HARD: Final = 2
DOUBLE: Final = 4
CLASSES: Final = {SOFT: "soft", HARD: "hard", DOUBLE: "double"}
SETS: Final = 5
PAIRS: Final = 8


@dataclass(frozen=True, slots=True)
class Claim:
    """A hand that is said to win.

    `hand` are the concealed tiles without the last one, `tile`. `first_turn`: the dealer's dealt
    hand, or anybody's on the dealer's first discard; `undisturbed`: no call came before (E11).
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
        """Drawn by himself; a replacement tile counts as that."""
        return self.by in ("self", "replacement")

    @property
    def parted(self) -> tuple[Counts, int]:
        """All concealed tiles: what is plain, and how many caishen."""
        return self.caishen.parted((*self.hand, self.tile))


@dataclass(frozen=True, slots=True)
class Win:
    """A win in its class. `reading` is how it is read; None for pairs and for any tiles at all."""

    name: str
    multiplier: int
    reasons: tuple[str, ...]
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class NoWin:
    """Why a hand does not win: one sentence for each shape that it might have had."""

    reasons: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return " ".join(self.reasons)


def is_complete(counts: Counts, wild: int, melds: int = 0) -> bool:
    """Whether these tiles have any winning shape, whoever they came from (W24)."""
    return (
        wild >= CAISHEN
        or sets_and_pair(counts, wild)
        or (not melds and pairs(counts, wild) >= PAIRS)
    )


def judged(claim: Claim, parameters: Parameters) -> Win | NoWin:
    """The best win of a hand, or why it has none."""
    size = len(claim.hand) + 1 + 3 * len(claim.melds)
    if size != 3 * SETS + 2:
        return NoWin((f"A winning hand has 17 tiles, a kong counted as three, not {size}.",))
    if claim.caishen.face is None:
        return NoWin(("The indicator has not been read, so nobody knows the caishen; read it.",))
    best: Win | None = None
    refused: list[str] = []
    for found in (*_by_five_sets(claim, parameters), *_others(claim, parameters)):
        if isinstance(found, NoWin):
            refused += found.reasons
        elif best is None or found.multiplier > best.multiplier:
            best = found
    if best is not None:
        return best
    return NoWin(
        tuple(refused)
        or ("The hand is neither five sets and a pair, nor eight pairs, nor three caishen (W24).",)
    )


def _others(claim: Claim, parameters: Parameters) -> Iterator[Win | NoWin]:
    yield from _by_eight_pairs(claim, parameters)
    yield from _by_three_caishen(claim, parameters)


def _by_five_sets(claim: Claim, parameters: Parameters) -> Iterator[Win | NoWin]:
    """Shape (a), in every reading that the last tile may complete."""
    counts, wild = claim.parted
    if not sets_and_pair(counts, wild):
        return
    if not claim.drawn and not _waits_otherwise(claim, parameters):
        yield NoWin((_SINGLE_WAIT,))
        return
    always = [*_whatever_the_reading(claim), *_bare_single(claim)]
    best, classes = -1, always
    told: Reading | None = None
    for reading in readings(counts, wild):
        if claim.drawn or not _is_single_wait(reading, claim, parameters):
            these = [*always, *_of_the_reading(reading, claim, parameters)]
            multiplier = max((one.multiplier for one in these), default=SOFT)
            if multiplier > best:
                best, classes, told = multiplier, these, reading
        if best == DOUBLE:
            break
    if told is not None:
        sets = ", ".join([*map(str, claim.melds), str(told)])
        yield replace(_best(classes, f"Five sets and a pair: {sets} (W24 a)."), reading=told)


def _by_eight_pairs(claim: Claim, parameters: Parameters) -> Iterator[Win | NoWin]:
    """Shape (b): eight pairs and any tile, which may equal a pair's; four alike are two pairs."""
    counts, wild = claim.parted
    if claim.melds or pairs(counts, wild) < PAIRS:
        return
    if not claim.drawn and not parameters.any_tile_wait_discard:
        before, held = claim.caishen.parted(claim.hand)
        if pairs(before, held) >= PAIRS:
            yield NoWin(("Eight pairs that take any tile do not win on a discard here (E8).",))
            return
    classes = _whatever_the_reading(claim)
    if _pairs_at_face_value(counts, wild, claim, parameters) >= PAIRS:
        how = "every caishen at face value" if wild else "no caishen"
        classes.append(_Class("hard eight pairs", DOUBLE, f"Eight pairs with {how}: double."))
    else:
        classes.append(_Class("soft eight pairs", HARD, "A caishen stands for a pair's: hard."))
    yield _best(classes, "Eight pairs and one more tile (W24 b).")


def _by_three_caishen(claim: Claim, parameters: Parameters) -> Iterator[Win | NoWin]:
    """Shape (c): three caishen, and the rest as it comes; never heaven or earth (E9, E10)."""
    _, wild = claim.parted
    if wild < CAISHEN:
        return
    if claim.first_turn and parameters.garbage_first_turn == "forbid":
        yield NoWin(
            ("Three caishen with any tiles win neither as dealt nor on the first discard (E10).",)
        )
    elif not claim.drawn and not parameters.three_caishen_any_on_discard:
        yield NoWin(("Three caishen with any tiles do not win on a discard here (E9).",))
    else:
        yield Win(
            "three caishen and any tiles",
            HARD,
            ("Three caishen, the rest as it comes (W24 c).", "Such a hand is hard."),
        )


@dataclass(frozen=True, slots=True)
class _Class:
    name: str
    multiplier: int
    why: str


def _best(classes: list[_Class], shape: str) -> Win:
    """The highest class alone: classes do not multiply."""
    soft = _Class("soft", SOFT, "A discard won with a caishen standing for another tile: soft.")
    top = max([*classes, soft], key=lambda one: one.multiplier)
    same = [one.why for one in classes if one.multiplier == top.multiplier] or [soft.why]
    return Win(top.name, top.multiplier, (shape, *same))


def _whatever_the_reading(claim: Claim) -> list[_Class]:
    """The classes of any complete hand."""
    _, wild = claim.parted
    found = []
    if claim.first_turn and claim.undisturbed:
        if claim.drawn:
            found.append(_Class("heaven", DOUBLE, "The dealer's dealt hand, heaven: double (E11)."))
        else:
            found.append(_Class("earth", DOUBLE, "The first discard, earth: double (E11)."))
    if wild >= CAISHEN:
        found.append(_Class("three caishen", DOUBLE, "Three caishen in a complete shape: double."))
    if claim.drawn:
        replaced = ", as a replacement tile is" * (claim.by == "replacement")
        found.append(_Class("self-draw", HARD, f"Drawn by himself{replaced}: hard."))
    if claim.by == "robbing":
        found.append(_Class("robbing a kong", HARD, "A kong robbed: hard."))
    return found


def _bare_single(claim: Claim) -> list[_Class]:
    """Five sets laid down, concealed kongs too (E17), and one tile in hand."""
    if len(claim.melds) < SETS:
        return []
    god = claim.caishen.is_caishen(claim.hand[0])
    name = "all-seeking god" if god else "bare single"
    return [_Class(name, DOUBLE, f"Five sets laid down, one tile in hand, {name}: double (E17).")]


def _of_the_reading(reading: Reading, claim: Claim, parameters: Parameters) -> list[_Class]:
    found = []
    if not reading.wild:
        found.append(_Class("hard", HARD, "No caishen: hard."))
    elif _at_face_value(reading, claim.caishen.kind, parameters):
        found.append(_Class("hard", HARD, "Every caishen at face value: hard."))
    if (
        parameters.all_pungs_double
        and all(group.is_triplet for group in reading.sets)
        and all(meld.what != "chow" for meld in claim.melds)
    ):
        found.append(_Class("all triplets", DOUBLE, "Nothing but triplets: double here."))
    return found


def _at_face_value(reading: Reading, kind: Kind | None, parameters: Parameters) -> bool:
    """Whether every caishen is its own kind; White beside it in a group only where allowed."""
    return all(
        set(group.wild) == {kind} and (parameters.white_counts_as_face or kind not in group.natural)
        for group in reading.groups
        if group.wild
    )


def _pairs_at_face_value(counts: Counts, wild: int, claim: Claim, parameters: Parameters) -> int:
    """Pairs with each caishen as its own kind; White makes a pair with one only where allowed."""
    kind = claim.caishen.kind
    if kind is None or not parameters.white_counts_as_face:
        return pairs(counts) + wild // 2
    return pairs(counts.plus(kind, wild))


_SINGLE_WAIT = (
    "A lone caishen waits for its pair and for nothing else, so only a tile drawn by himself"
    " wins (W25, E7)."
)


def _waits_otherwise(claim: Claim, parameters: Parameters) -> bool:
    """Whether the claimed tile has another place than beside a lone caishen (W25, E7).

    A claimed caishen could stand for any tile that is there already, so it is asked of the hand
    before it: sets alone, and one caishen left.
    """
    counts, wild = claim.parted
    strict = parameters.caishen_single_strict
    if claim.caishen.is_caishen(claim.tile):
        return not strict or wild != 2 or not only_sets(counts)
    kind = claim.caishen.kind_of(claim.tile)
    forgiven = not strict and kind == claim.caishen.kind
    return any(
        forgiven or not (group.is_pair and group.wild) for group in groups_with(counts, kind, wild)
    )


def _is_single_wait(reading: Reading, claim: Claim, parameters: Parameters) -> bool:
    """Whether in this reading the claimed tile can only be the pair of a lone caishen.

    Tiles of a kind change places freely: a claimed tile that also stands in a set is there.
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
