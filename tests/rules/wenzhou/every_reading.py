"""A slow search for the best reading of five sets and a pair: every reading is judged."""

from __future__ import annotations

from collections.abc import Callable

from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.tiles import CAISHEN, Caishen
from rules.games.wenzhou.wins import Claim
from rules.melds import Group, Kind, Reading, readings


def best_reading(claim: Claim, house: Parameters) -> tuple[int, Reading] | None:
    """The highest multiplier of all legal readings, and the first reading that has it."""
    counts, wild = claim.parted
    judged = [
        (multiplier(reading, claim, house), reading)
        for reading in readings(counts, wild)
        if claim.drawn or not is_single_wait(reading, claim, house)
    ]
    return max(judged, key=lambda pair: pair[0], default=None)


def multiplier(reading: Reading, claim: Claim, house: Parameters) -> int:
    """The multiplier of a reading: 4 for double, 2 for hard, 1 for soft (W25)."""
    _, wild = claim.parted
    no_chow = all(meld.what != "chow" for meld in claim.melds)
    if (
        (claim.first_turn and claim.undisturbed)
        or wild >= CAISHEN
        or len(claim.melds) == 5
        or (house.all_pungs_double and no_chow and all(each.is_triplet for each in reading.sets))
    ):
        return 4
    at_face = faces_only(claim.caishen, house)
    return 2 if claim.by != "discard" or all(map(at_face, reading.groups)) else 1


def faces_only(caishen: Caishen, house: Parameters) -> Callable[[Group], bool]:
    """A test whether each wild tile of a group is its own kind, with White beside it if allowed."""
    kind: Kind | None = caishen.kind

    def at_face(group: Group) -> bool:
        beside = kind in group.natural and not house.white_counts_as_face
        return not group.wild or (set(group.wild) == {kind} and not beside)

    return at_face


def is_single_wait(reading: Reading, claim: Claim, house: Parameters) -> bool:
    """Whether the claimed tile can only form the pair with a single caishen (W25, E7)."""
    caishen = claim.caishen
    if claim.tile == caishen.face:
        return False
    kind = caishen.kind_of(claim.tile)
    if kind == caishen.kind and not house.caishen_single_strict:
        return False
    in_a_set = any(kind in group.natural for group in reading.sets)
    return len(reading.pair.wild) == 1 and kind in reading.pair.natural and not in_a_set
