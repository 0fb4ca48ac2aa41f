"""Payments of Filipino mahjong: wins, bonuses, chips, false win (F18, F23, F27-F35, F38)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from rules.games.filipino.parameters import SEATS, Parameters
from rules.games.filipino.wins import WinningHand
from rules.geometry import Seat, counter_clockwise
from rules.play import Payment

How = Literal["discard", "self", "robbing"]
"""A tile discarded, drawn or taken as a replacement (A10), or added to another's pong (F32)."""
Payments = tuple[Payment, ...]


@dataclass(frozen=True, slots=True)
class Won:
    """A win that stands: whose, with what, and from whom the tile came if not from the wall."""

    seat: Seat
    hand: WinningHand
    how: How
    source: Seat | None
    flores: int
    """Flores that the winner has laid out."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One line of the price list that a win fits."""

    name: str
    amount: int
    chips: int
    payers: tuple[Seat, ...]
    why: str

    @property
    def worth(self) -> tuple[int, int]:
        """What the winner gets in all, then his chips: the measure of the highest (F38)."""
        return self.amount * len(self.payers), self.chips


@dataclass(frozen=True, slots=True)
class Price:
    """What a win is called and brings: payments, chips, and the reasons."""

    name: str
    payments: Payments
    chips: int
    reasons: tuple[str, ...]


def price(won: Won, house: Parameters, stakes: int = 1) -> Price:
    """The highest entry that the win fits, or all special ones where the house adds them (F38)."""
    special = _specials(won, house)
    usual = _usual(won, house)
    if house.stack == "sum":
        counted = special or (usual,)
    else:
        counted = (max((*special, usual), key=lambda entry: entry.worth),)
    extra = _wait_bonus(won, house)
    payments = [
        Payment(payer, won.seat, entry.amount * stakes * house.unit, entry.why)
        for entry in (*counted, *extra)
        for payer in _payers(entry, counted)
    ]
    return Price(
        name=", ".join(entry.name for entry in counted),
        payments=tuple(payment for payment in payments if payment.amount),
        chips=sum(entry.chips for entry in counted),
        reasons=(f"The hand reads {won.hand.reads}.", *(e.why for e in (*counted, *extra))),
    )


def all_round(seat: Seat, amount: int, why: str) -> Payments:
    """Each of the others pays that seat."""
    if not amount:
        return ()
    return tuple(Payment(other, seat, amount, why) for other in others(seat))


def to_each(seat: Seat, amount: int, why: str) -> Payments:
    """That seat pays each of the others."""
    if not amount:
        return ()
    return tuple(Payment(seat, other, amount, why) for other in others(seat))


@cache
def others(seat: Seat) -> tuple[Seat, ...]:
    """The other three, in turn order."""
    return counter_clockwise(seat, SEATS)[1:]


def flores_at_the_start(flores: tuple[int, ...], house: Parameters, stakes: int = 1) -> Payments:
    """For whoever has no flores, or many, once the joker lies (F18, A5)."""
    amount = house.flores_bonus * house.unit * stakes
    return tuple(
        payment
        for seat, count in enumerate(flores)
        if count <= house.bonus_low or count >= house.bonus_high
        for payment in all_round(seat, amount, f"F18: seat {seat} has {count} flores.")
    )


def flores_in_play(seat: Seat, count: int, house: Parameters, stakes: int = 1) -> Payments:
    """For the flores that makes many, once a hand: only one count is exactly that (F21, A12)."""
    if count != house.bonus_high:
        return ()
    amount = house.flores_bonus * house.unit * stakes
    return all_round(seat, amount, f"F21: seat {seat} lays out flores {count}.")


def kong(seat: Seat, house: Parameters, stakes: int = 1) -> Payments:
    """For a kong, at once (F23)."""
    return all_round(seat, house.kong_bonus * house.unit * stakes, f"F23: seat {seat} has a kong.")


def false_win(seat: Seat, house: Parameters, stakes: int = 1) -> Payments:
    """For tiles shown that do not win (F35)."""
    amount = house.false_win * house.unit * stakes
    return to_each(seat, amount, f"F35: seat {seat} declared a win that does not stand.")


def with_chips(
    chips: tuple[int, ...], seat: Seat, won: int, house: Parameters, stakes: int = 1
) -> tuple[tuple[int, ...], Payments]:
    """Everybody's chips after a win, and what Hi-Alai pays (F34).

    With five or more chips the winner is paid once, and all chips go back (A11).
    """
    after = tuple(own + won * (at == seat) for at, own in enumerate(chips))
    if after[seat] < house.chip_target:
        return after, ()
    why = f"F34: Hi-Alai, seat {seat} has {after[seat]} chips; all chips go back."
    return (0,) * len(chips), all_round(seat, house.hi_alai * house.unit * stakes, why)


def _usual(won: Won, house: Parameters) -> LedgerEntry:
    """What any win is by the way its tile came (F29, F32)."""
    everybody = others(won.seat)
    if won.how == "robbing":
        why = f"F32: won on the tile that seat {won.source} added to his pong; all pay alike."
        return LedgerEntry(
            "robbing the kong", house.robbing_win, house.chips_robbing, everybody, why
        )
    if won.how == "self" or won.source is None:
        return LedgerEntry(
            "self-draw", house.self_win, house.chips_self, everybody, "F29: drawn; all pay."
        )
    why = f"F29: won on the discard of seat {won.source}, who pays alone."
    return LedgerEntry("discard", house.discard_win, house.chips_discard, (won.source,), why)


def _specials(won: Won, house: Parameters) -> tuple[LedgerEntry, ...]:
    """The special features that the win has, each paid all round (F27, F28, F30, F31)."""
    named = (
        (won.flores == 0, "no flores", house.big_win, "F30: no flores laid out."),
        (won.hand.single_joker, "single joker", house.big_win, "F31: a joker waited alone."),
        (won.hand.seven_first, "seven first", house.special_win, "F27: seven pairs and a set."),
        (won.hand.escalera, "escalera", house.special_win, "F28: one suit from 1 to 9."),
    )
    everybody = others(won.seat)
    return tuple(
        LedgerEntry(name, amount, house.chips_special, everybody, why)
        for there, name, amount, why in named
        if there
    )


def _wait_bonus(won: Won, house: Parameters) -> tuple[LedgerEntry, ...]:
    """More from each payer for how the hand waited; the better one, where it waited both ways."""
    named = (
        (won.hand.back_to_back, "back to back", house.back_to_back, "Waited on two pairs."),
        (won.hand.middle, "middle", house.middle, "Waited between two tiles."),
    )
    there = [
        LedgerEntry(name, more, 0, (), why) for fits, name, more, why in named if fits and more
    ]
    return (max(there, key=lambda entry: entry.amount),) if there else ()


def _payers(entry: LedgerEntry, counted: tuple[LedgerEntry, ...]) -> tuple[Seat, ...]:
    return entry.payers or counted[0].payers
