"""A host is killed at every write between the end of a hand and the next deal by its result."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from controller.events import Event
from controller.proof.chaos.host_restarts import SurvivingTable
from controller.proof.chaos.scenarios import Choices
from controller.run.daemon import Daemon
from firmware_bridge.sim.clock import VirtualLoop
from rules.results import Result
from tests.quick import tries

EVERY = tries(24, quick=200, evidence=1)
"""Of this many writes in a row, a host is killed at one, before or after it."""
DARK = 3.0
"""Seconds between two hosts."""
RIGHT = {"winner": 1, "bidder": 0, "bid": 3}
"""The result of the first hand, after a correction."""


@dataclass
class Spent:
    """Two rounds: the reports, the dealers, the record, and the writes while a result was due."""

    reports: list[Event] = field(default_factory=list)
    dealers: list[int] = field(default_factory=list)
    record: list[str] = field(default_factory=list)
    first: int = 0
    last: int = 0
    hosts: int = 0


def spent(folder: Path, kill_at: int = 0, *, after: bool = False) -> Spent:
    """Spend two rounds; the first host is killed before or after its write with this number."""

    async def scenario() -> Spent:
        found, writes = Spent(), [0]

        def hear(daemon: Daemon, event: Event) -> None:
            match event["event"]:
                case "result_asked" if event["hand"] == "1":
                    found.first = found.first or writes[0]
                case "result_reported" if event["hand"] == "1":
                    found.reports.append(event)
                case "ready":
                    found.dealers.append(int(str(event["dealer"])))
                    if len(found.dealers) == 2:
                        found.last = writes[0]

        place = SurvivingTable(
            "robotic", "da_san", 7, on_event=hear, choices=Choices(reported=True, dealer=1)
        )

        def should_kill(number: int, written: bool) -> bool:
            writes[0] = number
            return bool(kill_at) and (number, written) == (kill_at, after) and found.hosts == 0

        while await place.run_host(folder / "journal", 2, should_kill) is None:
            found.hosts += 1
            await asyncio.sleep(DARK)
        found.record = list(place.record)
        return found

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        return runner.run(scenario())


def recorded_result(record: list[str]) -> Result:
    """The result of the first hand in a record."""
    results = [json.loads(line)["result"] for line in record if line.startswith('{"result"')]
    result: Result = results[0]
    return result


@pytest.mark.evidence
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_killed_host_loses_no_report_and_deals_by_it(tmp_path: Path, after: bool) -> None:
    undisturbed = tmp_path / "undisturbed"
    undisturbed.mkdir()
    whole = spent(undisturbed)
    assert whole.first and whole.last > whole.first
    kills = range(whole.first, whole.last + 1, EVERY)
    acknowledged = 0
    for kill_at in kills:
        folder = tmp_path / str(kill_at)
        folder.mkdir()
        told = spent(folder, kill_at, after=after)
        result = recorded_result(told.record)
        assert told.hosts == 1, kill_at
        assert told.dealers[-1] == result["winner"], (kill_at, told.reports)
        assert told.reports[-1]["result"] == result, kill_at
        if len(told.reports) > 1:
            # The first host had announced the report, so nobody is asked again.
            acknowledged += 1
            assert told.reports[0]["result"] == result, kill_at
    assert acknowledged or EVERY > 5


async def last_daemon(place: SurvivingTable, folder: Path, rounds: int) -> Daemon:
    """Run hosts until one is not killed; returns its daemon."""
    ended = None
    while ended is None:
        ended = await place.run_host(folder / "journal", rounds)
        await asyncio.sleep(DARK)
    return ended[0]


@pytest.mark.parametrize("asked", [False, True], ids=["in the next play", "at the next question"])
def test_a_correction_before_a_kill_is_not_lost(tmp_path: Path, asked: bool) -> None:
    """A killed host had taken a correction after its last use of results."""

    async def scenario() -> tuple[list[Event], Daemon]:
        tasks: list[asyncio.Task[None]] = []
        place = SurvivingTable("robotic", "da_san", 7, choices=Choices(reported=True, dealer=1))

        async def correct(daemon: Daemon) -> None:
            await daemon.results.report(RIGHT, "Bo", "1", "a slip")
            place.kill()

        def hear(daemon: Daemon, event: Event) -> None:
            due = (
                event["event"] == "result_asked" and event["hand"] == "2"
                if asked
                else (event["event"] == "ready" and daemon.results.result_of("1") is not None)
            )
            if due and not tasks:
                tasks.append(asyncio.create_task(correct(daemon)))

        place.on_event = hear
        return place.events, await last_daemon(place, tmp_path, 3)

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        events, daemon = runner.run(scenario())
    assert daemon.results.result_of("1") == RIGHT
    reports = [
        each for each in events if each["event"] == "result_reported" and each["hand"] == "1"
    ]
    assert [each["result"] for each in reports[-2:]] == [RIGHT, RIGHT]
    assert [each.get("again", False) for each in reports[-2:]] == [False, True]
    assert reports[-1]["dealt_as"] == reports[0]["result"]
    assert reports[-1]["reason"] == "a slip"


def test_a_report_to_the_next_host_replaces_the_one_before_the_kill(tmp_path: Path) -> None:
    async def scenario() -> Daemon:
        tasks: list[asyncio.Task[object]] = []
        place = SurvivingTable("robotic", "da_san", 7, choices=Choices(reported=True, dealer=1))

        async def report(daemon: Daemon) -> None:
            await daemon.results.report({"winner": 0}, "Mei", "1")
            place.kill()

        def hear(daemon: Daemon, event: Event) -> None:
            if event["event"] == "result_asked" and event["hand"] == "1" and not tasks:
                tasks.append(asyncio.create_task(report(daemon)))
            again = event["event"] == "result_reported" and event.get("again")
            if again and event["hand"] == "1" and len(tasks) == 1:
                tasks.append(asyncio.create_task(daemon.results.report(RIGHT, "Bo", "1")))

        place.on_event = hear
        return await last_daemon(place, tmp_path, 2)

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        daemon = runner.run(scenario())
    assert daemon.results.result_of("1") == RIGHT
