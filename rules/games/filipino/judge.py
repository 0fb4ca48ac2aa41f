"""The judge of Filipino mahjong: whether a claimed win is valid, and who pays (F24-F38)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from rules.games.filipino import score
from rules.games.filipino.case import Case, Rival, concealed, meld_of, recorded_case
from rules.games.filipino.parameters import SEATS, Parameters
from rules.games.filipino.score import Price, Won, false_win, how, price
from rules.games.filipino.wins import Declared, WinningHand, winning_hand
from rules.geometry import Seat, count_seats
from rules.judging import Verdict, check_range, check_seats, check_takers, refuse

__all__ = ["QUESTIONS", "Case", "judge", "recorded_case"]


def judge(case: Case) -> Verdict:
    """The verdict on the claim of `case.seat`."""
    own = case.claimants[0]
    hand, wins = claimed_hand(case, own), _wins(case)
    if isinstance(hand, str):
        return _false_win(case, hand, wins)
    winner, best = _first_winner(case, [(own, hand), *wins])
    priced = _priced(case, winner, best)
    reasons = (*priced.reasons, f"The winner takes {priced.chips} chips (F34).")
    if winner is not own:
        before = f"Seat {winner.seat} comes before seat {case.seat} on this tile (F33)."
        reasons = (before, *reasons)
    return Verdict(
        legal=winner is own,
        win=winner is own,
        name=priced.name,
        payments=priced.payments,
        reasons=reasons,
        winner=winner.seat,
    )


def claimed_hand(case: Case, claimant: Rival) -> WinningHand | str:
    """The winning hand of a claimant, or the sentence that says why its tiles do not win."""
    if case.taken and case.tile == case.joker and case.parameters.joker_discard == "dead":
        return f"A discarded joker '{case.joker}' cannot be claimed in this house (F25)."
    hand = winning_hand(_declared(case, claimant), case.parameters)
    return hand or "These tiles are not five sets and a pair, nor seven pairs and a set (F26)."


def _priced(case: Case, winner: Rival, best: WinningHand) -> Price:
    source = case.discarder if case.taken else None
    won = Won(winner.seat, best, how(case.by), source, winner.flores)
    return price(won, case.parameters, case.stakes)


def _false_win(case: Case, why: str, wins: list[tuple[Rival, WinningHand]]) -> Verdict:
    """The verdict on tiles that do not win: their seat pays each of the others (F35).

    Another seat can win on the same tile, unless a false win ends the hand in this house.
    """
    payments = false_win(case.seat, case.parameters, case.stakes)
    reasons: tuple[str, ...] = (why, "The seat pays every other seat for the false win (F35).")
    who = None
    if wins and case.parameters.after_false_win == "ends":
        reasons += ("A false win ends the hand in this house; no other claim wins (F35).",)
    elif wins:
        winner, best = _first_winner(case, wins)
        priced, who = _priced(case, winner, best), winner.seat
        chips = f"The winner takes {priced.chips} chips (F34)."
        wins_now = f"Seat {who} wins on this tile: {priced.name} (F33)."
        reasons += (wins_now, *priced.reasons, chips)
        payments += priced.payments
    return Verdict(legal=False, name="false win", payments=payments, reasons=reasons, winner=who)


def _wins(case: Case) -> list[tuple[Rival, WinningHand]]:
    """The valid claims of the other seats."""
    judged = ((each, claimed_hand(case, each)) for each in case.claims)
    return [(rival, hand) for rival, hand in judged if isinstance(hand, WinningHand)]


def _first_winner(
    case: Case, winners: list[tuple[Rival, WinningHand]]
) -> tuple[Rival, WinningHand]:
    """The winner with priority, if several seats win on the same tile (F33, A2)."""
    if len(winners) == 1 or case.discarder is None:
        return winners[0]
    way = -1 if case.parameters.multi_win == "upper_seat_first" else 1
    discarder = case.discarder
    return min(winners, key=lambda one: way * (one[0].seat - discarder) % SEATS)


def _declared(case: Case, claimant: Rival) -> Declared:
    return Declared(
        concealed=concealed(case, claimant),
        joker=case.joker,
        tile=case.tile,
        taken=case.taken,
        melds=tuple(meld_of(tiles, case.joker) for tiles in claimant.melds),
    )


@dataclass(frozen=True)
class Mano:
    """Which seat is mano after the roller's throws (F6, F7; cases FM-01 and FM-02)."""

    roller: Seat
    """The seat that throws."""
    dice: tuple[int, ...]
    """The faces of the two throws, or of the one throw before "plus n"."""
    plus: int | None = None
    """The number that the roller says in place of the second throw."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        refuse(check_seats({"roller": self.roller}, SEATS))
        for face in self.dice:
            refuse(check_range("dice", face, 1, 6, "F5"))
        throws = 2 if self.plus is None else 1
        if len(self.dice) != throws:
            refuse([f"dice: The roller throws {throws} times here, not {len(self.dice)} (F6)."])
        if self.plus is not None:
            if not self.parameters.plus_n_range:
                refuse(["plus: This house does not permit 'plus n' (parameter `plus_n_range`)."])
            least, most = self.parameters.plus_n_range
            refuse(check_range("plus", self.plus, least, most, "F6"))

    def verdict(self) -> Verdict:
        """The verdict, whose reasons name mano."""
        total = sum(self.dice) + (self.plus or 0)
        mano = count_seats(self.roller, total, SEATS)
        reason = f"The sum is {total}; counted from seat {self.roller} as 1: seat {mano} (F7)."
        return Verdict(legal=True, name=f"mano is seat {mano}", reasons=(reason,))


@dataclass(frozen=True)
class Flores:
    """The payments for flores (F18, F21, A12; cases FM-09 and FM-10)."""

    flores: tuple[int, ...]
    """The flores that each seat has laid out, from seat 0 on."""
    drew: Seat | None = None
    """The seat that has just laid out its last one; left out after the joker was turned up."""
    doubled: bool = False
    """Equal dice in the roller's throw have doubled every amount, in houses with that rule."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        most = self.parameters.flores
        if len(self.flores) != SEATS:
            refuse([f"flores: Give the number of each of the {SEATS} seats, not {self.flores}."])
        for number in self.flores:
            refuse(check_range("flores", number, 0, most, "F3"))
        if sum(self.flores) > most:
            refuse([f"flores: The seats have {sum(self.flores)} flores; the set has {most} (F3)."])
        refuse(check_seats({"drew": self.drew}, SEATS))
        if self.drew is not None and not self.flores[self.drew]:
            refuse([f"drew: Seat {self.drew} has laid out no flores."])
        refuse(_check_doubled(self.doubled, self.parameters))

    def verdict(self) -> Verdict:
        """The verdict, valid if there are payments."""
        house, stakes = self.parameters, 1 + self.doubled
        if self.drew is None:
            paid = score.flores_at_the_start(self.flores, house, stakes)
        else:
            paid = score.flores_in_play(self.drew, self.flores[self.drew], house, stakes)
        limits = f"up to {house.bonus_low} or from {house.bonus_high} flores"
        when = "when the joker is turned up (F18)" if self.drew is None else "once in a hand (F21)"
        why = f"A seat with {limits} is paid {when}."
        if self.drew is not None:
            why = f"A seat is paid when it lays out flores {house.bonus_high}, {when}."
        return Verdict(legal=bool(paid), name="flores", payments=paid, reasons=(why,))


