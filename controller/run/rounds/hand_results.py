"""Results of hands that the table does not follow: people report them, and the match goes on.

The question for the result of a hand is open from the end of the hand until the next step that
needs the dealer. Meanwhile the table takes the tiles in and builds the next set. A report is in the
journal before it is acknowledged; another report of the same hand replaces it. When the dealer is
needed the match is computed from all results, and what was reported is fixed for the dealer; a
later report of an earlier hand changes the scores, not who has dealt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from controller.events import EventName
from controller.run.operator.guided_steps import Guided
from controller.run.orders import Orders
from controller.run.run_state import RunState, as_json
from firmware_bridge.guide import HandToReport
from rules.errors import WallwrightError
from rules.geometry import Seat
from rules.play import Match, plain
from rules.records.record import result_line
from rules.results import FinishedHand, Result
from rules.setup import Setup

RESULT: Final = "result"
"""The journal's activity of reports, and the `do` of the step that uses them."""
MOST_HANDS: Final = 200
"""Number of latest hands that can be corrected (our choice): a correction counts them again."""


class ResultRefusedError(WallwrightError, ValueError):
    """A result for which no hand waits."""


@dataclass(frozen=True)
class EndedHand:
    """A hand that is over: its name, its game, and the match with which it was dealt.

    `moves` are the new seats of all players if seats were drawn before the hand. `begins_match` is
    true for the first hand of a match: no result of an earlier hand changes its scores.
    """

    name: str
    orders: Orders
    match: Match
    setup: Setup
    moves: tuple[Seat, ...] = ()
    begins_match: bool = False

    @property
    def question(self) -> HandToReport:
        """What people are asked about the hand."""
        results = self.orders.results
        return HandToReport(results, results.form(self.match, self.setup), self.match)


@dataclass(frozen=True)
class _Counted:
    """A hand as its result settles it, None without a result, and the match after it."""

    finished: FinishedHand | None
    after: Match


