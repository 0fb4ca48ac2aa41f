"""How a piece of work is cured: tried again, asked about, tried once more, given up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from config.recovery_limits import Limits
from controller.faults.catalogue import DONE, STOP, Fault, Who
from controller.faults.retry import Care
from controller.faults.table_fault import TableFault
from firmware_bridge.guide import Ask
from firmware_bridge.sim import clock


class Bench:
    """A piece of work that fails so many times, a person, and what was said and done."""

    def __init__(self, failures: int, retries: int = 1, asks: int = 2, answer: str = DONE) -> None:
        self.failures = failures
        self.happened: list[str] = []
        self.answer = answer
        self.takes = 30.0
        self.care = Care(lambda _: Limits(retries, asks, 900.0), self.ask, self)

    async def work(self) -> str:
        self.happened.append("work")
        if self.failures:
            self.failures -= 1
            raise TableFault(Fault.JAM, "head 2", "head2_counter is blocked")
        return "done"

    async def cure(self, fault: TableFault) -> None:
        self.happened.append("cure")

    async def cleared(self, fault: TableFault) -> None:
        self.happened.append("cleared")

    async def ask(self, ask: Ask) -> str:
        self.happened.append(f"ask {ask.code} {ask.part}")
        await asyncio.sleep(self.takes)
        return self.answer

    def recovered(self, fault: Fault, part: str, attempt: int) -> None:
        self.happened.append(f"recovered {attempt}")

    @asynccontextmanager
    async def asking(self, ask: Ask, who: Who) -> AsyncIterator[Any]:
        yield lambda answer: self.happened.append(f"{who.value} says {answer}")

    def cured(self) -> str:
        return clock.run(self.care.cured(self.work, self.cure, self.cleared))


def test_work_that_succeeds_is_done_once_and_nobody_hears_of_it() -> None:
    bench = Bench(0)
    assert bench.cured() == "done"
    assert bench.happened == ["work"]


def test_the_first_cure_is_the_machines_own() -> None:
    bench = Bench(1)
    bench.cured()
    assert bench.happened == ["work", "cure", "work", "recovered 2"]


def test_then_a_person_is_asked_and_it_is_tried_again() -> None:
    bench = Bench(2)
    bench.cured()
    asked = ["ask JAM head 2", "attendant says done", "cleared"]
    assert bench.happened == ["work", "cure", "work", *asked, "work", "recovered 3"]


def test_a_wrong_answer_is_caught_and_it_ends() -> None:
    bench = Bench(9)
    with pytest.raises(TableFault) as raised:
        bench.cured()
    assert raised.value.final
    assert bench.happened.count("ask JAM head 2") == 2
    assert bench.happened.count("cure") == 1
    assert bench.happened.count("work") == 4


def test_whoever_says_stop_stops_the_table_at_once() -> None:
    bench = Bench(9, retries=0, answer=STOP)
    with pytest.raises(TableFault):
        bench.cured()
    assert bench.happened == ["work", "ask JAM head 2", "attendant says stop"]


def test_nobody_who_answers_in_time_is_a_stop_too() -> None:
    bench = Bench(9, retries=0)
    bench.takes = 901.0
    with pytest.raises(TableFault):
        bench.cured()
    assert bench.happened == ["work", "ask JAM head 2"]


def test_without_anybody_to_ask_the_machines_own_cures_are_all_there_is() -> None:
    bench = Bench(9)
    bench.care = Care(lambda _: Limits(2, 5, 900.0))
    with pytest.raises(TableFault):
        bench.cured()
    assert bench.happened == ["work", "cure", "work", "cure", "work"]


def test_what_one_piece_of_work_gave_up_the_one_around_it_does_not_take_up() -> None:
    bench = Bench(9, retries=3, asks=0)

    async def around() -> str:
        return await bench.care.cured(bench.work)

    with pytest.raises(TableFault):
        clock.run(bench.care.cured(around))
    assert bench.happened == ["work"] * 4


def test_people_are_asked_one_thing_at_a_time() -> None:
    bench, other = Bench(1, retries=0), Bench(1, retries=0)
    other.care, other.happened = bench.care, bench.happened

    async def both() -> float:
        await asyncio.gather(bench.care.cured(bench.work), other.care.cured(other.work))
        return asyncio.get_running_loop().time()

    assert clock.run(both()) == 60.0


def test_parts_near_a_persons_hands_stand_still_meanwhile() -> None:
    bench = Bench(1, retries=0)

    @asynccontextmanager
    async def still() -> Any:
        bench.happened.append("still")
        yield
        bench.happened.append("moving")

    clock.run(bench.care.cured(bench.work, around=still))
    assert bench.happened == [
        *("work", "still", "ask JAM head 2", "attendant says done", "moving", "work"),
        "recovered 2",
    ]
