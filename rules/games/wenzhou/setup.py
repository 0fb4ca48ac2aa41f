"""Set-up of Wenzhou mahjong (W1-W13, W23): hands of sixteen tiles; the indicator in the wall.

Two customs need no parameter, because they do not change the place of any tile: walls whose rows
lie side by side instead of one on the other (W3), and an indicator that is put aside until the end
of the deal (W12).
"""

from __future__ import annotations

from itertools import islice

from rules.games.wenzhou.parameters import Parameters
from rules.geometry import UPPER, Seat, WallPlace, Walls, count_seats, counter_clockwise
from rules.setup import Game, Script, Seating, see, throw
from rules.steps import Build, Packet, Ready, TurnUp

SEATS = 4
COLUMNS = 17
PACKET = 4
ROUNDS = 4


def script(seating: Seating, parameters: Parameters) -> Script:
    """The script from the shuffled set to the dealer's first discard (W3-W13)."""
    dealer = seating.dealer
    walls = Walls.even(COLUMNS)
    yield Build(walls)

    first = sum((yield from throw(dealer, 2, "first throw")))
    roller = count_seats(dealer, first, SEATS)
    second = sum((yield from throw(roller, 2, "second throw")))

    wall = walls.open(roller, first + second)
    tiles = iter(wall.forward)
    for _ in range(ROUNDS):
        for seat in counter_clockwise(dealer, SEATS):
            yield Packet(seat, tuple(islice(tiles, PACKET)))
    yield Packet(dealer, (next(tiles),))

    indicator = WallPlace(roller, first, UPPER)
    shows = yield from see(TurnUp(indicator, roller))
    draws = tuple(place for place in tiles if place != indicator)
    undrawn = frozenset(draws)
    return Ready(
        begins=dealer,
        draws=draws,
        replacements=(
            tuple(place for place in wall.tail if place in undrawn)
            if parameters.kong_source == "tail"
            else draws
        ),
        indicator=indicator,
        shows=shows,
        opened=wall.gap,
    )


def draws_left(second: int, replacements: int = 0, reserve: int = 16) -> tuple[int, int]:
    """The number of ordinary draws of a hand, and of tiles left if it is drawn (W29, E3).

    `second` is the sum of the second throw. Draws end at the reserve, or just before the indicator
    if that comes first. In the first case each replacement tile leaves one draw less, in the second
    case it does not.
    """
    after_deal = SEATS * COLUMNS * 2 - (SEATS * PACKET * ROUNDS + 1)
    left = max(reserve, 2 * second + 2 - replacements)
    return after_deal - replacements - left, left


def draw_seats(eldest: Seat, first: int, second: int, parameters: Parameters) -> tuple[Seat, Seat]:
    """The EAST seat, and the seat that takes the first wind tile, from two throws (W2).

    The eldest throws for EAST. The eldest or EAST throws again, and the second count begins there.
    """
    east, again = east_seat(eldest, first, parameters)
    return east, count_seats(again, second, SEATS)


def east_seat(eldest: Seat, first: int, parameters: Parameters) -> tuple[Seat, Seat]:
    """The EAST seat after the first throw, and the seat that throws the second time (W2)."""
    east = count_seats(eldest, first, SEATS)
    return east, eldest if parameters.seat_draw_method == "eldest" else east


WENZHOU = Game(
    name="wenzhou",
    title="Wenzhou mahjong",
    tiles_name="mahjong_136",
    players=(4,),
    parameters=Parameters,
    script=script,
)
