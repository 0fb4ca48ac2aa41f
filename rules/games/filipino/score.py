"""Payments of Filipino mahjong: wins, bonuses, chips, false win (F18, F23, F27-F35, F38)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from rules.games.filipino.parameters import SEATS, Parameters
from rules.games.filipino.wins import WinningHand
from rules.geometry import Seat, counter_clockwise
from rules.play import Payment, Settlement

How = Literal["discard", "self", "robbing"]
"""How the winning tile came to the winner.

`discard`: another seat discarded it. `self`: the winner drew it, also as a replacement (A10).
`robbing`: another seat added it to a pong (F32).
"""
By = Literal["discard", "self", "replacement", "robbing"]
"""The source of the winning tile."""
Payments = tuple[Payment, ...]


@dataclass(frozen=True, slots=True)
class Won:
    """A valid win: the seat, its hand, and the source of the tile if not the wall."""

    seat: Seat
    hand: WinningHand
    how: How
    source: Seat | None
    flores: int
    """Flores that the winner has laid out."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One entry of the price list that applies to a win."""

    name: str
    amount: int
    chips: int
    payers: tuple[Seat, ...]
    why: str

    @property
    def worth(self) -> tuple[int, int]:
        """The sum of all payments, then the chips; used to find the highest entry (F38)."""
        return self.amount * len(self.payers), self.chips


@dataclass(frozen=True, slots=True)
class Price:
    """The name of a win, its payments, its chips, and the reasons."""

    name: str
    payments: Payments
    chips: int
    reasons: tuple[str, ...]


def how(by: By) -> How:
    """How the winning tile came from this source; a replacement is drawn like any tile (A10)."""
    return "self" if by == "replacement" else by


def price(won: Won, house: Parameters, stakes: int = 1) -> Price:
    """The price of a win: its highest entry, or all special entries if `stack` is "sum" (F38)."""
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
        reasons=(f"The hand is {won.hand.reads}.", *(e.why for e in (*counted, *extra))),
    )


def all_round(seat: Seat, amount: int, why: str) -> Payments:
    """Return a payment of this amount from every other seat to `seat`; none for an amount of 0."""
    if not amount:
        return ()
    return tuple(Payment(other, seat, amount, why) for other in others(seat))


def to_each(seat: Seat, amount: int, why: str) -> Payments:
    """Return a payment of this amount from `seat` to every other seat; none for an amount of 0."""
    if not amount:
        return ()
    return tuple(Payment(seat, other, amount, why) for other in others(seat))


@cache
def others(seat: Seat) -> tuple[Seat, ...]:
    """The other three seats, in turn order."""
    return counter_clockwise(seat, SEATS)[1:]


def flores_at_the_start(flores: tuple[int, ...], house: Parameters, stakes: int = 1) -> Payments:
    """The payments to seats with few or many flores, after the joker is turned up (F18, A5)."""
    amount = house.flores_bonus * house.unit * stakes
    return tuple(
        payment
        for seat, count in enumerate(flores)
        if count <= house.bonus_low or count >= house.bonus_high
        for payment in all_round(seat, amount, f"F18: seat {seat} has {count} flores.")
    )


def flores_in_play(seat: Seat, count: int, house: Parameters, stakes: int = 1) -> Payments:
    """The payments when a seat reaches `bonus_high` flores, once in a hand (F21, A12)."""
    if count != house.bonus_high:
        return ()
    amount = house.flores_bonus * house.unit * stakes
    return all_round(seat, amount, f"F21: seat {seat} lays out flores {count}.")


def kong(seat: Seat, house: Parameters, stakes: int = 1) -> Payments:
    """The payments for a kong, made at once (F23)."""
    return all_round(seat, house.kong_bonus * house.unit * stakes, f"F23: seat {seat} has a kong.")


def false_win(seat: Seat, house: Parameters, stakes: int = 1) -> Payments:
    """The payments for a false win (F35)."""
    amount = house.false_win * house.unit * stakes
    return to_each(seat, amount, f"F35: seat {seat} declared a win that is not valid.")


