"""Set-up of pai gow (S1-S8, 4.3), and its house rules.

The banker names a cut, then three dice decide the start seat. All eight positions receive a hand,
including empty ones (A14).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from rules.errors import IllegalSetupError
from rules.games.pai_gow.cuts import CUTS, HANDS, PILE, UserCut, cut_choices, find_cut
from rules.games.pai_gow.ranking import GeeJoonSingle, Ranking
from rules.geometry import Direction, Seat, around
from rules.setup import Game, Script, Seating, Setup, choose, throw
from rules.steps import Build, Choose, Packet, Ready

MOST_DICE = 6
"""The most dice of a throw for the start seat (our choice)."""
MOST_STAKED = 10_000
"""The largest stake that a house can allow, in units."""
HouseWayName = Literal["canberra", "foxwoods", "new_zealand", "california"]


@dataclass(frozen=True)
class Parameters:
    """House rules of pai gow.

    `cut_default`: the cut if the banker names none (S4).
    `allowed_cuts`: those of the eight cuts that this house offers (S3).
    `user_cuts`: cuts of the house's own, offered by their names (S3).
    `allow_reverse_bottom_combo`: REVERSE and BOTTOM can be combined (A3).
    `pile_view`: the cuts' right and left are the operator's or the banker's, who faces him (A2).
    `n_dice`: number of dice thrown for the start seat (4.3).
    `count_direction`: direction in which the dice are counted from the banker (4.3).
    `deal_direction`: direction in which hands 1 to 8 are dealt from the start seat (A13).
    `physical_setup`: the pile is moved to show the cut, or the same hands are dealt without moving
    it (S5).
    `dead_hand`: hands of empty positions go back unseen, or are shown (4.3, A14).
    `gee_joon_single`: rank of a single Gee Joon tile: 4-2 under the sevens and 2-1 last, or both
    last (4.2).
    `banker_wins_copies`, `zero_zero_to_banker`: equal hands, and two hands of 0, go to the banker
    (4.2); otherwise no side wins a copy, and the stronger tile decides between hands of 0.
    `commission`: the house's share of a player's win (4.2).
    `bank_commission`: the bank pays the commission too, on its net win from all players.
    `house_way`: the way in which the house sets its own hands, and hands on request (4.3).
    `house_seats`: seats that the house plays, by the house way (4.3).
    `banker_sets_last`: the banker sets his hand after all players (4.3).
    `bank_direction`: direction in which the bank is offered (4.3).
    `bank_may_be_declined`: a player can decline the bank (4.3).
    `hands_as_bank`: number of hands for which a player keeps the bank (4.3).
    `highest_stake`: each player chooses a stake from 1 to this before the cut (section 5); with 1,
    no player is asked, and every stake is 1 unless a case or a reported result gives another.
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
                f"The cuts {', '.join(self.cuts)} name one cut twice; name each cut once."
            )
        if self.cut_default not in self.cuts:
            raise IllegalSetupError(
                f"`cut_default` must be one of {', '.join(self.cuts)}, not '{self.cut_default}'."
            )
        if not 1 <= self.n_dice <= MOST_DICE:
            raise IllegalSetupError(
                f"`n_dice` must be 1 to {MOST_DICE} dice, not {self.n_dice} (4.3)."
            )
        if not 0 <= self.commission < 1:
            raise IllegalSetupError(
                f"`commission` must be at least 0 and less than 1, not {self.commission}; give 0.05"
                " for 5 %."
            )
        if self.hands_as_bank < 1:
            raise IllegalSetupError(
                f"`hands_as_bank` must be at least 1, not {self.hands_as_bank}."
            )
        if not 1 <= self.highest_stake <= MOST_STAKED:
            raise IllegalSetupError(
                f"`highest_stake` must be 1 to {MOST_STAKED} units, not {self.highest_stake}."
            )
        beyond = [seat for seat in self.house_seats if not 0 <= seat < HANDS]
        if beyond:
            raise IllegalSetupError(
                f"`house_seats` has seat {beyond[0]}; seats are 0 to {HANDS - 1}."
            )

    @property
    def cuts(self) -> tuple[str, ...]:
        """Every cut, with its options, that a banker can name in this house."""
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
    def most_staked(self) -> int:
        """The largest stake that a case or a reported result can have, in units (section 5)."""
        return self.highest_stake if self.highest_stake > 1 else MOST_STAKED

    @property
    def commission_rate(self) -> Fraction:
        """The commission as an exact fraction: 0.05 is 1/20."""
        return Fraction(str(self.commission))


def stake_question(seat: Seat) -> str:
    """The question to a player before the cut; also the key of the answer."""
    return f"stake of seat {seat}"


def stakes_of(setup: Setup) -> tuple[int, ...]:
    """The stake of each seat from the answers of the set-up; 1 for a seat that was not asked."""
    answers = {step.what: outcome for step, outcome in setup.done if isinstance(step, Choose)}
    stakes = (answers.get(stake_question(seat), 1) for seat in range(setup.seating.players))
    return tuple(stake if isinstance(stake, int) else 1 for stake in stakes)


def script(seating: Seating, parameters: Parameters) -> Script:
    """The script from the shuffled set to eight hands of four tiles (5).

    The order is stakes, cut, dice: stakes are fixed before the cut (5), the cut is named before the
    dice are thrown (S1).
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
