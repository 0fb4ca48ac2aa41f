"""Set-up of Wenzhou mahjong (W1-W13, W23): hands of sixteen tiles; the indicator in the wall.

Two customs need no parameter, because they do not change the place of any tile: walls whose rows
lie side by side instead of one on the other (W3), and an indicator that is put aside until the end
of the deal (W12).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Literal

from rules.errors import IllegalSetupError
from rules.geometry import UPPER, Seat, WallPlace, Walls, count_seats, counter_clockwise
from rules.setup import Game, Script, Seating, see, throw
from rules.steps import Build, Packet, Ready, TurnUp

SEATS = 4
COLUMNS = 17
PACKET = 4
ROUNDS = 4
TILES_AFTER_THE_DEAL = 71


@dataclass(frozen=True)
class Parameters:
    """House rules of Wenzhou mahjong; the defaults are the written rules.

    `dealer_scale`: the dealer's figure in his first, second ... hand in a row (W31).
    `after_fourth`: after the last figure the deal passes, or the seats are drawn again (W33).
    `reserve`: tiles that stay in the wall (W29).
    `kong_source`: a kong's replacement comes from the wall's end, or is an ordinary draw (W23).
    `pong_pass_lock`: a seat that passed a pong cannot pong that kind before its next turn (W20).
    `white_counts_as_face`: White and caishen can form a pair or a triplet at face value.
    `caishen_single_strict`: a hand that waits for the pair of a single caishen wins on no discard,
    not even on one of the caishen's own kind (E7).
    `any_tile_wait_discard`: a hand that already has eight pairs wins on any discard (E8).
    `three_caishen_any_on_discard`: three caishen and any tiles can win on a discard (E9).
    `garbage_first_turn`: three caishen and any tiles never win in the first turn, or only as a hard
    hand (E10).
    `caishen_money`: amount that every other seat pays for each caishen held at the end (W35).
    `all_pungs_double`: a hand of triplets only is a double hand.
    `discard_order`: single honours are discarded first (W16, W17).
    `pong_extension_exempt`: a single honour that could be added to the seat's own pong is exempt
    from that order (E12).
    `discard_order_penalty`: amount paid to every other seat for each discard against that order
    from a hidden hand, which the rules could not refuse; the hands are shown and checked at the end
    (E16).
    `discards`: discards lie mixed in the middle, and players are not shown who discarded a tile or
    from whom a set was claimed (W18); or they lie in rows before the seats, in their order.
    `seat_draw_method`: the player who throws the second time for seats (W2).
    `false_win_penalty`: a false win is paid as if every other seat had won such a hand (W36).
    `after_false_win`: after a false win the seat plays on but can neither win nor lay down sets, or
    the hand ends.
    """

    dealer_scale: tuple[int, ...] = (2, 4, 6, 8)
    after_fourth: Literal["pass", "reseat"] = "pass"
    reserve: int = 16
    kong_source: Literal["tail", "draws"] = "tail"
    pong_pass_lock: bool = False
    white_counts_as_face: bool = True
    caishen_single_strict: bool = True
    any_tile_wait_discard: bool = True
    three_caishen_any_on_discard: bool = True
    garbage_first_turn: Literal["forbid", "hard"] = "forbid"
    caishen_money: int = 0
    all_pungs_double: bool = False
    discard_order: bool = True
    pong_extension_exempt: bool = True
    discard_order_penalty: int = 0
    discards: Literal["mixed", "in_rows"] = "mixed"
    seat_draw_method: Literal["eldest", "east"] = "eldest"
    false_win_penalty: Literal["none", "soft", "hard", "double"] = "hard"
    after_false_win: Literal["dead_hand", "ends"] = "dead_hand"

    def __post_init__(self) -> None:
        if not self.dealer_scale or min(self.dealer_scale) < 1:
            raise IllegalSetupError(
                f"`dealer_scale` must have figures of at least 1, not {self.dealer_scale}; the"
                " usual scale is 2, 4, 6, 8."
            )
        if not 0 <= self.reserve < TILES_AFTER_THE_DEAL:
            raise IllegalSetupError(
                f"`reserve` must be at least 0 and less than the {TILES_AFTER_THE_DEAL} tiles after"
                f" the deal, not {self.reserve}; 16 is usual."
            )
        if min(self.caishen_money, self.discard_order_penalty) < 0:
            raise IllegalSetupError(
                "`caishen_money` and `discard_order_penalty` must be at least 0, not"
                f" {self.caishen_money} and {self.discard_order_penalty}."
            )


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
