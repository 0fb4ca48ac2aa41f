"""Tests safe start and stop: after a failed self-test nothing moves; a stop stops all motors."""

from __future__ import annotations

import asyncio

import pytest

from controller.events import EventLog
from controller.run.assembly import Hardware
from controller.run.daemon import Daemon
from controller.run.faults.catalogue import Fault
from tests.controller.played_round import Round, play
from tests.controller.table_with_faults import evening

AXES_AND_LAMP = ("gantry_x", "gantry_y", "gantry_z", "ready")
"""Not checked: only the start of an axis is recorded; the ready lamp's safe value is lit."""


def test_a_board_that_fails_its_self_test_is_named_and_nothing_moves() -> None:
    async def fail(daemon: Daemon, _: Hardware, __: EventLog) -> None:
        async def self_test() -> int:
            return 0b101

        daemon._boards["arm"].self_test = self_test  # type: ignore[method-assign]

    emitted = evening(meanwhile=fail)
    assert emitted.fault is not None
    assert (emitted.fault.fault, emitted.fault.part) == (Fault.CONFIGURATION, "board arm")
    assert "its self-test reports failing parts 0x5" in emitted.fault.evidence
    assert {pin for _, pin, value in emitted.pins if value} <= {"ready"}, (
        "a lit lamp is its safe value"
    )


@pytest.mark.slow
def test_at_a_stop_the_motors_stop_before_the_daemon_waits_for_a_board() -> None:
    """Switching the lamp tower off takes a minute here; the drum stops before that minute."""
    closing: list[float] = []
    seen: list[Round] = []

    def stop(played: Round) -> None:
        daemon, loop = played.daemon, asyncio.get_running_loop()

        async def slow_close() -> None:
            closing.append(loop.time())
            await asyncio.sleep(60.0)

        async def end() -> None:
            # A second lease on every board, so that releasing the first one stops no motor.
            for board in daemon._boards.values():
                await board.hold_lease()
            daemon._tower.close = slow_close  # type: ignore[method-assign]
            running.cancel()

        seen.append(played)
        tasks.append(loop.create_task(end()))

    tasks: list[asyncio.Task[None]] = []
    running: asyncio.Task[object]

    def hear(played: Round, event: dict[str, object]) -> None:
        nonlocal running
        if event["event"] == "state" and event["under"] == "testing":
            task = asyncio.current_task()
            assert task is not None
            running = task

    with pytest.raises(asyncio.CancelledError):
        play(happens={34.0: stop}, on=hear)
    (played,), (closed,) = seen, closing
    last = {pin: (at, value) for at, pin, value in played.pin_changes if at < closed + 59.0}
    moving = {pin for pin, (_, value) in last.items() if value and pin not in AXES_AND_LAMP}
    assert moving == set()
    assert max(at for pin, (at, _) in last.items() if pin == "drum") < closed + 0.05
