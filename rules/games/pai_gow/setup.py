"""Pai gow with tiles: the set-up (S1-S8, 4.3). The banker names a cut, then three dice fix a seat.

All eight positions receive a hand, whether anybody sits there or not (A14).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.cuts import CUTS, HANDS, PILE, UserCut, cut_choices, find_cut
from rules.errors import IllegalSetup
from rules.geometry import Direction, around
from rules.setup import Game, Script, Seating, choose, throw
from rules.steps import Build, Packet, Ready


@dataclass(frozen=True)
class Parameters:
    """What houses do differently.

    `cut_default`: the house way (S4).
    `allowed_cuts`: those of the eight that this house knows (S3).
    `user_cuts`: cuts of its own, offered by their names (S3).
    `allow_reverse_bottom_combo`: REVERSE and BOTTOM together (A3).
    `pile_view`: whose right and left the cuts mean; a banker faces the operator (A2).
    `n_dice`: dice thrown for the start seat (4.3).
    `count_direction`: which way the dice are counted from the banker (4.3).
    `deal_direction`: which way hands 1 to 8 go from the start seat (A13).
    `physical_setup`: show the cut by moving the pile, or deal the same hands from it as built (S5).
    """

    cut_default: str = "one_stack"
    allowed_cuts: tuple[str, ...] = tuple(CUTS)
    user_cuts: tuple[UserCut, ...] = ()
    allow_reverse_bottom_combo: bool = True
    pile_view: Literal["operator", "banker"] = "operator"
    n_dice: int = 3
    count_direction: Direction = "counter_clockwise"
    deal_direction: Direction = "counter_clockwise"
    physical_setup: bool = True

    def __post_init__(self) -> None:
        if len(set(self.cuts)) < len(self.cuts):
            raise IllegalSetup(f"A cut is listed twice among {', '.join(self.cuts)}; name it once.")
        if self.cut_default not in self.cuts:
            raise IllegalSetup(
                f"The default cut '{self.cut_default}' is not offered; take one of"
                f" {', '.join(self.cuts)}."
            )

    @property
    def cuts(self) -> tuple[str, ...]:
        """Every cut with its options that a banker may name here."""
        return cut_choices(
            self.allowed_cuts,
            combine=self.allow_reverse_bottom_combo,
            user_cuts=self.user_cuts,
        )


def script(seating: Seating, parameters: Parameters) -> Script:
    """From the shuffled set to eight hands of four (5). The cut comes before the dice (S1)."""
    banker = seating.dealer
    yield Build(PILE)

    named = yield from choose(banker, "cut", parameters.cuts, parameters.cut_default)
    cut = find_cut(named, parameters.user_cuts)
    if parameters.pile_view == "banker":
        cut = cut.mirrored()
    if parameters.physical_setup:
        yield from cut.announcing

    total = sum((yield from throw(banker, parameters.n_dice, "throw for the start seat")))
    start = around(banker, HANDS, parameters.count_direction)[(total - 1) % HANDS]

    seats = around(start, HANDS, parameters.deal_direction)
    for number, (seat, tiles) in enumerate(zip(seats, cut.hands, strict=True), 1):
        if parameters.physical_setup:
            yield from cut.before(number)
        yield Packet(seat, tiles, number)
    return Ready(begins=start)


PAI_GOW = Game(
    name="pai_gow",
    title="Pai gow",
    tiles_name="pai_gow_32",
    players=tuple(range(2, HANDS + 1)),
    parameters=Parameters,
    script=script,
    seats=HANDS,
)
