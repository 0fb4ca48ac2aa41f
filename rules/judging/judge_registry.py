"""The judge of a game: whether a claim is valid for the tiles on the table, and who pays.

Every game that can be judged has, in `rules/games/GAME/judge.py`, a frozen dataclass `Case` (the
tiles on the table and the claim, in the game's notation) and `judge(case)`, which returns a
`Verdict`. `judge` raises RulesError for a case that contradicts itself. A module can have further
classes of cases in `QUESTIONS`, for rulings such as a discard or the next dealer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rules.errors import RulesError
from rules.geometry import Seat
from rules.play import Payment
from rules.steps import Facts


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judge's verdict: whether the claim is valid, whether it wins, its class, the payments.

    `winner` is the seat that wins, which can be another one than the claimant. `reasons` are
    sentences, each with the number of the rule it applies (W25, F31 ...).
    """

    legal: bool
    win: bool = False
    name: str = ""
    multiplier: int = 1
    payments: tuple[Payment, ...] = ()
    reasons: tuple[str, ...] = ()
    winner: Seat | None = None

    def facts(self) -> Facts:
        """The verdict as plain JSON values."""
        return {
            "legal": self.legal,
            "win": self.win,
            "name": self.name,
            "multiplier": self.multiplier,
            "payments": [payment.facts() for payment in self.payments],
            "reasons": list(self.reasons),
            "winner": self.winner,
        }


class JudgeQuestion(Protocol):
    """A case of another question than the usual claim; it gives its own verdict."""

    def verdict(self) -> Verdict:
        """The verdict on this case."""


RecordedAct = tuple[Any, Any]
"""The play before an action of a recorded hand, and the action."""
CaseMaker = Callable[[Sequence[RecordedAct], Any, Seat | None], Facts]
"""Makes the keys of a case from a hand's actions, its last play, and the seat to be judged."""


@dataclass(frozen=True, slots=True)
class Judging:
    """The judge of one game: the class of its cases, and the function that judges one.

    `recorded_case` makes a case from a recorded hand; None if the game cannot. `questions` are
    further classes of cases by the value of their key `ask`: rulings besides the usual claim.
    """

    case: type[Any]
    judge: Callable[[Any], Verdict]
    recorded_case: CaseMaker | None = None
    questions: Mapping[str, type[JudgeQuestion]] = field(default_factory=dict)

    def case_class(self, ask: str | None = None) -> type[Any]:
        """The class of the cases of a question; without `ask` that of the usual claim.

        Raises RulesError for a question that the judge of this game does not answer.
        """
        if ask is None:
            return self.case
        if ask not in self.questions:
            known = ", ".join(self.questions) or "none in this game"
            raise RulesError(
                f"ask: '{ask[:40]}' is not a question; the questions are {known}. Leave `ask` out"
                " for the usual claim."
            )
        return self.questions[ask]

    def decide(self, case: Any) -> Verdict:
        """The verdict on a case of the usual claim or of a question."""
        asked = type(case) in self.questions.values()
        verdict: Verdict = case.verdict() if asked else self.judge(case)
        return verdict


def no_case(why: str) -> RulesError:
    """The error for a recorded hand of which no case can be made."""
    return RulesError(f"No case can be made of this hand: {why}.")
