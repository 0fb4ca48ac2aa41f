"""The set-up of pai gow (S1-S8, 4.3), and its house rules.

The banker names a cut, then three dice fix a seat. All eight positions receive a hand, including
empty ones (A14).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from rules.errors import IllegalSetupError
from rules.games.pai_gow.cuts import CUTS, HANDS, PILE, UserCut, cut_choices, find_cut
from rules.games.pai_gow.ranks import GeeJoonSingle, Ranking
from rules.geometry import Direction, Seat, around
from rules.setup import Game, Script, Seating, Setup, choose, throw
from rules.steps import Build, Choose, Packet, Ready

MOST_STAKED = 10_000
"""The largest stake that a house can allow, in units."""
HouseWayName = Literal["canberra", "foxwoods", "new_zealand", "california"]


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
    `dead_hand`: hands of positions where nobody sits go back unseen, or are shown (4.3, A14).
    `gee_joon_single`: where a lone Gee Joon tile ranks: 2-4 under the sevens and 1-2 last, or both
    last (4.2).
    `banker_wins_copies`, `zero_zero_to_banker`: equal hands, and two of 0, go to the banker (4.2);
    else a copy is nobody's, and zeros are told apart by their stronger tile.
    `commission`: the house's part of what a player wins (4.2).
    `bank_commission`: the bank pays it too, on what it wins from all players together.
    `house_way`: how the house sets its own hands, and any hand that it is asked to set (4.3).
    `house_seats`: seats that the house plays itself, by the house way (4.3).
    `banker_sets_last`: the banker sets his hand when all players have (4.3).
    `bank_direction`: which way round the table the bank is offered (4.3).
    `bank_may_be_declined`: a player may pass the bank on (4.3).
    `hands_as_bank`: hands that a player keeps the bank before it is offered on (4.3).
    `highest_stake`: each player is asked for his stake before the cut, from 1 to this (section 5);
    1: nobody is asked, and every stake is 1.
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
    dead_hand: Literal["unseen", "shown"] = "unseen"
    gee_joon_single: GeeJoonSingle = "split"
    banker_wins_copies: bool = True
    zero_zero_to_banker: bool = True
    commission: float = 0.05
    bank_commission: bool = False
    house_way: HouseWayName = "canberra"
    house_seats: tuple[Seat, ...] = ()
    banker_sets_last: bool = True
    bank_direction: Direction = "counter_clockwise"
    bank_may_be_declined: bool = True
    hands_as_bank: int = 1
    highest_stake: int = 1

    def __post_init__(self) -> None:
        if len(set(self.cuts)) < len(self.cuts):
            raise IllegalSetupError(
                f"A cut is listed twice among {', '.join(self.cuts)}; name it once."
            )
        if self.cut_default not in self.cuts:
            raise IllegalSetupError(
                f"The default cut '{self.cut_default}' is not offered; take one of"
                f" {', '.join(self.cuts)}."
            )
        if not 0 <= self.commission < 1:
            raise IllegalSetupError(
                f"A commission of {self.commission} is no part of a win; give 0.05 for 5 %."
            )
        if self.hands_as_bank < 1:
            raise IllegalSetupError(
                f"Nobody can keep the bank for {self.hands_as_bank} hands; give 1 or more."
            )
        if not 1 <= self.highest_stake <= MOST_STAKED:
            raise IllegalSetupError(
                f"The highest stake is {self.highest_stake}; give 1 to {MOST_STAKED} units."
            )
        beyond = [seat for seat in self.house_seats if not 0 <= seat < HANDS]
        if beyond:
            raise IllegalSetupError(
                f"The house cannot play seat {beyond[0]}; there are 0 to {HANDS - 1}."
            )

    @property
    def cuts(self) -> tuple[str, ...]:
        """Every cut with its options that a banker may name here."""
        return cut_choices(
            self.allowed_cuts,
            combine=self.allow_reverse_bottom_combo,
            user_cuts=self.user_cuts,
        )

    @cached_property
    def ranking(self) -> Ranking:
        """The order of two-tile hands in this house (4.2)."""
        return Ranking(self.gee_joon_single, self.zero_zero_to_banker)

    @property
    def commission_rate(self) -> Fraction:
        """The commission exactly as it is written: 0.05 is a twentieth."""
        return Fraction(str(self.commission))


def stake_question(seat: Seat) -> str:
    """What a player is asked before the cut; also the name of the answer."""
    return f"stake of seat {seat}"


def stakes_of(setup: Setup) -> tuple[int, ...]:
    """Each seat's stake by the answers of the set-up; 1 where nobody was asked."""
    answers = {step.what: outcome for step, outcome in setup.done if isinstance(step, Choose)}
    stakes = (answers.get(stake_question(seat), 1) for seat in range(setup.seating.players))
    return tuple(stake if isinstance(stake, int) else 1 for stake in stakes)


def script(seating: Seating, parameters: Parameters) -> Script:
    """From the shuffled set to eight hands of four (5). The cut comes before the dice (S1).

    Stakes are locked before the cut is named (5).
    """
    banker = seating.dealer
    yield Build(PILE)
    if parameters.highest_stake > 1:
        stakes = range(1, parameters.highest_stake + 1)
        for seat in around(banker, HANDS, parameters.deal_direction)[1:]:
            if seat < seating.players:
                yield from choose(seat, stake_question(seat), stakes, 1)

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
