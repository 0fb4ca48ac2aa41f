"""Runs a scenario on both twins, and reads the firmware's events afterwards."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.sim import clock
from firmware_bridge.wire.codes import UntilKind
from firmware_bridge.wire.messages import NONE, Drive, Faulted, MotionEnded
from tests.firmware_bridge.firmware.twins import Twins

Scenario = Callable[[Twins], Awaitable[None]]


def run_scenario(
    library: Path, scenario: Scenario, board: str = "base", begin: bool = True
) -> Twins:
    """Run a scenario on both twins and compare all their frames at the end."""

    async def main() -> Twins:
        twins = Twins(library, "robotic", board)
        if begin:
            await twins.begin()
        await scenario(twins)
        await twins.compare()
        return twins

    return clock.run(main())


def reasons(twins: Twins) -> list[Reason]:
    return [
        Reason(event.reason)
        for event in twins.events(MotionEnded)
        if isinstance(event, MotionEnded)
    ]


def codes(twins: Twins) -> list[FaultCode]:
    return [FaultCode(event.code) for event in twins.events(Faulted) if isinstance(event, Faulted)]


def drive(
    twins: Twins, motor: str, value: int, until: UntilKind, sensor: str = "", count: int = 0
) -> Drive:
    number = twins.number(sensor) if sensor else NONE
    return Drive(twins.number(motor), value, until, number, count, 2000, 0)


async def pass_tiles(twins: Twins, sensor: str, tiles: int) -> None:
    """Activate a counter on both boards for 7.1 ms per tile, for this number of tiles."""
    for _ in range(tiles):
        await twins.sense(sensor, True)
        await twins.advance(7.1)
        await twins.sense(sensor, False)
        await twins.advance(9.3)
