import asyncio
import json
import threading
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from controller.records.audit.errors import AuditError
from controller.records.audit.log import audit_log
from controller.records.audit.log import recorder as audit_recorder
from controller.records.audit.log.event_line import AuditEvent
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import scan
from controller.records.audit.log.recorder import AuditRecorder, ClockReading, RecorderClocks
from controller.run.journal.storage import DirectStorage
from controller.run.journal.writer_threads import WriterThreads
from tests.controller.records.audit.logs_for_tests import NOON


def test_events_are_written_in_a_thread_and_in_order(tmp_path: Path) -> None:
    async def evening() -> list[AuditEvent]:
        loop = asyncio.get_running_loop()
        threads = set()
        events: list[AuditEvent] = []
        recorder = AuditRecorder(
            LogFolder(tmp_path / "audit"),
            "pai_gow",
            RecorderClocks(lambda: 1.5),
            WriterThreads(loop, 1),
        )
        real = recorder._opened

        def opened() -> audit_log.AuditLog:
            threads.add(threading.current_thread())
            return real()

        recorder._opened = opened  # type: ignore[method-assign]
        for number in range(50):
            entry = recorder.entry("command", {"number": number}, who="Mei", role="player")
            recorder.record(entry, events.append)
        await recorder.on_disk()
        recorder.record(recorder.entry("service_stopped"), events.append, keep_head=True)
        recorder.close()
        assert threads.isdisjoint({threading.main_thread()})
        return events

    events = asyncio.run(evening())
    assert [event.index for event in events] == list(range(1, 52))
    assert [event.details.get("number") for event in events[:-1]] == list(range(50))
    scanned = scan(LogFolder(tmp_path / "audit"))
    assert (scanned.tree.size, scanned.last.what) == (52, "service_stopped")


def test_while_the_disk_is_full_events_wait_and_the_failure_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def evening() -> list[str | None]:
        states: list[str | None] = []
        recorder = AuditRecorder(
            LogFolder(tmp_path / "audit"),
            "pai_gow",
            RecorderClocks(asyncio.get_running_loop().time, 0.002),
            DirectStorage(),
            changed=lambda: states.append(recorder.failure),
        )
        recorder.record(recorder.entry("power_up"))

        def full(*given: object) -> int:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(audit_log.os, "pwrite", full)
            recorder.record(recorder.entry("command", {"number": 1}))
            recorder.record(recorder.entry("command", {"number": 2}))
            with pytest.raises(AuditError, match="No space left"):
                await recorder.on_disk()
            await asyncio.sleep(0.03)
        await asyncio.sleep(0.03)
        assert recorder.size > 3
        recorder.close()
        return states

    states = asyncio.run(evening())
    assert len(states) == 2
    assert "No space left" in str(states[0])
    assert states[1] is None
    lines = (tmp_path / "audit/events.jsonl").read_text().splitlines()
    whats = [json.loads(line)["what"] for line in lines]
    assert whats == [
        "log_begun",
        "power_up",
        "command",
        "command",
        "audit_recovered",
    ]


def test_a_locked_log_is_reported_and_not_changed(tmp_path: Path) -> None:
    async def evening() -> None:
        recorder = AuditRecorder(
            LogFolder(tmp_path / "audit"), "pai_gow", RecorderClocks(lambda: 0.0), DirectStorage()
        )
        recorder.record(recorder.entry("power_up"))
        assert recorder.is_locked == (number > 0)
        assert ("is locked" in str(recorder.failure)) == (number > 0)
        recorder.close()

    for number in range(3):
        asyncio.run(evening())
        events = tmp_path / "audit/events.jsonl"
        if not number:
            events.write_bytes(events.read_bytes().replace(b"power_up", b"power_xx"))
        assert b"power_up" not in events.read_bytes()


@pytest.mark.parametrize("waits", [True, False], ids=["opened later", "closed before"])
def test_a_log_that_is_opened_later_has_every_event_since_the_start(
    tmp_path: Path, waits: bool
) -> None:
    async def evening() -> None:
        recorder = AuditRecorder(
            LogFolder(tmp_path / "audit"),
            "pai_gow",
            RecorderClocks(asyncio.get_running_loop().time, 0.001),
            DirectStorage(),
            open_after=20.0,
        )
        recorder.record(recorder.entry("power_up"))
        assert not (tmp_path / "audit").exists()
        if waits:
            await recorder.on_disk()
            assert recorder.size == 2
        recorder.record(recorder.entry("service_stopped"))
        recorder.close()

    asyncio.run(evening())
    events = (tmp_path / "audit/events.jsonl").read_text("utf-8").splitlines()
    whats = [json.loads(line)["what"] for line in events]
    assert whats[:2] == ["log_begun", "power_up"]
    assert whats[-1] == "service_stopped"


def test_a_first_log_that_is_opened_late_reports_no_jump_of_the_clock(tmp_path: Path) -> None:
    async def evening() -> None:
        times = iter([NOON, *(NOON + timedelta(seconds=5) for _ in range(9))])
        seconds = count(0.0, 5.0)
        recorder = AuditRecorder(
            LogFolder(tmp_path / "audit"),
            "pai_gow",
            RecorderClocks(lambda: 0.0, computer=lambda: ClockReading(next(times), next(seconds))),
            DirectStorage(),
            open_after=0.001,
        )
        recorder.record(recorder.entry("power_up"))
        await recorder.on_disk()
        recorder.close()

    asyncio.run(evening())
    events = (tmp_path / "audit/events.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["what"] for line in events] == ["log_begun", "power_up"]


def test_a_late_event_loop_is_no_jump_of_the_clock_and_a_set_clock_is(tmp_path: Path) -> None:
    """The loop of a simulated table falls behind on a busy computer; its seconds stand still."""
    readings = [(0.0, 0.0), (5.0, 5.0), (10.0, 10.0), (70.0, 15.0), (75.0, 20.0)]

    async def evening() -> None:
        clocks = iter(ClockReading(NOON + timedelta(seconds=s), real) for s, real in readings)
        recorder = AuditRecorder(
            LogFolder(tmp_path / "audit"),
            "pai_gow",
            RecorderClocks(lambda: 0.0, 25.0, lambda: next(clocks)),
            DirectStorage(),
        )
        for number in range(len(readings)):
            recorder.record(recorder.entry("command", {"number": number}))
        await recorder.on_disk()
        recorder.close()

    asyncio.run(evening())
    lines = (tmp_path / "audit/events.jsonl").read_text("utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    assert [event["what"] for event in events] == [
        *("log_begun", "command", "command", "command", "clock_jumped", "command", "command"),
    ]
    assert events[4]["details"] == {"by_ms": 55_000, "from": "2030-01-01T12:00:10.000Z"}


def test_the_two_clocks_of_the_computer_are_read_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system interrupts the program for 9 s during the first of three readings."""
    seconds = iter([0.0, 9.0, 9.0, 9.001, 9.001, 9.003])
    monkeypatch.setattr(audit_recorder.time, "clock_gettime", lambda _: next(seconds))
    assert audit_recorder.computer_clocks().real_s == 9.0