@dataclass(frozen=True)
class Kong:
    """The payments for a kong, and whether it may lie face down (F23; case FM-18)."""

    seat: Seat
    """The seat with the kong."""
    concealed: bool = False
    """All four tiles are the seat's own."""
    secret: bool = False
    """The seat declares the kong "secret" and does not show it."""
    robbed: bool = False
    """Another seat has won on the tile that was added to the pong (F32)."""
    doubled: bool = False
    """Equal dice in the roller's throw have doubled every amount, in houses with that rule."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        refuse(check_seats({"seat": self.seat}, SEATS))
        refuse(_check_doubled(self.doubled, self.parameters))
        if self.robbed and self.concealed:
            refuse(["robbed: Only a tile that is added to a pong can be robbed (F32)."])

    def verdict(self) -> Verdict:
        """The verdict, valid if the rules allow the kong in this form."""
        if self.robbed:
            why = "A kong whose added tile is robbed is not paid; the win is (F32)."
            return Verdict(legal=False, name="robbed", reasons=(why,))
        if self.secret and not (self.concealed and self.parameters.kong_secret):
            why = (
                "Only a kong of four own tiles can be declared 'secret' (F23)."
                if self.parameters.kong_secret
                else "In this house every kong is shown (parameter `kong_secret`)."
            )
            return Verdict(legal=False, name="not allowed", reasons=(why,))
        paid = score.kong(self.seat, self.parameters, 1 + self.doubled)
        why = "A kong is paid at once, and its seat takes a replacement tile (F23)."
        return Verdict(legal=True, name="kong", payments=paid, reasons=(why,))


@dataclass(frozen=True)
class Chips:
    """Whether a winner reaches Hi-Alai, and the payments (F34, A11; case FM-21)."""

    seat: Seat
    """The seat that has won the hand."""
    chips: tuple[int, ...]
    """The chips of each seat before the win, from seat 0 on."""
    won: int
    """The chips for this win: 1 or 2 in the written rules."""
    doubled: bool = False
    """Equal dice in the roller's throw have doubled every amount, in houses with that rule."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        refuse(check_seats({"seat": self.seat}, SEATS))
        refuse(_check_doubled(self.doubled, self.parameters))
        house = self.parameters
        if len(self.chips) != SEATS:
            refuse([f"chips: Give the chips of each of the {SEATS} seats, not {self.chips}."])
        for number in self.chips:
            refuse(check_range("chips", number, 0, house.chip_target - 1, "F34"))
        kinds = (house.chips_discard, house.chips_robbing, house.chips_self, house.chips_special)
        most = max(kinds) if house.stack == "max" else 4 * max(kinds)
        refuse(check_range("won", self.won, min(kinds), most, "F34"))

    def verdict(self) -> Verdict:
        """The verdict, valid if the winner reaches Hi-Alai."""
        house = self.parameters
        after, paid = score.with_chips(self.chips, self.seat, self.won, house, 1 + self.doubled)
        reached = self.chips[self.seat] + self.won >= house.chip_target
        now = ", ".join(f"seat {seat} {own}" for seat, own in enumerate(after))
        why = f"Hi-Alai is at {house.chip_target} chips (F34). Chips now: {now}."
        name = "Hi-Alai" if reached else "no Hi-Alai"
        return Verdict(legal=reached, name=name, payments=paid, reasons=(why,))


