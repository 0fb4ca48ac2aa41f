"""Tests that failed work is retried, then a person is asked, then the table stops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from config.recovery_limits import Limits
from controller.run.faults.catalogue import DONE, STOP, Fault, Who
from controller.run.faults.failures import TableFault
from controller.run.faults.retry import FaultHandler
from firmware_bridge.guide import Ask
from firmware_bridge.sim import clock


class Bench:
    """Work that fails a given number of times, a person who answers, and the list of calls."""

    def __init__(self, failures: int, retries: int = 1, asks: int = 2, answer: str = DONE) -> None:
        self.failures = failures
        self.calls: list[str] = []
        self.answer = answer
        self.part = "head 2"
        self.takes = 30.0
        """How long the person takes to answer, seconds."""
        self.answers_after: dict[str, float] = {}
        """The same for a question about this part."""
        self.fault_handler = FaultHandler(lambda _: Limits(retries, asks, 900.0), self.ask, self)

    async def work(self) -> str:
        self.calls.append("work")
        if self.failures:
            self.failures -= 1
            raise TableFault(Fault.JAM, self.part, "the counter is blocked")
        return "done"

    async def cure(self, fault: TableFault) -> None:
        self.calls.append("cure")

    async def cleared(self, fault: TableFault) -> None:
        self.calls.append("cleared")

    async def ask(self, ask: Ask) -> str:
        self.calls.append(f"ask {ask.code} {ask.part}")
        await asyncio.sleep(self.answers_after.get(ask.part, self.takes))
        return self.answer

    def recovered(self, fault: Fault, part: str, attempt: int) -> None:
        self.calls.append(f"recovered {attempt}")

    @asynccontextmanager
    async def asking(self, ask: Ask, who: Who) -> AsyncIterator[Any]:
        yield lambda answer: self.calls.append(f"{who.value} answers {answer}")

    def run(self) -> str:
        return clock.run(self.fault_handler.run(self.work, self.cure, self.cleared))


def test_work_that_succeeds_is_done_once_and_nothing_is_recorded() -> None:
    bench = Bench(0)
    assert bench.run() == "done"
    assert bench.calls == ["work"]


def test_the_machine_cures_a_fault_before_a_person_is_asked() -> None:
    bench = Bench(1)
    bench.run()
    assert bench.calls == ["work", "cure", "work", "recovered 2"]


def test_after_the_retries_a_person_is_asked_and_the_work_is_tried_again() -> None:
    bench = Bench(2)
    bench.run()
    asked = ["ask JAM head 2", "attendant answers done", "cleared"]
    assert bench.calls == ["work", "cure", "work", *asked, "work", "recovered 3"]


def test_wrong_answers_are_detected_and_end_the_work() -> None:
    bench = Bench(9)
    with pytest.raises(TableFault) as raised:
        bench.run()
    assert raised.value.final
    assert bench.calls.count("ask JAM head 2") == 2
    assert bench.calls.count("cure") == 1
    assert bench.calls.count("work") == 4


def test_the_answer_stop_ends_the_work_at_once() -> None:
    bench = Bench(9, retries=0, answer=STOP)
    with pytest.raises(TableFault):
        bench.run()
    assert bench.calls == ["work", "ask JAM head 2", "attendant answers stop"]


def test_a_question_without_an_answer_in_time_ends_the_work() -> None:
    bench = Bench(9, retries=0)
    bench.takes = 901.0
    with pytest.raises(TableFault):
        bench.run()
    assert bench.calls == ["work", "ask JAM head 2"]


def test_without_a_person_only_the_machines_own_cures_are_tried() -> None:
    bench = Bench(9)
    bench.fault_handler = FaultHandler(lambda _: Limits(2, 5, 900.0))
    with pytest.raises(TableFault):
        bench.run()
    assert bench.calls == ["work", "cure", "work", "cure", "work"]


def test_a_fault_that_inner_work_gave_up_is_not_retried_by_outer_work() -> None:
    bench = Bench(9, retries=3, asks=0)

    async def around() -> str:
        return await bench.fault_handler.run(bench.work)

    with pytest.raises(TableFault):
        clock.run(bench.fault_handler.run(around))
    assert bench.calls == ["work"] * 4


def test_a_jam_at_one_head_does_not_hide_a_jam_at_another() -> None:
    """Nobody answers about head 2 for 890 s. The question about head 0 is asked at once."""
    bench, other = Bench(1, retries=0), Bench(1, retries=0)
    other.part, other.fault_handler = "head 0", bench.fault_handler
    bench.answers_after = {"head 2": 890.0, "head 0": 30.0}

    async def ended(at: Bench) -> float:
        await bench.fault_handler.run(at.work)
        return asyncio.get_running_loop().time()

    async def both() -> list[float]:
        return await asyncio.gather(ended(bench), ended(other))

    assert clock.run(both()) == [890.0, 30.0]


def test_people_are_asked_one_question_about_a_part_at_a_time() -> None:
    bench, other = Bench(1, retries=0), Bench(1, retries=0)
    other.fault_handler, other.calls = bench.fault_handler, bench.calls

    async def both() -> float:
        await asyncio.gather(
            bench.fault_handler.run(bench.work), other.fault_handler.run(other.work)
        )
        return asyncio.get_running_loop().time()

    assert clock.run(both()) == 60.0


@pytest.mark.parametrize("takes", [30.0, 901.0])
def test_parts_stay_at_rest_when_a_person_stops_the_table_or_does_not_answer(takes: float) -> None:
    """The context of the question learns that the work was given up, so it moves nothing again."""
    bench = Bench(9, retries=0, answer=STOP)
    bench.takes = takes

    @asynccontextmanager
    async def at_rest() -> Any:
        bench.calls.append("at rest")
        yield
        bench.calls.append("moving")

    with pytest.raises(TableFault) as raised:
        clock.run(bench.fault_handler.run(bench.work, around=at_rest))
    assert raised.value.ordered == (takes < 900.0)
    assert raised.value.final
    assert "at rest" in bench.calls and "moving" not in bench.calls


def test_parts_near_a_persons_hands_are_at_rest_during_a_question() -> None:
    bench = Bench(1, retries=0)

    @asynccontextmanager
    async def at_rest() -> Any:
        bench.calls.append("at rest")
        yield
        bench.calls.append("moving")

    clock.run(bench.fault_handler.run(bench.work, around=at_rest))
    assert bench.calls == [
        *("work", "at rest", "ask JAM head 2", "attendant answers done", "moving", "work"),
        "recovered 2",
    ]
