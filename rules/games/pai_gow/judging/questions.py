"""Rulings of pai gow besides a comparison of hands: cuts that the house offers, the next banker."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from rules.errors import RulesError
from rules.games.pai_gow.cuts import CUTS, HANDS, find_cut
from rules.games.pai_gow.match import PaiGowMatch
from rules.games.pai_gow.setup import Parameters
from rules.geometry import Seat, around
from rules.judging.judge_checks import check_range, check_seats, refuse
from rules.judging.judge_registry import Verdict


@dataclass(frozen=True)
class CutCalled:
    """Whether a banker may call a cut in this house, and which tiles form each hand (S3, 4.1)."""

    cut: str
    """The cut as it is called, such as `cup_say` or `cup_say+reverse`."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        if len(self.cut) > 80:
            refuse(["cut: The name of a cut has at most 80 characters."])

    def verdict(self) -> Verdict:
        """The verdict, valid if the house offers the cut."""
        house = self.parameters
        if self.cut not in house.cuts:
            names = ", ".join((*house.allowed_cuts, *(own.name for own in house.user_cuts)))
            known = self.cut.partition("+")[0] in CUTS
            why = "is not offered in this house" if known else "is not a cut"
            reason = f"'{self.cut}' {why}; the house offers {names} (S3)."
            return Verdict(legal=False, name="not allowed", reasons=(reason,))
        try:
            cut = find_cut(self.cut, house.user_cuts)
        except RulesError as error:
            return Verdict(legal=False, name="not allowed", reasons=(str(error),))
        hands = tuple(
            f"Hand {number}: {' '.join(map(str, places))}."
            for number, places in enumerate(cut.hands, 1)
        )
        return Verdict(
            legal=True, name=self.cut, reasons=(f"'{self.cut}' is offered (S3).", *hands)
        )


@dataclass(frozen=True)
class NextBanker:
    """Who is offered the bank next (4.3)."""

    banker: Seat
    """The banker of the hand that is over."""
    players: int
    """The number of players."""
    banked: int = 1
    """The number of hands in a row that the banker has banked, including this one."""
    declined: tuple[Seat, ...] = ()
    """The seats that have declined the bank since, in order."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        refuse(check_range("players", self.players, 2, HANDS, "4.3"))
        refuse(check_seats({"banker": self.banker}, self.players))
        refuse(check_range("banked", self.banked, 1, self.parameters.hands_as_bank, "4.3"))
        for seat in self.declined:
            refuse(check_seats({"declined": seat}, self.players))

    def verdict(self) -> Verdict:
        """The verdict, whose reasons name the next banker."""
        house = self.parameters
        keeps = self.banked < house.hands_as_bank
        ring = around(self.banker, HANDS, house.bank_direction)
        others = [seat for seat in ring if seat < self.players][1:]
        match = PaiGowMatch(house, self.banker if keeps else others[0], (0,) * self.players)
        for seat in self.declined:
            if seat != match.dealer:
                why = f"Seat {seat} is not offered the bank; seat {match.dealer} is (4.3)."
                return Verdict(legal=False, name="not allowed", reasons=(why,))
            try:
                match = match.decline()
            except RulesError as error:
                return Verdict(legal=False, name="not allowed", reasons=(str(error),))
        if match.over:
            reason = "Every player has declined and the house plays no seat; the match is over."
            return Verdict(legal=True, name="no banker", reasons=(reason,))
        reason = f"Seat {match.dealer} is offered the bank (4.3)."
        return Verdict(legal=True, name="next banker", reasons=(reason,))


QUESTIONS: Final = {"cut": CutCalled, "banker": NextBanker}
"""The questions besides a comparison of hands, by the value of `ask`."""