@dataclass(frozen=True)
class Claim:
    """A seat's claim on a discard."""

    seat: Seat
    """The seat that claims the discard."""
    what: Literal["win", "kong", "pong", "chow"]
    """What the seat claims the discard for."""


@dataclass(frozen=True)
class WhoGetsIt:
    """Which of several claims on a discard counts (F22, F24, F33; cases FM-20 and FM-23)."""

    discarder: Seat
    """The seat that discarded the tile."""
    claims: tuple[Claim, ...]
    """The claims of the other seats, each valid by itself."""
    parameters: Parameters = field(default_factory=Parameters)
    """The parameters of this house that differ from the defaults."""

    def __post_init__(self) -> None:
        refuse(check_seats({"discarder": self.discarder}, SEATS))
        refuse(self._wrong())

    def _wrong(self) -> Iterator[str]:
        named = [(each.seat, each.what) for each in self.claims]
        yield from check_takers(self.discarder, named, SEATS, "F22")

    def verdict(self) -> Verdict:
        """The verdict, which names the claim that counts."""
        upper = self.parameters.multi_win == "upper_seat_first"

        def before(each: Claim) -> tuple[int, int]:
            rank = {"win": 0, "kong": 1, "pong": 1, "chow": 2}[each.what]
            way = -1 if upper and each.what == "win" else 1
            return rank, way * (each.seat - self.discarder) % SEATS

        first = min(self.claims, key=before)
        reason = f"Seat {first.seat} gets the tile for its {first.what} (F24, F33)."
        name, wins = f"{first.what} of seat {first.seat}", first.what == "win"
        return Verdict(
            legal=True, name=name, reasons=(reason,), winner=first.seat if wins else None
        )


@dataclass(frozen=True)
class NextRoller:
    """Who throws for the next hand (F5, F37)."""

    roller: Seat
    """The seat that threw for the hand that is over."""
    winner: Seat | None = None
    """The seat that has won; left out if the wall was exhausted."""

    def __post_init__(self) -> None:
        refuse(check_seats({"roller": self.roller, "winner": self.winner}, SEATS))

    def verdict(self) -> Verdict:
        """The verdict, whose reasons name the next roller."""
        if self.winner is None:
            why = f"The wall is exhausted: no seat pays, and seat {self.roller} throws again (F37)."
            return Verdict(legal=True, name="drawn hand", reasons=(why,))
        why = f"The winner of the hand, seat {self.winner}, throws (F5)."
        return Verdict(legal=True, name="next roller", reasons=(why,), winner=self.winner)


def _check_doubled(doubled: bool, house: Parameters) -> Iterator[str]:
    if doubled and not house.pairs_double:
        yield "doubled: In this house equal dice do not double (parameter `pairs_double`)."


QUESTIONS: Final = {
    "mano": Mano,
    "flores": Flores,
    "kong": Kong,
    "chips": Chips,
    "claims": WhoGetsIt,
    "roller": NextRoller,
}
"""The questions besides a win, by the value of `ask`."""
