"""House rules of Filipino mahjong: set-up, play and payments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.errors import IllegalSetupError
from rules.tiles import Face

SEATS = 4
TILES = 144
SETS = 5
"""A winning hand's sets, beside its pair (F26)."""
MANO_BATCHES = ((9, 8), (8, 9), (8, 8, 1))


@dataclass(frozen=True)
class Parameters:
    """The house's choices; amounts are in units, and "all round" is from each of the others.

    Set-up:
    `plus_n_range`: instead of his second throw the roller may say "plus n", n from the first of
    these numbers to the last; without numbers he throws twice (F6).
    `columns`: of each wall, uneven ones too (F4).
    `mano_batches`: how mano takes his 17 tiles (F9).
    `replacement_end`: standing columns go from the gap backwards, or from outside (F13).
    `replacement_by`: everybody replaces in turn, or each until he has no flores left (F12).
    `second_flores`: whether mano takes that too, or it stays in the wall, face up (F16).
    `honours_as_flores`: winds and dragons are flores (F2), or tiles of play (Visayan rules).

    Play:
    `joker_in_melds`: a joker may stand in a called set and in a kong (F25).
    `joker_discard`: a discarded joker is claimed as its face, lies dead, or is forbidden (F25).
    `multi_win`: who wins where several may: the discarder's upper seat first, or the next in turn
    (F33, A2).
    `kong_secret`: a concealed kong may stay covered (F23).
    `seven_first_open`: the set beside the seven pairs may be a called one (A6).
    `exhaust_reserve`: tiles that are not drawn, beside the joker (F37).
    `after_false_win`: who showed a hand that does not win plays on without winning or claiming, or
    the hand ends (F35 tells the payment only).

    Money:
    `unit`: what one of all the amounts below is worth.
    `flores_bonus`: all round, for few or many flores (F18, F21).
    `bonus_low`, `bonus_high`: the most flores that are few, the least that are many.
    `kong_bonus`: all round, for each kong (F23).
    `discard_win`: a win on a discard, from the discarder alone (F29).
    `self_win`: a win by one's own draw, all round (F29).
    `robbing_win`: all round, for the tile added to a pong (F32).
    `special_win`: all round, for seven first and escalera (F27, F28).
    `big_win`: all round, without flores or on a single joker (F30, F31).
    `false_win`: to each, for a hand that does not win (F35).
    `hi_alai`: all round, for as many chips as `chip_target` says (F34).
    `chip_target`: that many chips.
    `chips_discard`, `chips_robbing`, `chips_self`, `chips_special`: chips for those wins (F34, A9).
    `stack`: of several special features the highest counts, or all of them (F38).
    `back_to_back`, `middle`: more from each payer for waiting on two pairs, or between two tiles.
    `pairs_double`: two alike in the roller's throw double every amount of the hand.
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
                f"Walls of {self.columns} columns do not hold {TILES} tiles two high; the four"
                f" lengths add up to {TILES // 2}."
            )
        if self.plus_n_range and not _within_a_die(self.plus_n_range):
            raise IllegalSetupError(
                f"A plus_n_range of {self.plus_n_range} is none: it has a least and a greatest n,"
                " from 1 to 6, as [1, 6]; or nothing, where nobody says 'plus n'."
            )
        if self.mano_batches not in MANO_BATCHES:
            raise IllegalSetupError(
                f"Mano cannot take his tiles as {self.mano_batches}; offered: {MANO_BATCHES}."
            )
        for name in (*_FROM_ZERO, *_FROM_ONE):
            least = int(name in _FROM_ONE)
            if getattr(self, name) < least:
                raise IllegalSetupError(
                    f"{name} cannot be {getattr(self, name)}; give {least} or a larger number."
                )
        if self.bonus_low >= self.bonus_high:
            raise IllegalSetupError(
                f"Flores cannot be few up to {self.bonus_low} and many from {self.bonus_high} on;"
                " give a bonus_low below bonus_high."
            )

    @property
    def flores(self) -> int:
        """How many tiles of the set are flores (F3)."""
        return 36 if self.honours_as_flores else 8

    def is_flores(self, face: Face | None) -> bool:
        """Whether that face is a flores; a tile that nobody saw counts as a number tile."""
        return face is not None and face[-1] in ("zf" if self.honours_as_flores else "f")


def _within_a_die(numbers: tuple[int, ...]) -> bool:
    """Whether these are a least and a greatest number that one die can show."""
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
