"""The chips of a Da San match after a hand."""

from __future__ import annotations

from dataclasses import dataclass

from rules.games.da_san.match import DaSanMatch
from rules.games.da_san.setup import Parameters
from rules.play import Payment, Settlement


@dataclass(frozen=True)
class SettledHand:
    """A hand that is over."""

    settlement: Settlement


def test_a_seat_that_neither_pays_nor_is_paid_keeps_its_chips() -> None:
    match = DaSanMatch(Parameters(), (10, 10, 10))
    hand = SettledHand(Settlement("out", payments=(Payment(1, 0, 3, "D13"),), winner=0))
    after = match.after(hand)
    assert after.scores == (13, 7, 10)
    assert after.dealer == 0
