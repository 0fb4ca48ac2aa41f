"""Compares sensors on analogue inputs, with two thresholds, on firmware and virtual board."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

from firmware_bridge.board import Reason
from firmware_bridge.sim import clock
from firmware_bridge.wire.codes import Flag, UntilKind
from firmware_bridge.wire.messages import NONE, Configure, Count, EdgeSeen, Read, Refused, Value
from tests.firmware_bridge.firmware.twin_scenarios import drive, reasons
from tests.firmware_bridge.firmware.twins import Twins

COUNTER = "head0_counter"
LOW_MV, HIGH_MV = 1500, 3000
MIDDLE = (1600, 2900, 1501, 2999)


async def connected(library: Path) -> Twins:
    """Return twins whose counter has thresholds; no tile is before it (high, so inactive)."""
    twins = Twins(library, "robotic", "base")
    twins.tolerance_us = 1200  # the firmware compares its measurements once a millisecond
    twins.records = tuple(
        record._replace(low_mv=LOW_MV, high_mv=HIGH_MV, debounce_ms=0)
        if name == COUNTER
        else record
        for name, record in zip_longest(twins.names, twins.records)
    )
    twins.voltage(COUNTER, 4000)
    await twins.begin()
    await twins.watch(COUNTER)
    await twins.advance(30.5)
    return twins


def test_a_tile_with_a_noisy_signal_between_the_thresholds_is_counted_once(library: Path) -> None:
    async def main() -> None:
        twins = await connected(library)
        for tile in range(5):
            for millivolts in (*MIDDLE, 1400, *MIDDLE, 1500, *MIDDLE, 3000, *MIDDLE):
                twins.voltage(COUNTER, millivolts)
                await twins.advance(2)
            assert await twins.send(Count(twins.number(COUNTER))) == Value(tile + 1)
        await twins.compare()
        assert len(twins.events(EdgeSeen)) >= 10
        twins.close()

    clock.run(main())


def test_a_sensor_with_thresholds_does_not_count_before_it_was_measured(library: Path) -> None:
    async def main() -> None:
        twins = await connected(library)
        assert await twins.send(Count(twins.number(COUNTER))) == Value(0)
        assert await twins.send(Read(twins.number(COUNTER))) == Value(0)
        await twins.compare()
        assert not twins.events(EdgeSeen)
        twins.close()

    clock.run(main())


def test_a_motor_stops_at_the_edge_of_a_sensor_with_thresholds(library: Path) -> None:
    async def main() -> None:
        twins = await connected(library)
        await twins.send(drive(twins, "head0_wheel", 500, UntilKind.EDGES, COUNTER, 1))
        await twins.advance(20)
        assert twins.chip.output(6) == 1
        twins.voltage(COUNTER, 900)
        await twins.advance(3)
        assert twins.chip.output(6) == 0
        await twins.compare()
        assert reasons(twins) == [Reason.EDGES]
        twins.close()

    clock.run(main())


def test_thresholds_in_the_wrong_order_of_a_motor_or_of_a_safety_input_are_refused(
    library: Path,
) -> None:
    async def main() -> None:
        twins = await connected(library)
        sensor = twins.records[twins.number(COUNTER)]
        motor: Configure = twins.records[twins.number("drum")]
        for record in (
            sensor._replace(low_mv=3000, high_mv=3000),
            sensor._replace(low_mv=100, high_mv=0),
            motor._replace(low_mv=1000, high_mv=2000),
            *(
                record._replace(flags=flag)
                for flag in (Flag.EMERGENCY, Flag.CURTAIN)
                for record in (sensor, sensor._replace(low_mv=0, high_mv=0, pin=NONE), motor)
            ),
        ):
            assert isinstance(await twins.send(record), Refused)
        await twins.compare()
        twins.close()

    clock.run(main())
