"""Tests the specification of a board on the harness, with each target."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial

import pytest

from firmware_bridge.board import Edge, Edges, Elapsed, FaultCode, Level, Reason
from firmware_bridge.wire.codec import configuration_crc
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.errors import BoardRefusedError
from firmware_bridge.wire.messages import PROTOCOL
from hil_tests import harness
from hil_tests.calibration import (
    CLOCK_US,
    SAMPLING_US,
    calibrated,
    shared_stamp,
    while_punctual,
)
from hil_tests.conftest import Measure
from hil_tests.targets import Bench, Target

SETTLED = 0.02
"""Seconds after which every wire has its level and every event has arrived."""
REFLEX_US = 100
"""Limit from one sensor's edge to another one's, for reflex (50 us), wire and sampling (20 us)."""
ROUND_TRIPS = 50
REFLEXES = 10
OWN_REFLEX_US = 1000
"""Limit of the same by the motor's own sensor, which is sampled again after the report only."""


async def edges(watched: AsyncIterator[Edge], count: int) -> list[Edge]:
    """Wait up to 2 s for the next `count` edges of a sensor; return them."""
    async with asyncio.timeout(2.0):
        return [await anext(watched) for _ in range(count)]


async def home_axis(bench: Bench) -> None:
    """Home the axis with its home switch closed by the output `switch`; then open the switch."""
    await bench.board.hold_lease()
    await bench.board.set("switch", 1)
    await asyncio.sleep(SETTLED)
    assert (await bench.board.home("axis")).reason is Reason.DONE
    await bench.board.set("switch", 0)
    await asyncio.sleep(SETTLED)


# The link, the identity and the table


def test_every_command_is_answered_within_20_ms(target: Target, measure: Measure) -> None:
    async def scenario(bench: Bench) -> None:
        loop = asyncio.get_running_loop()
        # A board that still tests its program at the start makes the host repeat a question.
        before = bench.board.traffic.retries

        async def round_trip() -> float:
            sent = loop.time()
            await bench.board.read("lit")
            return (loop.time() - sent) * 1000

        measured = (
            partial(while_punctual, round_trip) if target.needs_a_punctual_host else round_trip
        )
        measure("round trip", [await measured() for _ in range(ROUND_TRIPS)], "ms", most=20)
        assert bench.board.traffic.retries == before

    target.run(scenario)


def test_the_board_reports_its_identity_and_has_the_harness_s_table(target: Target) -> None:
    async def scenario(bench: Bench) -> None:
        identity = await bench.board.start()
        assert identity.protocol == PROTOCOL
        assert identity.boots >= 1
        assert await bench.board.self_test() == 0
        assert configuration_crc(bench.harness.records) != 0
        await bench.board.close()
        again = await bench.board.start()
        assert again.configuration_crc == configuration_crc(bench.harness.records)

    target.run(scenario)


# The lease


def test_outputs_are_refused_without_a_lease(target: Target) -> None:
    async def scenario(bench: Bench) -> None:
        with pytest.raises(BoardRefusedError) as refused:
            await bench.board.set("lamp", 1)
        assert refused.value.why is Refusal.NO_LEASE
        assert await bench.board.read("lit") == 0

    target.run(scenario)


def test_a_lease_that_is_given_back_makes_everything_safe(target: Target) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        await bench.board.set("lamp", 1)
        await bench.board.set("motor", 1000)
        await asyncio.sleep(SETTLED)
        assert [await bench.board.read(each) for each in ("lit", "forward")] == [1, 1]
        await bench.board.release_lease()
        await asyncio.sleep(SETTLED)
        assert [await bench.board.read(each) for each in ("lit", "forward")] == [0, 0]

    target.run(scenario)


# Outputs and sensors


def test_every_output_changes_its_own_sensor_only(target: Target) -> None:
    wires = (("motor", 1000, "forward"), ("motor", -1000, "reverse"), ("second", 1000, "turning"))
    wires += (("lamp", 1, "lit"), ("switch", 1, "home"))
    sensors = ("forward", "reverse", "turning", "lit", "home")

    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        for output, value, sensor in wires:
            await bench.board.set(output, value)
            await asyncio.sleep(SETTLED)
            assert {each for each in sensors if await bench.board.read(each)} == {sensor}
            await bench.board.set(output, 0)
        await asyncio.sleep(SETTLED)
        assert [await bench.board.read(each) for each in sensors] == [0] * len(sensors)

    target.run(scenario)


