"""House rules of Filipino mahjong: set-up, play and payments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.errors import IllegalSetupError
from rules.tiles import Face

SEATS = 4
TILES = 144
SETS = 5
"""The number of sets of a winning hand, in addition to its pair (F26)."""
MANO_BATCHES = ((9, 8), (8, 9), (8, 8, 1))


@dataclass(frozen=True)
class Parameters:
    """House rules of Filipino mahjong; amounts are in units, "all pay" is every other seat.

    Set-up:
    `plus_n_range`: the roller can say "plus n" instead of a second throw, n from the first of these
    numbers to the last; without numbers he throws twice (F6).
    `columns`: columns of each wall; the walls can differ (F4).
    `mano_batches`: the packets in which mano takes 17 tiles (F9).
    `replacement_end`: replacements come from the gap backwards, or from the outer end of the
    standing columns (F13).
    `replacement_by`: players replace flores in turn, or each until he has no flores left (F12).
    `second_flores`: mano takes a second flores turned up, or it stays in the wall, face up (F16).
    `honours_as_flores`: winds and dragons are flores (F2), or ordinary tiles (Visayan rules).

    Play:
    `joker_in_melds`: a called set and a kong can contain a joker (F25).
    `joker_discard`: a discarded joker counts as its face, cannot be claimed, or is forbidden (F25).
    `multi_win`: of several wins on a tile, that of the discarder's upper seat counts, or that of
    the next in turn (F33, A2).
    `kong_secret`: a concealed kong can lie face down (F23).
    `seven_first_open`: the set in addition to the seven pairs can be a called one (A6).
    `exhaust_reserve`: tiles that are not drawn, in addition to the joker (F37).
    `discards`: discards lie mixed in the middle, and players are not shown who discarded a tile or
    from whom a set was claimed (F19); or they lie in rows before the seats, in their order.
    `after_false_win`: after a false win the seat plays on but cannot win or claim, or the hand ends
    (F35 names only the payment).

    Money:
    `unit`: the value of one unit; all amounts below are in units.
    `flores_bonus`: all pay, for few or many flores (F18, F21).
    `bonus_low`, `bonus_high`: the largest number that is few, the smallest that is many.
    `kong_bonus`: all pay, for each kong (F23).
    `discard_win`: a win on a discard; only the discarder pays (F29).
    `self_win`: a win by the winner's own draw; all pay (F29).
    `robbing_win`: a win on a tile added to a pong; all pay (F32).
    `special_win`: all pay, for seven first and escalera (F27, F28).
    `big_win`: all pay, for no flores or a single joker (F30, F31).
    `false_win`: paid to every other seat, for a hand that does not win (F35).
    `hi_alai`: all pay a player who reaches `chip_target` chips (F34).
    `chip_target`: the number of chips for Hi-Alai (F34).
    `chips_discard`, `chips_robbing`, `chips_self`, `chips_special`: chips for those wins (F34, A9).
    `stack`: of several special features only the highest counts, or all of them (F38).
    `back_to_back`, `middle`: extra from each payer, for waiting on two pairs or between two tiles.
    `pairs_double`: equal dice in the roller's throw double every amount of the hand.
    """

    plus_n_range: tuple[int, ...] = ()
    columns: tuple[int, int, int, int] = (18, 18, 18, 18)
    mano_batches: tuple[int, ...] = (9, 8)
    replacement_end: Literal["gap", "outer"] = "gap"
    replacement_by: Literal["round", "immediate"] = "round"
    second_flores: Literal["mano", "stays"] = "mano"
    honours_as_flores: bool = True

    joker_in_melds: bool = True
    joker_discard: Literal["as_face", "dead", "forbidden"] = "as_face"
    multi_win: Literal["upper_seat_first", "next_in_turn"] = "upper_seat_first"
    kong_secret: bool = True
    seven_first_open: bool = True
    exhaust_reserve: int = 0
    discards: Literal["mixed", "in_rows"] = "mixed"
    after_false_win: Literal["dead_hand", "ends"] = "dead_hand"

    unit: int = 1
    flores_bonus: int = 5
    bonus_low: int = 0
    bonus_high: int = 13
    kong_bonus: int = 5
    discard_win: int = 10
    self_win: int = 10
    robbing_win: int = 10
    special_win: int = 10
    big_win: int = 15
    false_win: int = 10
    hi_alai: int = 5
    chip_target: int = 5
    chips_discard: int = 1
    chips_robbing: int = 1
    chips_self: int = 2
    chips_special: int = 2
    stack: Literal["max", "sum"] = "max"
    back_to_back: int = 0
    middle: int = 0
    pairs_double: bool = False

    def __post_init__(self) -> None:
        if len(self.columns) != SEATS or min(self.columns) < 1 or 2 * sum(self.columns) != TILES:
            raise IllegalSetupError(
                f"Walls of {self.columns} columns do not hold {TILES} tiles in two levels; the four"
                f" numbers of `columns` must add up to {TILES // 2}."
            )
        if self.plus_n_range and not _within_a_die(self.plus_n_range):
            raise IllegalSetupError(
                f"`plus_n_range` must be a least and a greatest n from 1 to 6, as [1, 6], or empty"
                f" for no 'plus n', not {self.plus_n_range}."
            )
        if self.mano_batches not in MANO_BATCHES:
            raise IllegalSetupError(
                f"`mano_batches` must be one of {MANO_BATCHES}, not {self.mano_batches}."
            )
        for name in (*_FROM_ZERO, *_FROM_ONE):
            least = int(name in _FROM_ONE)
            if getattr(self, name) < least:
                raise IllegalSetupError(
                    f"`{name}` must be at least {least}, not {getattr(self, name)}."
                )
        if self.bonus_low >= self.bonus_high:
            raise IllegalSetupError(
                f"`bonus_low` must be below `bonus_high`, not {self.bonus_low} and"
                f" {self.bonus_high}."
            )

    @property
    def flores(self) -> int:
        """The number of flores in the set (F3)."""
        return 36 if self.honours_as_flores else 8

    def is_flores(self, face: Face | None) -> bool:
        """Whether that face is a flores; an unknown tile counts as a number tile."""
        return face is not None and face[-1] in ("zf" if self.honours_as_flores else "f")


def _within_a_die(numbers: tuple[int, ...]) -> bool:
    """Whether these are a least and a greatest number between 1 and 6."""
    return len(numbers) == 2 and 1 <= numbers[0] <= numbers[1] <= 6


_FROM_ZERO = (
    "exhaust_reserve",
    "flores_bonus",
    "bonus_low",
    "kong_bonus",
    "discard_win",
    "self_win",
    "robbing_win",
    "special_win",
    "big_win",
    "false_win",
    "hi_alai",
    "chips_discard",
    "chips_robbing",
    "chips_self",
    "chips_special",
    "back_to_back",
    "middle",
)
_FROM_ONE = ("unit", "chip_target")
