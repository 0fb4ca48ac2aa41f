"""Looks up a game's judge: given the tiles on the table, is a claim valid, and who pays?

Every game that can be judged has, in `rules/games/GAME/judge.py`, a frozen dataclass `Case` (what
lies on the table, in the notation of the trade) and `judge(case)`, which gives a `Verdict`. A case
that contradicts itself raises RulesError with a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rules.play import Payment
from rules.steps import Facts


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judge's verdict: whether the claim is valid, whether it wins, its class, the payments.

    `reasons` are sentences, each with the fact it follows (W25, F31 ...).
    """

    legal: bool
    win: bool = False
    name: str = ""
    multiplier: int = 1
    payments: tuple[Payment, ...] = ()
    reasons: tuple[str, ...] = ()

    def facts(self) -> Facts:
        """The verdict as plain JSON values."""
        return {
            "legal": self.legal,
            "win": self.win,
            "name": self.name,
            "multiplier": self.multiplier,
            "payments": [payment.facts() for payment in self.payments],
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, slots=True)
class Judging:
    """How one game is judged: what a case is made of, and the judge."""

    case: type[Any]
    judge: Callable[[Any], Verdict]