def test_a_motor_stops_at_the_edge_that_it_waits_for(target: Target) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        watched = bench.board.watch("forward")
        for _ in range(REFLEXES):
            ended = await bench.board.drive("motor", 1000, Edges("forward", 1), 1.0)
            assert (ended.reason, ended.count) == (Reason.EDGES, 1)
            on, off = await edges(watched, 2)
            assert (on.active, off.active) == (True, False)

    target.run(scenario)


def test_a_motor_is_off_soon_after_the_edge_that_it_waits_for(
    target: Target, measure: Measure
) -> None:
    """Another sensor sees the motor: one that has changed is not sampled until it is processed.

    Where two sensors have one time stamp, the motor's own sensor gives an upper bound.
    """

    async def by_another_sensor(bench: Bench) -> None:
        await bench.board.hold_lease()
        calibration = await calibrated(bench, "lit", "forward")
        awaited, motor = bench.board.watch("lit"), bench.board.watch("forward")
        taken = []
        for _ in range(REFLEXES):
            drive = asyncio.create_task(bench.board.drive("motor", 1000, Edges("lit", 1), 1.0))
            assert (await edges(motor, 1))[0].active
            await bench.board.set("lamp", 1)
            assert (await drive).reason is Reason.EDGES
            (seen,), (off,) = await edges(awaited, 1), await edges(motor, 1)
            assert (seen.active, off.active) == (True, False)
            taken.append(round((off.at - seen.at) * 1e6))
            await bench.board.set("lamp", 0)
            await edges(awaited, 1)
        name = "edge to motor off and a wire, seen by another sensor"
        measure(name, taken, "us", most=REFLEX_US, resolution=calibration.resolution)
        # The distance contains the delay of a wire, so a smaller one is an error of the method.
        assert max(taken) >= target.wire_us - calibration.resolution

    async def by_its_own_sensor(bench: Bench) -> None:
        await bench.board.hold_lease()
        watched, taken = bench.board.watch("forward"), []
        for _ in range(REFLEXES):
            ended = await bench.board.drive("motor", 1000, Edges("forward", 1), 1.0)
            assert ended.reason is Reason.EDGES
            on, off = await edges(watched, 2)
            taken.append(round((off.at - on.at) * 1e6))
        resolution = SAMPLING_US[bench.harness.chip] + CLOCK_US
        name = "edge to motor off, a wire and the report, an upper bound"
        measure(name, taken, "us", most=OWN_REFLEX_US, resolution=resolution)
        assert max(taken) >= target.wire_us - resolution

    shared = shared_stamp(target.harness, "lit", "forward")
    target.run(by_another_sensor if shared is None else by_its_own_sensor)


def test_a_motor_runs_until_a_sensor_has_a_level(target: Target) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        drive = asyncio.create_task(bench.board.drive("motor", -1000, Level("lit"), 1.0))
        await asyncio.sleep(0.05)
        assert await bench.board.read("reverse") == 1
        await bench.board.set("lamp", 1)
        assert (await drive).reason is Reason.LEVEL
        await asyncio.sleep(SETTLED)
        assert await bench.board.read("reverse") == 0

    target.run(scenario)


def test_a_limit_switch_stops_the_motor_that_drives_against_it(target: Target) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        drive = asyncio.create_task(bench.board.drive("second", 1000, Elapsed(), 1.0))
        await asyncio.sleep(0.05)
        await bench.board.set("lamp", 1)
        assert (await drive).reason is Reason.SWITCH
        await asyncio.sleep(SETTLED)
        assert await bench.board.read("turning") == 0

    target.run(scenario)


@pytest.mark.parametrize("milliseconds", [5, 40, 250])
def test_a_pulse_has_the_length_of_its_command(
    target: Target, measure: Measure, milliseconds: int
) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        watched = bench.board.watch("lit")
        ended = await bench.board.pulse("lamp", 1, milliseconds / 1000)
        assert ended.reason is Reason.DONE
        on, off = await edges(watched, 2)
        error = abs((off.at - on.at) * 1e6 - milliseconds * 1000)
        measure(f"error of a pulse of {milliseconds} ms", error, "us", most=1000)

    target.run(scenario)


def test_edges_are_counted_and_reported_one_by_one(target: Target) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        before = await bench.board.count("lit")
        watched = bench.board.watch("lit")
        for _ in range(10):
            await bench.board.pulse("lamp", 1, 0.005)
        reported = await edges(watched, 20)
        assert [edge.active for edge in reported] == [True, False] * 10
        assert await bench.board.count("lit") == before + 10 == reported[-1].count

    target.run(scenario)