class HandResults:
    """The latest hands of this run, in one match or several, and their results."""

    def __init__(self, run_state: RunState, guided: Guided, record: Callable[[str], None]) -> None:
        self._run_state = run_state
        self._record = record
        self._guided = guided
        self._hands: list[EndedHand] = []
        self._results: dict[str, Result] = {}
        """The latest result of each hand that has one, by its name."""
        self._dealt_as: dict[str, Result | None] = {}
        """The result by which the hand after each one was dealt, None if it had none by then."""
        self._fixed: dict[str, Result] = {}
        """The results with which the dealer was determined last."""
        self._is_open = False
        self.is_overdue = False
        """Whether the next step waits for the result of the open hand."""
        self._asking: asyncio.Task[None] | None = None
        self._reported = asyncio.Event()
        self._failure: Exception | None = None
        """Why the people at the table could not be asked, such as a closed terminal."""

    @property
    def open_hand(self) -> EndedHand | None:
        """The hand whose result is asked for now."""
        return self._hands[-1] if self._is_open else None

    def result_of(self, hand: str) -> Result | None:
        """The latest result of a hand."""
        return self._results.get(hand)

    def ask(self, hand: EndedHand) -> None:
        """Open the question for the result of a hand that is over now."""
        self._forget_oldest()
        self._hands.append(hand)
        self._is_open = True
        self._reported.clear()
        if not self._run_state.is_replaying("top"):
            self._run_state.events.emit(EventName.RESULT_ASKED, hand=hand.name)
            self._begin_asking(hand)

    async def report(
        self, given: object, by: str, hand: str | None = None, reason: str = ""
    ) -> Result:
        """Take a result that people report, of the open hand or of an earlier one.

        `reason` is why an earlier report was wrong.

        Returns when the report is on disk. Raises RulesError for a result that cannot be, also if
        it is one of a later hand, and ResultRefusedError if no hand waits for one.
        """
        reported = self._hand(hand)
        result = reported.question.form.checked(given)
        self._counted({**self._results, reported.name: result})
        facts: dict[str, object] = {"hand": reported.name, RESULT: result, "by": by}
        facts["reason"] = reason
        async with self._run_state.intent(RESULT, facts):
            pass
        self._run_state.reported.pop(reported.name, None)
        if reported in self._hands:
            self._take(reported, result, by, reason)
        return result

    async def next_match(self, *, wait: bool = True) -> Match:
        """Wait for the result of the last hand and record it; returns the match before the next.

        A result that does not come in time is left out, if the house does not wait for it: the
        match stays as it was, and the result can be reported later.
        """
        last = self._hands[-1]
        facts: dict[str, object] = {"do": RESULT, "hand": last.name}
        async with self._run_state.intent("top", facts) as work:
            if work.done:
                changed: Any = work.outcome
                self._results |= changed
            else:
                if work.doubtful:
                    self._take_again()
                self._begin_asking(last)
                if wait:
                    await self._wait(last.orders)
                if self._failure is not None:
                    raise self._failure
                changed = {
                    name: result
                    for name, result in self._results.items()
                    if self._fixed.get(name) != result
                }
            work(as_json(changed))
        self.close()
        self._dealt_as[last.name] = self._results.get(last.name)
        self._fixed = dict(self._results)
        match = self._counted(self._results)[-1].after
        if work.done and not self._run_state.replay.has_ahead("top", RESULT):
            self._take_again(changed)
        if (result := self._dealt_as[last.name]) is not None:
            self._record(result_line(result))
        return match

    def close(self) -> None:
        """Close the open question, if there is one."""
        self._is_open = self.is_overdue = False
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    def _forget_oldest(self) -> None:
        """Forget the oldest of too many hands; the next one keeps what followed from it."""
        if len(self._hands) < MOST_HANDS:
            return
        after = self._counted(self._results)[0].after
        oldest, following = self._hands[:2]
        if not following.begins_match:
            counted = following.orders.results.recounted(following.match, after, following.moves)
            following = replace(following, match=counted)
        self._hands[:2] = [following]
        for results in (self._results, self._dealt_as, self._fixed):
            results.pop(oldest.name, None)

    def find(self, name: str) -> EndedHand | None:
        """The hand with this name, if people can report or correct its result; else None."""
        return next((hand for hand in self._hands if hand.name == name), None)

    def _hand(self, name: str | None) -> EndedHand:
        """The hand of a report. Raises ResultRefusedError."""
        if name is None:
            if self.open_hand is None:
                raise ResultRefusedError(
                    "No hand waits for its result now. Name the hand, to correct an earlier one."
                )
            return self.open_hand
        hand = self.find(name)
        if hand is not None:
            return hand
        raise ResultRefusedError(
            f"Hand {name[:40]} has not been played since the table started; its result stays as it"
            " is."
        )

    def _take(
        self, hand: EndedHand, result: Result, by: str, reason: str, *, again: bool = False
    ) -> None:
        """Count a result that is on disk, and announce it with the settlement that follows.

        Settlements of later hands that it changes are announced as well. `again` marks a report
        that an interrupted run has taken.
        """
        before = self._counted(self._results)
        self._results[hand.name] = result
        for each, counted, earlier in zip(
            self._hands, self._counted(self._results), before, strict=True
        ):
            if counted.finished is not None and (each is hand or counted != earlier):
                facts = {**self._facts(each, counted), "by": by}
                facts |= {"reason": reason} if reason else {}
                facts |= {"again": True} if again else {}
                self._run_state.events.emit(EventName.RESULT_REPORTED, **facts)
        if hand is self.open_hand:
            self.is_overdue = False
            self._reported.set()

    def _take_again(self, used: Collection[str] = ()) -> None:
        """Take the reports that an interrupted run has taken after its last use of results.

        The reports of the hands in `used` are announced again: the run can have ended before it had
        announced them. The open hand is left to `_begin_asking`.
        """
        for hand in self._hands:
            if hand is self.open_hand:
                continue
            report: Any = self._run_state.reported.pop(hand.name, None)
            if report is None:
                continue
            if hand.name in used or report[RESULT] != self._results.get(hand.name):
                self._take_report(hand, report)

    def _take_report(self, hand: EndedHand, report: Mapping[str, Any]) -> None:
        """Take a report from the journal of the interrupted run."""
        self._take(hand, report[RESULT], str(report["by"]), str(report["reason"]), again=True)

    def _facts(self, hand: EndedHand, counted: _Counted) -> dict[str, object]:
        finished, after = counted.finished, counted.after
        assert finished is not None
        settlement, result = finished.settlement, self._results[hand.name]
        seats_drawn = hand.orders.rules.before_hand(after) is not None
        dealt_as = self._dealt_as.get(hand.name, result)
        return {
            "hand": hand.name,
            "result": dict(result),
            **({} if dealt_as == result else {"dealt_as": dealt_as}),
            "counted": finished.counted,
            "name": settlement.name,
            "multiplier": settlement.multiplier,
            "winner": settlement.winner,
            "payments": [payment.facts() for payment in settlement.payments],
            "reasons": list(settlement.reasons),
            "scores": [plain(score) for score in after.scores],
            "match_over": after.over,
            "next_dealer": None if seats_drawn else after.dealer,
        }

    def _counted(self, reported: Mapping[str, Result]) -> list[_Counted]:
        """Every hand of the match, settled by its result and as it was dealt. Raises RulesError."""
        found: list[_Counted] = []
        match: Match = self._hands[0].match
        for hand in self._hands:
            results, dealt = hand.orders.results, hand.match
            if found and not hand.begins_match:
                dealt = results.recounted(dealt, match, hand.moves)
            result, finished = reported.get(hand.name), None
            if result is not None:
                finished = results.finish(dealt, result)
            match = dealt if finished is None else dealt.after(finished)
            found.append(_Counted(finished, match))
        return found

    def _begin_asking(self, hand: EndedHand) -> None:
        """Ask the people at the table, unless an interrupted run has taken a report already."""
        earlier = self._run_state.reported.pop(hand.name, None)
        if earlier is not None:
            self._take_report(hand, earlier)
        elif self._asking is None and not self._reported.is_set():
            self._asking = asyncio.create_task(self._ask_people(hand))

    async def _ask_people(self, hand: EndedHand) -> None:
        """Ask the people at the table; a report by another way can come first."""
        try:
            given = await self._guided.report(hand.question)
            if given is not None and hand is self.open_hand:
                await self.report(given, "table")
        except Exception as failure:  # noqa: BLE001  the run raises it where it waits
            self._failure = failure
            self._reported.set()

    async def _wait(self, orders: Orders) -> None:
        """Wait for a report of the open hand, as long as the house waits."""
        if await self._comes_within(orders.result_wait):
            return
        self.is_overdue = True
        self._run_state.events.emit(EventName.RESULT_OVERDUE, hand=self._hands[-1].name)
        await self._comes_within(None if orders.waits_for_result else orders.result_wait)

    async def _comes_within(self, seconds: float | None) -> bool:
        """Whether the open hand is reported within these seconds; without them, always."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._reported.wait()
        return self._reported.is_set()
