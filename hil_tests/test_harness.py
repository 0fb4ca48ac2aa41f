"""What a board promises, on its harness: told to whatever is at the end of the line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from firmware_bridge.board import Edge, Edges, Elapsed, FaultCode, Level, Reason
from firmware_bridge.wire.codec import configuration_crc
from firmware_bridge.wire.errors import BoardRefusedError
from firmware_bridge.wire.messages import Refusal
from hil_tests import harness
from hil_tests.conftest import Measure
from hil_tests.targets import Bench, Target

SETTLED = 0.02
"""A moment after which every wire has its level, and every event is here."""
LOOP_US = 250
"""What an output, its wire and the sensor at its end may take (the reflex itself: 50 us)."""
ROUND_TRIPS = 50


async def edges(watched: AsyncIterator[Edge], count: int) -> list[Edge]:
    """The next edges."""
    async with asyncio.timeout(2.0):
        return [await anext(watched) for _ in range(count)]


async def homed(bench: Bench) -> None:
    """The axis is at home: its switch, closed by an output, says so."""
    await bench.board.hold_lease()
    await bench.board.set("switch", 1)
    await asyncio.sleep(SETTLED)
    assert (await bench.board.home("axis")).reason is Reason.DONE
    await bench.board.set("switch", 0)
    await asyncio.sleep(SETTLED)


# The link, who it is, its table


def test_every_question_is_answered_soon(target: Target, measure: Measure) -> None:
    async def scenario(bench: Bench) -> None:
        loop = asyncio.get_running_loop()
        slowest = 0.0
        for _ in range(ROUND_TRIPS):
            asked = loop.time()
            await bench.board.read("lit")
            slowest = max(slowest, loop.time() - asked)
        measure("slowest of 50 round trips", slowest * 1000, "ms", most=20)
        assert bench.board.traffic.retries == 0

    target.run(scenario)


def test_the_board_says_who_it_is_and_has_the_harness_s_table(target: Target) -> None:
    async def scenario(bench: Bench) -> None:
        identity = await bench.board.start()
        assert identity.protocol == 1
        assert identity.boots >= 1
        assert await bench.board.self_test() == 0
        assert configuration_crc(harness.RECORDS) != 0
        await bench.board.close()
        again = await bench.board.start()
        assert again.configuration_crc == configuration_crc(harness.RECORDS)

    target.run(scenario)


# The lease


def test_nothing_moves_without_a_lease(target: Target) -> None:
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


def test_every_output_is_seen_by_its_sensor_and_by_no_other(target: Target) -> None:
    wires = (("motor", 1000, "forward"), ("motor", -1000, "reverse"), ("second", 1000, "turning"))
    wires += (("lamp", 1, "lit"), ("switch", 1, "home"))
    seen = ("forward", "reverse", "turning", "lit", "home")

    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        for output, value, sensor in wires:
            await bench.board.set(output, value)
            await asyncio.sleep(SETTLED)
            assert {each for each in seen if await bench.board.read(each)} == {sensor}
            await bench.board.set(output, 0)
        await asyncio.sleep(SETTLED)
        assert [await bench.board.read(each) for each in seen] == [0] * len(seen)

    target.run(scenario)


def test_a_motor_stops_at_the_edge_that_it_waits_for(target: Target, measure: Measure) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        watched = bench.board.watch("forward")
        ended = await bench.board.drive("motor", 1000, Edges("forward", 1), 1.0)
        assert (ended.reason, ended.count) == (Reason.EDGES, 1)
        on, off = await edges(watched, 2)
        assert (on.active, off.active) == (True, False)
        measure("edge to motor off, seen by the sensor", (off.at - on.at) * 1e6, "us", most=LOOP_US)

    target.run(scenario)


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


def test_a_switch_stops_the_motor_that_drives_against_it(target: Target) -> None:
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
def test_a_pulse_lasts_as_long_as_it_should(
    target: Target, measure: Measure, milliseconds: int
) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        watched = bench.board.watch("lit")
        ended = await bench.board.pulse("lamp", 1, milliseconds / 1000)
        assert ended.reason is Reason.DONE
        on, off = await edges(watched, 2)
        off_by = abs((off.at - on.at) * 1e6 - milliseconds * 1000)
        measure(f"a pulse of {milliseconds} ms is wrong by", off_by, "us", most=1000)

    target.run(scenario)


def test_edges_are_counted_and_told_one_by_one(target: Target) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        before = await bench.board.count("lit")
        watched = bench.board.watch("lit")
        for _ in range(10):
            await bench.board.pulse("lamp", 1, 0.005)
        told = await edges(watched, 20)
        assert [edge.active for edge in told] == [True, False] * 10
        assert await bench.board.count("lit") == before + 10 == told[-1].count

    target.run(scenario)


def test_a_stop_stops_motors_and_leaves_lamps_alone(target: Target) -> None:
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


def test_a_motor_that_is_on_too_long_stops_the_board_until_it_is_cleared(
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
        measure("a motor whose longest is 2 s was on", off.at - on.at, "s", most=2.005, least=1.99)
        with pytest.raises(BoardRefusedError):
            await bench.board.set("lamp", 1)
        await bench.board.clear()
        await bench.board.set("lamp", 1)

    target.run(scenario)


@pytest.mark.needs("hand")
def test_the_emergency_stop_takes_the_power_and_is_latched(target: Target) -> None:
    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        faults = bench.board.faults
        drive = asyncio.create_task(bench.board.drive("motor", 1000, Elapsed(), 1.0))
        await asyncio.sleep(0.05)
        bench.press("emergency", True)
        assert (await drive).reason is Reason.FAULT
        assert (await anext(faults)).code is FaultCode.EMERGENCY_STOP
        await asyncio.sleep(SETTLED)
        assert await bench.board.read("forward") == 0
        with pytest.raises(BoardRefusedError):
            await bench.board.clear()
        bench.press("emergency", False)
        await asyncio.sleep(SETTLED)
        await bench.board.clear()

    target.run(scenario)


# The axis


def test_an_axis_arrives_when_its_trapezoid_does(target: Target, measure: Measure) -> None:
    way, speed = 0.03, harness.SPEED_UM_S / 1e6
    ideal = way / speed + speed / (harness.ACCELERATION_UM_S2 / 1e6)

    async def scenario(bench: Bench) -> None:
        await homed(bench)
        ended = await bench.board.move({"axis": way})
        assert ended.reason is Reason.DONE
        late = abs(ended.seconds - ideal) * 1000
        measure("30 mm take longer or shorter by", late, "ms", most=3)
        assert await bench.board.read("axis") == round(way * 1e6)

    target.run(scenario)


@pytest.mark.needs("steps")
def test_every_step_of_an_axis_is_counted_by_a_sensor(target: Target, measure: Measure) -> None:
    async def scenario(bench: Bench) -> None:
        await homed(bench)
        before = await bench.board.count("steps")
        await bench.board.move({"axis": 0.03})
        await asyncio.sleep(SETTLED)
        made = await bench.board.count("steps") - before
        wanted = 30_000_000 // harness.STEP_NM
        measure("steps too many or too few in 200", abs(made - wanted), "steps", most=0)
        assert await bench.board.read("way") == 1
        await bench.board.move({"axis": 0.0})
        await asyncio.sleep(SETTLED)
        assert await bench.board.count("steps") - before == 2 * wanted
        assert await bench.board.read("way") == 0

    target.run(scenario)


# The clock


def test_the_board_s_clock_keeps_time_with_the_host_s(target: Target, measure: Measure) -> None:
    async def scenario(bench: Bench) -> None:
        loop = asyncio.get_running_loop()
        await bench.board.hold_lease()
        watched = bench.board.watch("lit")
        began = loop.time()
        await bench.board.set("lamp", 1)
        (on,) = await edges(watched, 1)
        await asyncio.sleep(1.0 - (loop.time() - began))
        ended = loop.time()
        await bench.board.set("lamp", 0)
        (off,) = await edges(watched, 1)
        off_by = abs((off.at - on.at) - (ended - began)) * 1000
        measure("the clocks part in a second by", off_by, "ms", most=20)

    target.run(scenario)
