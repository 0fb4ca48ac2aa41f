"""Set-up of every domino game: the set, the boneyard, the deal, the setter (C1-C8).

The table does not see the hands. If a tile in a hand decides who sets, the set-up asks the players;
the answer `unseen` leaves the setter open.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cache
from typing import Literal

from rules.errors import IllegalSetupError
from rules.games.dominoes.variants import Parameters, Way
from rules.geometry import Boneyard, BoneyardPlace, Seat, around
from rules.setup import Script, Seating, choose, see
from rules.steps import Build, DrawLot, Outcome, Packet, Ready, ReturnLots, Step
from rules.tiles import Face, tile_set

BONEYARD = Boneyard(28)
SETTER = "setter"
"""The question to the players if a tile in a hand decides who sets."""
SINGLES = 21
"""The number of tiles that are not doublets; if players hold more tiles, one of them has a
doublet."""
Order = tuple[Seat, ...]
Finding = Generator[Step, Outcome, Seat | None]
Hands = Mapping[Seat, Sequence[Face]]


def script(seating: Seating, parameters: Parameters) -> Script:
    """The script from the shuffled tiles to the first turn (C2, section 5)."""
    each = _hand(seating.players, parameters)
    yield Build(BONEYARD)

    order = around(seating.dealer, seating.players, parameters.turn)
    boneyard = list(BONEYARD.places)
    for _ in range(each):
        yield from _one_each(order, boneyard)
    begins = yield from _WAYS[parameters.setter](order, boneyard)
    return Ready(begins=begins, draws=tuple(boneyard))


def _hand(players: int, parameters: Parameters) -> int:
    """The number of tiles of a hand. Raises IllegalSetupError if the boneyard has too few tiles.

    The lots that players draw for the set are counted too.
    """
    each = parameters.hand[players - 2]
    left = BONEYARD.count - each * players
    if each < 1 or left < 0:
        raise IllegalSetupError(
            f"{players} hands of {each} tiles cannot be dealt from a boneyard of {BONEYARD.count};"
            " change `hand`."
        )
    if parameters.setter == "lightest" and left < players:
        raise IllegalSetupError(
            f"{players} players cannot draw for the set from the {left} tiles that hands of {each}"
            f" leave; deal smaller hands, or choose another `setter`."
        )
    return each


def _one_each(order: Order, boneyard: list[BoneyardPlace]) -> Generator[Step, Outcome, None]:
    for seat in order:
        yield Packet(seat, (boneyard.pop(0),))


def _rotate(order: Order, boneyard: list[BoneyardPlace]) -> Finding:
    """The dealer of the hand sets; the deal passes around the table (C5)."""
    yield from ()
    return order[0]


def _lightest(order: Order, boneyard: list[BoneyardPlace]) -> Finding:
    """The player who draws the lightest tile from the boneyard sets (C5, C7).

    The tiles drawn go back and the boneyard is mixed. Players with equal tiles draw again.
    """
    tied = order
    while len(tied) > 1:
        lots: dict[Seat, Face | None] = {}
        places = tuple(boneyard[: len(tied)])
        for seat, place in zip(tied, places, strict=True):
            lots[seat] = yield from see(DrawLot(seat, place))
        yield ReturnLots(places, tuple(boneyard))
        seen = {seat: lot for seat, lot in lots.items() if lot is not None}
        if len(seen) < len(lots):
            return None
        tied = lightest(seen)
    return tied[0]


def _by_hand(order: Order, boneyard: list[BoneyardPlace]) -> Finding:
    """The players name the setter: the holder of the heavier doublet or tile (C5), or of 6-6 (2.3).

    If 6-6 was not dealt (at Sebastopol with three players), the holder of the highest doublet sets.
    """
    return _seat_or_none((yield from _ask(order, "unseen")))


def _bergen(order: Order, boneyard: list[BoneyardPlace]) -> Finding:
    """The holder of the heavier doublet sets; while no player has one, each draws a tile (2.4)."""
    while True:
        none_yet = BONEYARD.count - len(boneyard) <= SINGLES
        named = yield from _ask(order, *(["nobody"] if none_yet else []), "unseen")
        if named != "nobody":
            return _seat_or_none(named)
        yield from _one_each(order, boneyard)


def _ask(order: Order, *others: str) -> Generator[Step, Outcome, int | str]:
    among: tuple[int | str, ...] = (*order, *others)
    return (yield from choose(order[0], SETTER, among, "unseen"))


def _seat_or_none(named: int | str) -> Seat | None:
    return named if isinstance(named, int) else None


_WAYS: dict[Way, Callable[[Order, list[BoneyardPlace]], Finding]] = {
    "rotate": _rotate,
    "lightest": _lightest,
    "doublet": _by_hand,
    "double_six": _by_hand,
    "bergen": _bergen,
}


def doublet_setter(hands: Hands, heavier: Literal["tile", "hand"] = "tile") -> Seat:
    """The holder of the highest doublet; without doublets the heavier player (C5).

    The heavier player has the heaviest tile, then the higher half on it (C6, C7). With
    `heavier="hand"` the sum of all tiles in hand is compared first.
    """
    holder = heaviest_doublet(hands)
    if holder is not None:
        return holder

    def weight(seat: Seat) -> tuple[int, int, tuple[int, int]]:
        whole = sum(pips(tile) for tile in hands[seat]) if heavier == "hand" else 0
        return whole, *max((pips(tile), halves(tile)) for tile in hands[seat])

    return max(hands, key=weight)


def heaviest_doublet(hands: Hands) -> Seat | None:
    """The holder of the highest doublet, or None if no hand has a doublet."""
    doublets = [
        (pips(tile), seat) for seat, hand in hands.items() for tile in hand if is_doublet(tile)
    ]
    return max(doublets)[1] if doublets else None


def bergen_setter(hands: Hands, boneyard: Sequence[Face], first: Seat) -> tuple[Seat, int]:
    """The setter at Bergen, and the number of tiles that each player drew (2.4).

    While no hand has a doublet, each player draws one tile from the top of the boneyard, `first`
    before the others. Only 21 tiles are not doublets, so a doublet is drawn before the boneyard is
    empty.
    """
    order = [first, *(seat for seat in hands if seat != first)]
    held = {seat: list(hands[seat]) for seat in order}
    tiles = iter(boneyard)
    rounds = 0
    while (holder := heaviest_doublet(held)) is None:
        for seat in order:
            held[seat].append(next(tiles))
        rounds += 1
    return holder, rounds


def lightest(lots: Mapping[Seat, Face]) -> tuple[Seat, ...]:
    """The seats whose lots have the fewest pips; several of them draw again (C5, C7)."""
    fewest = min(pips(lot) for lot in lots.values())
    return tuple(seat for seat, lot in lots.items() if pips(lot) == fewest)


def can_set(
    tile: Face, hand: Sequence[Face | None], parameters: Parameters, dealt_out: bool
) -> bool:
    """Whether a setter with that hand can set that tile (2.3, 2.4, DM-15).

    The deciding tile is the setter's heaviest doublet, or else the heaviest tile. Unknown tiles of
    the hand do not count against the tile. If the holder of the 6-6 sets and all tiles are dealt, a
    hand with unknown tiles can set only the 6-6.
    """
    known = [held for held in hand if held is not None]
    match parameters.set_tile:
        case "any":
            return True
        case "doublet":
            return is_doublet(tile) or not any(is_doublet(held) for held in known)
    if parameters.setter == "double_six" and dealt_out and None in hand:
        return tile == "6-6"
    return all(_weight(tile) >= _weight(held) for held in known)


def _weight(tile: Face) -> tuple[bool, int, tuple[int, int]]:
    return is_doublet(tile), pips(tile), halves(tile)


@cache
def double_six() -> tuple[Face, ...]:
    """All 28 tiles, 0-0 to 6-6 (C1)."""
    return tile_set("dominoes_28").faces


@cache
def halves(tile: Face) -> tuple[int, int]:
    """Both numbers of a tile, the higher first."""
    high, low = tile.split("-")
    return int(high), int(low)


@cache
def pips(tile: Face) -> int:
    """The sum of both numbers of a tile (C1)."""
    return sum(halves(tile))


def is_doublet(tile: Face) -> bool:
    """Whether both halves are equal (C1)."""
    high, low = halves(tile)
    return high == low


def is_matador(tile: Face) -> bool:
    """Whether the tile is 6-1, 5-2, 4-3 or 0-0, which fit any end at Matador (2.8)."""
    return pips(tile) in (0, 7)
