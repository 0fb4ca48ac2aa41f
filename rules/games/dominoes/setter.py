"""Finds the setter from known tiles (C5-C7, 2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from rules.games.dominoes.position.bones import halves, is_doublet, pips
from rules.games.dominoes.variants import Parameters
from rules.geometry import Seat
from rules.tiles import Face

Hands = Mapping[Seat, Sequence[Face]]


def lightest(lots: Mapping[Seat, Face]) -> tuple[Seat, ...]:
    """The seats whose lots have the fewest pips; several of them draw again (C5, C7)."""
    fewest = min(pips(lot) for lot in lots.values())
    return tuple(seat for seat, lot in lots.items() if pips(lot) == fewest)


def heaviest_doublet(hands: Hands) -> Seat | None:
    """The holder of the highest doublet, or None if no hand has a doublet."""
    doublets = [
        (pips(tile), seat) for seat, hand in hands.items() for tile in hand if is_doublet(tile)
    ]
    return max(doublets)[1] if doublets else None


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
