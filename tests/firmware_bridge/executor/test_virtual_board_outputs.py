"""Tests one virtual board's outputs: motors stop by switch, time, edges or current."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.board import Edges, Elapsed, Ended, Level, Reason
from firmware_bridge.wire.codes import Refusal, UntilKind
from firmware_bridge.wire.messages import NONE, Drive, MotionEnded, Ok, Pulse, Refused, Set, Stop
from tests.firmware_bridge.sim.rack import Rack, run_scenario


def test_a_driven_lid_stops_at_its_switch() -> None:
    async def main(rack: Rack) -> None:
        ended = await rack.drive("lid", 1000, Level("lid_opened"), 5.0)
        assert ended == Ended(Reason.LEVEL, 0, 2.005)
        again = await rack.drive("lid", 1000, Level("lid_opened"), 5.0)
        assert again == Ended(Reason.LEVEL, 0, 0.0)
        against = await rack.drive("lid", 1000, Elapsed(), 5.0)
        assert against == Ended(Reason.SWITCH, 0, 0.0)
        rack.set("lid", 1000)
        assert rack.read("lid") == 0

    run_scenario(main)


def test_a_motor_that_was_set_stops_at_its_switch() -> None:
    async def main(rack: Rack) -> None:
        rack.set("lift0", 1000)
        await asyncio.sleep(2.5)
        assert rack.read("lift0") == 1000
        await asyncio.sleep(0.0051)
        assert rack.read("lift0") == 0

    run_scenario(main)


def test_a_drive_ends_at_its_time_limit_with_reason_time() -> None:
    async def main(rack: Rack) -> None:
        assert await rack.drive("drum", 500, Elapsed(), 1.5) == Ended(Reason.TIME, 0, 1.5)
        late = await rack.drive("lift0", 1000, Level("lift0_up"), 1.0)
        assert late == Ended(Reason.TIME, 0, 1.0)

    run_scenario(main)


def test_a_drive_ends_when_the_current_exceeds_its_limit() -> None:
    async def main(rack: Rack) -> None:
        rack.loop.call_later(0.7, rack.boards["base"].current, "lid", 1800)
        limit = Drive(rack.number("lid"), 1000, UntilKind.TIME, NONE, 0, 5000, 1500)
        assert rack.send("lid", lambda _: limit) == Ok()
        await asyncio.sleep(1)
        (at, ended), *_ = rack.received(MotionEnded)
        assert (at, ended.reason) == (pytest.approx(0.714), Reason.CURRENT)  # type: ignore[attr-defined]

    run_scenario(main)


def test_a_pulse_is_as_long_as_ordered() -> None:
    async def main(rack: Rack) -> None:
        pulse = asyncio.create_task(rack.pulse("wide", 1, 0.04))
        await asyncio.sleep(0.0399)
        assert rack.read("wide") == 1
        assert await pulse == Ended(Reason.DONE, 0, 0.04)
        assert rack.read("wide") == 0

    run_scenario(main)


def test_back_pressure_stops_a_wheel_and_starts_it_again() -> None:
    async def main(rack: Rack) -> None:
        base = rack.boards["base"]
        wheel = asyncio.create_task(rack.drive("head0_wheel", 600, Edges("head0_counter", 1), 30.0))
        await asyncio.sleep(1)
        base.sensor("head0_full", True)
        await asyncio.sleep(0.0199)
        assert rack.read("head0_wheel") == 600
        await asyncio.sleep(0.0002)
        assert rack.read("head0_wheel") == 0
        base.sensor("head0_full", False)
        await asyncio.sleep(0.021)
        assert rack.read("head0_wheel") == 600
        base.sensor("head0_counter", True)
        assert (await wheel).reason is Reason.EDGES

    run_scenario(main)


def test_a_busy_motor_is_refused_until_it_is_stopped() -> None:
    async def main(rack: Rack) -> None:
        lid = asyncio.create_task(rack.drive("lid", 1000, Level("lid_opened"), 5.0))
        await asyncio.sleep(0.5)
        number = rack.number("lid")
        assert rack.send("lid", lambda _: Set(number, 0)) == Refused(Refusal.BUSY, number)
        assert rack.send("lid", lambda _: Pulse(number, 9, 9)) == Refused(Refusal.BUSY, number)
        rack.stop("lid")
        assert await lid == Ended(Reason.STOPPED, 0, 0.5)
        rack.set("lid", -1000)

    run_scenario(main)


def test_stopping_all_channels_leaves_outputs_on() -> None:
    async def main(rack: Rack) -> None:
        rack.set("wide", 1)
        rack.set("grip", -500)
        rack.set("turner", 500)
        assert rack.boards["arm"].execute(Stop(NONE), 0) == Ok()
        assert [rack.read(name) for name in ("wide", "grip", "turner")] == [1, 0, 0]

    run_scenario(main)


def test_the_reply_is_sent_before_the_end_of_a_motion_that_ends_at_once() -> None:
    async def main(rack: Rack) -> None:
        reply = rack.send("lid", rack.drives(-1000, Level("lid_closed"), 5.0))
        assert reply == Ok()
        assert not rack.received(MotionEnded)
        await asyncio.sleep(0)
        assert len(rack.received(MotionEnded)) == 1

    run_scenario(main)


def test_a_strip_refuses_bits_beyond_its_number_of_lamps() -> None:
    async def main(rack: Rack) -> None:
        assert rack.table.modules.lamps is not None
        strip = rack.table.modules.lamps.walls[0]
        lamps = rack.table.boards[rack.table.board_of(strip)].channels[strip].lamps  # type: ignore[union-attr]
        rack.set(strip, 0b11 << lamps - 2)
        assert rack.plant.shown[strip] == 0b11 << lamps - 2
        too_far = Refused(Refusal.OUT_OF_RANGE, rack.number(strip))
        assert rack.send(strip, lambda number: Set(number, 0b11 << lamps - 1)) == too_far
        assert rack.send(strip, lambda number: Set(number, -1)) == too_far

    run_scenario(main, "classic")
