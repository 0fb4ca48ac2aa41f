"""Order of discards: caishen are kept, single honours are discarded first (W16, W17, W22)."""

from __future__ import annotations

from typing import Final

from rules.games.wenzhou.setup import Parameters
from rules.games.wenzhou.state import SeatHand
from rules.games.wenzhou.tiles import CAISHEN, Caishen, SetDown
from rules.melds import Counts, Kind, is_honour
from rules.tiles import Face
from rules.values import LazyTable


def why_not_discard(
    face: Face,
    hand: SeatHand,
    caishen: Caishen,
    thrown: frozenset[Kind],
    parameters: Parameters,
) -> str | None:
    """The objection to a discard from a hand that has the tile, or None.

    The order of W16 and W17 is only required of a hand whose tiles are all known.
    """
    if caishen.is_caishen(face):
        if can_be_all_caishen(hand, caishen):
            return None
        return (
            f"'{face}' is a caishen, which cannot be discarded while the hand has another tile"
            " (W22)."
        )
    if not parameters.discard_order or caishen.face is None or hand.hidden:
        return None
    first = first_discards(hand, caishen, parameters)
    dead = first & thrown
    kind = caishen.kind_of(face)
    if dead and kind not in dead:
        return (
            f"'{face}' cannot be discarded yet: a single honour of a kind discarded before goes"
            f" first; discard {_faces(dead, caishen)} (W17)."
        )
    if first and not is_honour(kind):
        return (
            f"'{face}' cannot be discarded yet: single honours go before number tiles; discard"
            f" {_faces(first, caishen)} (W16)."
        )
    return None


def first_discards(hand: SeatHand, caishen: Caishen, parameters: Parameters) -> frozenset[Kind]:
    """The single honours of a known hand, which are discarded first (W16).

    White counts as the indicator's kind; caishen do not count (E15). An honour that could be added
    to a pong of the seat is not single (E12).
    """
    counts, _ = caishen.parted(hand.known)
    return single_honours(counts.honours, hand.melds, caishen, parameters)


def single_honours(
    honours: int, melds: tuple[SetDown, ...], caishen: Caishen, parameters: Parameters
) -> frozenset[Kind]:
    """`first_discards` for a hand whose honours are already counted (`Counts.honours`)."""
    single = _SINGLE[honours]
    if single and melds and parameters.pong_extension_exempt:
        single -= {caishen.kind_of(meld.faces[0]) for meld in melds if meld.what == "pong"}
    return single


def can_be_all_caishen(hand: SeatHand, caishen: Caishen) -> bool:
    """Whether the concealed tiles can all be caishen (W22)."""
    return len(hand.tiles) <= CAISHEN and all(map(caishen.is_caishen, hand.known))


def _faces(kinds: frozenset[Kind], caishen: Caishen) -> str:
    return " or ".join(caishen.face_of(kind) for kind in sorted(kinds))


def _once(honours: int) -> frozenset[Kind]:
    """The honours that occur once; `honours` is their number in `Counts`."""
    counts = Counts(honours=honours)
    return frozenset(kind for kind in counts.kinds() if counts.having(kind) == 1)


_SINGLE: Final[LazyTable[int, frozenset[Kind]]] = LazyTable(_once)
