"""The judge of a game: whether a claim is valid for the tiles on the table, and who pays.

Every game that can be judged has, in `rules/games/GAME/judge.py`, a frozen dataclass `Case` (the
tiles on the table and the claim, in the game's notation) and `judge(case)`, which returns a
`Verdict`. `judge` raises RulesError for a case that contradicts itself. A module can have further
classes of cases in `QUESTIONS`, for rulings such as a discard or the next dealer.

The functions `check_...` are checks of cases that several games share. Each yields sentences of the
form `field: error (rule).`, of which `refuse` raises the first; `config.judge_cases` uses the
field's name to find its line in a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from rules.errors import RulesError
from rules.geometry import Seat
from rules.play import Payment
from rules.steps import Facts

DRAWN = ("self", "replacement")
"""The values of `by` with which the claimant drew the tile itself."""


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


def refuse(sentences: Iterable[str]) -> None:
    """Raises RulesError with the first of these sentences; returns if there is none."""
    for sentence in sentences:
        raise RulesError(sentence)


def check_seats(named: Mapping[str, Seat | None], seats: int) -> Iterator[str]:
    """Yields a sentence for each field that names a seat that does not exist; None is allowed."""
    for key, seat in named.items():
        if seat is not None and not 0 <= seat < seats:
            yield f"{key}: There is no seat {seat}; seats are 0 to {seats - 1}."


def check_claims(
    seat: Seat, by: str, discarder: Seat | None, rivals: tuple[Seat, ...], *, seats: int, rule: str
) -> Iterator[str]:
    """Yields a sentence for each impossible claimant of a tile.

    `rule` is the number of the rule that decides between several claimants.
    """
    yield from check_seats({"seat": seat, "discarder": discarder}, seats)
    for rival in rivals:
        yield from check_seats({"claims": rival}, seats)
    if by in DRAWN and discarder is not None:
        yield (
            f"discarder: Seat {seat} drew the tile itself (by: {by}), so seat {discarder} did not"
            " discard it; leave the discarder out."
        )
    if by in DRAWN and rivals:
        yield (
            f"claims: Seat {rivals[0]} cannot claim a tile that seat {seat} drew itself (by: {by});"
            f" rivals claim a discard or a kong's tile ({rule})."
        )
    if by not in DRAWN and discarder == seat:
        yield (
            f"discarder: Seat {seat} cannot win on its own discard; name the seat that discarded"
            " the tile."
        )
    for rival in rivals:
        if rival == seat:
            yield (
                f"claims: Seat {rival} is the claimant itself; list only the other seats that"
                " claim."
            )
        if rival == discarder:
            yield (
                f"claims: Seat {rival} is the discarder and cannot win on its own discard; leave it"
                " out."
            )
        times = rivals.count(rival)
        if times > 1:
            yield f"claims: Seat {rival} is named {times} times; name each rival once."
    if rivals and discarder is None:
        yield (
            "claims: Several seats claim the tile; give the discarder, from whom the turns are"
            f" counted ({rule})."
        )


def check_range(field: str, number: int, least: int, most: int, rule: str) -> Iterator[str]:
    """Yields a sentence if a number of a case is below the least or above the greatest one."""
    if not least <= number <= most:
        yield f"{field}: The number must be {least} to {most}, not {number} ({rule})."


def check_takers(
    discarder: Seat, claims: Sequence[tuple[Seat, str]], seats: int, rule: str
) -> Iterator[str]:
    """Yields a sentence for each impossible claim on a discard, given as seat and `chow`, `pong`.

    `rule` is the number of the rule by which a chow comes from the left neighbour.
    """
    if not claims:
        yield "claims: No seat claims the tile; name at least one claim."
    named = [seat for seat, _ in claims]
    for seat, what in claims:
        yield from check_seats({"claims": seat}, seats)
        if seat == discarder:
            yield f"claims: Seat {seat} is the discarder and cannot claim its own discard."
        if named.count(seat) > 1:
            yield f"claims: Seat {seat} is named {named.count(seat)} times; name it once."
        if what == "chow" and seat != (discarder + 1) % seats:
            yield (
                f"claims: Seat {seat} cannot chow: a chow comes from the left neighbour, and seat"
                f" {discarder} discarded ({rule})."
            )


@dataclass(frozen=True, slots=True)
class Objection:
    """A sentence that refuses an action, and the number of the rule that it applies (B4, 2.3 ...).

    `str` gives the sentence. `fact` is empty if the sentence is about a text that cannot be parsed.
    """

    sentence: str
    fact: str = ""

    def __str__(self) -> str:
        return self.sentence

    @property
    def cited(self) -> str:
        """The sentence with its rule, as in a verdict: `Point 5 is made (B4).`"""
        return f"{self.sentence.removesuffix('.')} ({self.fact})." if self.fact else self.sentence