def test_a_stop_stops_motors_and_leaves_lamps_on(target: Target) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        await bench.board.set("lamp", 1)
        drive = asyncio.create_task(bench.board.drive("motor", 1000, Elapsed(), 1.0))
        await asyncio.sleep(0.05)
        await bench.board.stop()
        assert (await drive).reason is Reason.STOPPED
        await asyncio.sleep(SETTLED)
        assert [await bench.board.read(each) for each in ("forward", "lit")] == [0, 1]

    target.run(scenario)


# Faults


@pytest.mark.slow
def test_a_motor_that_is_on_too_long_stops_the_board_until_the_fault_is_cleared(
    target: Target, measure: Measure
) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        watched = bench.board.watch("forward")
        faults = bench.board.faults
        await bench.board.set("motor", 1000)
        async with asyncio.timeout(4.0):
            fault = await anext(faults)
        assert (fault.code, fault.channel) == (FaultCode.MAXIMUM_ON_TIME, "motor")
        on, off = await edges(watched, 2)
        on_time = off.at - on.at
        measure("on-time of a motor with a limit of 2 s", on_time, "s", most=2.005, least=1.99)
        with pytest.raises(BoardRefusedError):
            await bench.board.set("lamp", 1)
        await bench.board.clear()
        await bench.board.set("lamp", 1)

    target.run(scenario)


@pytest.mark.needs("button")
def test_the_emergency_stop_cuts_the_power_and_is_latched(target: Target) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        faults = bench.board.faults
        drive = asyncio.create_task(bench.board.drive("motor", 1000, Elapsed(), 1.0))
        await asyncio.sleep(0.05)
        await bench.press("emergency", True)
        assert (await drive).reason is Reason.FAULT
        assert (await anext(faults)).code is FaultCode.EMERGENCY_STOP
        await asyncio.sleep(SETTLED)
        assert await bench.board.read("forward") == 0
        with pytest.raises(BoardRefusedError):
            await bench.board.clear()
        await bench.press("emergency", False)
        await asyncio.sleep(SETTLED)
        await bench.board.clear()

    target.run(scenario)


# The axis


def test_an_axis_moves_for_the_time_of_its_trapezoid(target: Target, measure: Measure) -> None:
    way, speed = 0.03, harness.SPEED_UM_S / 1e6
    ideal = way / speed + speed / (harness.ACCELERATION_UM_S2 / 1e6)

    async def scenario(bench: Bench) -> None:
        await home_axis(bench)
        ended = await bench.board.move({"axis": way})
        assert ended.reason is Reason.DONE
        error = abs(ended.seconds - ideal) * 1000
        measure("difference from the computed time of 30 mm", error, "ms", most=3)
        assert await bench.board.read("axis") == round(way * 1e6)

    target.run(scenario)


@pytest.mark.slow
@pytest.mark.needs("steps")
def test_every_step_of_an_axis_is_counted_by_a_sensor(target: Target, measure: Measure) -> None:
    async def scenario(bench: Bench) -> None:
        await home_axis(bench)
        before = await bench.board.count("steps")
        await bench.board.move({"axis": 0.03})
        await asyncio.sleep(SETTLED)
        made = await bench.board.count("steps") - before
        wanted = 30_000_000 // harness.STEP_NM
        measure("missing or extra steps in 200", abs(made - wanted), "steps", most=0)
        assert await bench.board.read("way") == 1
        await bench.board.move({"axis": 0.0})
        await asyncio.sleep(SETTLED)
        assert await bench.board.count("steps") - before == 2 * wanted
        assert await bench.board.read("way") == 0

    target.run(scenario)


# The clock


def test_the_board_s_clock_agrees_with_the_host_s(target: Target, measure: Measure) -> None:
    async def scenario(bench: Bench) -> None:
        loop = asyncio.get_running_loop()
        await bench.board.hold_lease()
        watched = bench.board.watch("lit")

        async def difference() -> float:
            began = loop.time()
            await bench.board.set("lamp", 1)
            (on,) = await edges(watched, 1)
            await asyncio.sleep(1.0 - (loop.time() - began))
            ended = loop.time()
            await bench.board.set("lamp", 0)
            (off,) = await edges(watched, 1)
            return abs((off.at - on.at) - (ended - began)) * 1000

        measured = (
            partial(while_punctual, difference) if target.needs_a_punctual_host else difference
        )
        measure("difference of the clocks in one second", await measured(), "ms", most=20)

    target.run(scenario)
