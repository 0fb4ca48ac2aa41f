"""House rules of Wenzhou mahjong (section 5 of its rules)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.errors import IllegalSetupError

TILES_AFTER_THE_DEAL = 71


@dataclass(frozen=True)
class Parameters:
    """The house's rules; the defaults are the rules as written down.

    `dealer_scale`: the dealer's figure in his first, second ... hand in a row (W31).
    `after_fourth`: after his last figure the deal passes, or the seats are drawn anew (W33).
    `reserve`: tiles that stay in the wall (W29).
    `kong_source`: a kong's replacement comes from the wall's end, or is an ordinary draw (W23).
    `pong_pass_lock`: who passed a pong may not pong that kind before his next turn (W20).
    `white_counts_as_face`: White and caishen may be one pair or triplet at face value.
    `caishen_single_strict`: a lone caishen's wait takes no discard at all, not even its own
    kind (E7).
    `any_tile_wait_discard`: eight pairs in hand already take any discard (E8).
    `three_caishen_any_on_discard`: three caishen and anything may win on a discard (E9).
    `garbage_first_turn`: such a hand never wins in the first turn, or only as hard (E10).
    `caishen_money`: what everybody else pays for each caishen held at the end (W35).
    `all_pungs_double`: nothing but triplets is a double hand.
    `discard_order`: single honours go first (W16, W17).
    `pong_extension_exempt`: not so a single honour that could join its own pong (E12).
    `discard_order_penalty`: what each discard against that order costs, to each of the others,
    where the hand was hidden and the rules could not refuse it; the hands are then shown and
    checked (E16).
    `seat_draw_method`: who throws the second time for seats (W2).
    `false_win_penalty`: a false win pays as if each other had won such a hand (W36).
    `after_false_win`: the seat plays on and may neither win nor lay down sets, or the hand ends.
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
    seat_draw_method: Literal["eldest", "east"] = "eldest"
    false_win_penalty: Literal["none", "soft", "hard", "double"] = "hard"
    after_false_win: Literal["dead_hand", "ends"] = "dead_hand"

    def __post_init__(self) -> None:
        if not self.dealer_scale or min(self.dealer_scale) < 1:
            raise IllegalSetupError(
                f"A dealer's scale of {self.dealer_scale} has no figure of 1 or more for every"
                " hand; 2, 4, 6, 8 is usual."
            )
        if not 0 <= self.reserve < TILES_AFTER_THE_DEAL:
            raise IllegalSetupError(
                f"A reserve of {self.reserve} tiles cannot stay in a wall that has"
                f" {TILES_AFTER_THE_DEAL} after the deal; 16 is usual."
            )
        if min(self.caishen_money, self.discard_order_penalty) < 0:
            raise IllegalSetupError("Caishen money and penalties are amounts of 0 or more.")