def with_chips(
    chips: tuple[int, ...], seat: Seat, won: int, house: Parameters, stakes: int = 1
) -> tuple[tuple[int, ...], Payments]:
    """The chips of all seats after a win, and the payments of Hi-Alai (F34).

    A winner with `chip_target` or more chips is paid once, and all seats return their chips (A11).
    """
    after = tuple(own + won * (at == seat) for at, own in enumerate(chips))
    if after[seat] < house.chip_target:
        return after, ()
    why = f"F34: Hi-Alai, seat {seat} has {after[seat]} chips; all seats return their chips."
    return (0,) * len(chips), all_round(seat, house.hi_alai * house.unit * stakes, why)


def price_with_chips(
    won: Won, chips: tuple[int, ...], house: Parameters, stakes: int = 1
) -> tuple[Price, tuple[int, ...]]:
    """The price of a win with the payments of Hi-Alai, and the chips of all seats after it."""
    paid = price(won, house, stakes)
    after, hi_alai = with_chips(chips, won.seat, paid.chips, house, stakes)
    reasons = (*paid.reasons, *dict.fromkeys(payment.why for payment in hi_alai))
    return replace(paid, payments=(*paid.payments, *hi_alai), reasons=reasons), after


def won_hand(winner: Seat, paid: Price, earlier: Payments) -> Settlement:
    """The settlement of a hand that a seat has won; `earlier` was paid during the hand."""
    return _over(paid.name, winner, (*earlier, *paid.payments), paid.reasons)


def exhausted(earlier: Payments) -> Settlement:
    """The settlement of a hand without a winner: no more payments (F37)."""
    return _over("exhausted", None, earlier, ("F37: the wall is used up.",))


def ended_by_false_win(seat: Seat, paid: Payments) -> Settlement:
    """The settlement of a hand that ended with a false win, which is paid in `paid` (F35)."""
    why = f"F35: seat {seat} showed a hand that does not win."
    return _over("false win", None, paid, (why,))


def _over(
    name: str, winner: Seat | None, payments: Payments, reasons: tuple[str, ...]
) -> Settlement:
    """The settlement of a hand with all its payments, including those made during the hand."""
    earlier = tuple(dict.fromkeys(each.why for each in payments if each.why not in reasons))
    return Settlement(name, payments=payments, reasons=(*earlier, *reasons), winner=winner)


def _usual(won: Won, house: Parameters) -> LedgerEntry:
    """The entry for the source of the winning tile (F29, F32)."""
    payers = others(won.seat)
    if won.how == "robbing":
        why = f"F32: won on the tile that seat {won.source} added to its pong; all pay the same."
        return LedgerEntry("robbing the kong", house.robbing_win, house.chips_robbing, payers, why)
    if won.how == "self" or won.source is None:
        why = "F29: won on a drawn tile; all pay."
        return LedgerEntry("self-draw", house.self_win, house.chips_self, payers, why)
    why = f"F29: won on the discard of seat {won.source}, which pays alone."
    return LedgerEntry("discard", house.discard_win, house.chips_discard, (won.source,), why)


def _specials(won: Won, house: Parameters) -> tuple[LedgerEntry, ...]:
    """The entries for special features of the win, each paid by all (F27, F28, F30, F31)."""
    named = (
        (won.flores == 0, "no flores", house.big_win, "F30: no flores laid out."),
        (
            won.hand.single_joker,
            "single joker",
            house.big_win,
            "F31: the win waited on a single joker.",
        ),
        (won.hand.seven_first, "seven first", house.special_win, "F27: seven pairs and a set."),
        (won.hand.escalera, "escalera", house.special_win, "F28: one suit from 1 to 9."),
    )
    payers = others(won.seat)
    return tuple(
        LedgerEntry(name, amount, house.chips_special, payers, why)
        for applies, name, amount, why in named
        if applies
    )


def _wait_bonus(won: Won, house: Parameters) -> tuple[LedgerEntry, ...]:
    """The extra entry for the kind of wait; the higher one if the hand waited in both ways."""
    named = (
        (
            won.hand.back_to_back,
            "back to back",
            house.back_to_back,
            "The hand waited on two pairs.",
        ),
        (won.hand.middle, "middle", house.middle, "The hand waited between two tiles."),
    )
    entries = [
        LedgerEntry(name, more, 0, (), why) for fits, name, more, why in named if fits and more
    ]
    return (max(entries, key=lambda entry: entry.amount),) if entries else ()


def _payers(entry: LedgerEntry, counted: tuple[LedgerEntry, ...]) -> tuple[Seat, ...]:
    return entry.payers or counted[0].payers
