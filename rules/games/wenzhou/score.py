"""Payments of Wenzhou mahjong: class times dealer's figure, house rules (W30, W31, W35, W36)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rules.games.wenzhou.setup import SEATS, Parameters
from rules.games.wenzhou.wins import CLASSES, WinReading
from rules.geometry import Seat
from rules.play import Payment, Settlement

FALSE_WIN: Final = "false win"
"""The name of the settlement of a false win (W36)."""
MULTIPLIERS: Final = {name: multiplier for multiplier, name in CLASSES.items()} | {"none": 0}
"""The multiplier of each class; 0 for a false win that costs nothing (W31, W36)."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """The stakes of a hand: the dealer, and the number of this hand in his row of hands, from 1."""

    dealer: Seat
    streak: int
    parameters: Parameters

    @property
    def figure(self) -> int:
        """The dealer's figure in this hand; after the last one it does not change (W31)."""
        scale = self.parameters.dealer_scale
        return scale[min(self.streak, len(scale)) - 1]

    def between(self, one: Seat, other: Seat) -> int:
        """The payment between two seats for a soft hand (W31)."""
        return self.figure if self.dealer in (one, other) else 1


def won(winner: Seat, win: WinReading, stakes: Stakes) -> Settlement:
    """The settlement of a win: all three other seats pay, even for a discard (W30)."""
    return Settlement(
        name=win.name,
        multiplier=win.multiplier,
        payments=tuple(
            Payment(seat, winner, *_due(seat, winner, win.multiplier, stakes))
            for seat in _others(winner)
        ),
        reasons=(*win.reasons, "All three other seats pay, also for a discard (W30)."),
        winner=winner,
    )


def drawn(why: str) -> Settlement:
    """The settlement of a drawn hand (W29)."""
    return Settlement(name="drawn hand", multiplier=0, reasons=(why,))


def false_win(seat: Seat, stakes: Stakes, why: str) -> Settlement:
    """The settlement of a false win: the seat pays as if every other seat had won (W36)."""
    kind = stakes.parameters.false_win_penalty
    multiplier = MULTIPLIERS[kind]
    payments = (
        Payment(seat, other, stakes.between(seat, other) * multiplier, f"false win, as for {kind}")
        for other in _others(seat)
    )
    return Settlement(
        name=FALSE_WIN,
        multiplier=multiplier,
        payments=tuple(payments) if multiplier else (),
        reasons=(why, f"The seat pays every other seat as for a {kind} hand (W36)."),
    )


def broken_order(seat: Seat, stakes: Stakes, why: str) -> Settlement:
    """The fine for a discard against W16 or W17: the seat pays every other seat (E16)."""
    amount = stakes.parameters.discard_order_penalty
    return Settlement(
        name="discard against the order",
        payments=tuple(
            Payment(seat, other, amount, "discard against the order (E16)")
            for other in _others(seat)
            if amount
        ),
        reasons=(why,),
    )


def caishen_money(caishen: Sequence[int], parameters: Parameters) -> tuple[Payment, ...]:
    """The payments of the three other seats for each caishen held at the end (W35)."""
    each = parameters.caishen_money
    return tuple(
        Payment(seat, holder, each * number, f"caishen money for {number} (W35)")
        for holder, number in enumerate(caishen)
        for seat in _others(holder)
        if each and number
    )


def with_extras(
    settlement: Settlement,
    parameters: Parameters,
    *,
    penalties: Iterable[Payment] = (),
    caishen: Sequence[int] = (),
    fines: Collection[Settlement] = (),
) -> Settlement:
    """The settlement of a hand with all payments that are made beside the win or the drawn hand.

    `penalties` are the payments for false wins during the hand (W36), `caishen` is the number of
    caishen that each seat holds at the end (W35), `fines` are the settlements of discards against
    the order (E16).
    """
    money = caishen_money(caishen, parameters)
    fined = (payment for fine in fines for payment in fine.payments)
    return replace(
        settlement,
        payments=(*penalties, *settlement.payments, *money, *fined),
        reasons=(*settlement.reasons, *(reason for fine in fines for reason in fine.reasons)),
    )


def _due(payer: Seat, winner: Seat, multiplier: int, stakes: Stakes) -> tuple[int, str]:
    base = stakes.between(payer, winner)
    between = (
        f"with the dealer in his hand {stakes.streak} in a row"
        if stakes.dealer in (payer, winner)
        else "between non-dealers"
    )
    return base * multiplier, f"{base} {between}, x{multiplier} {CLASSES[multiplier]} (W31)"


def _others(seat: Seat) -> tuple[Seat, ...]:
    return tuple((seat + step) % SEATS for step in range(1, SEATS))
