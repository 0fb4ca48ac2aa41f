"""Set-up of every domino game: boneyard, hands dealt one tile at a time, the setter (C1-C8).

The table does not see the hands. If a tile in a hand decides who sets, the set-up asks the players;
the answer `unseen` leaves the setter open.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

from rules.errors import IllegalSetupError
from rules.games.dominoes.setter import lightest
from rules.games.dominoes.variants import Parameters, Way
from rules.geometry import Boneyard, BoneyardPlace, Seat, around
from rules.setup import Script, Seating, choose, see
from rules.steps import Build, DrawLot, Outcome, Packet, Ready, ReturnLots, Step
from rules.tiles import Face

BONEYARD = Boneyard(28)
SETTER = "setter"
"""The question to the players if a tile in a hand decides who sets."""
SINGLES = 21
"""The number of tiles that are not doublets; if players hold more tiles, one of them has a
doublet."""

Order = tuple[Seat, ...]
Finding = Generator[Step, Outcome, Seat | None]


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
