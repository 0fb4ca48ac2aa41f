"""Tests how switches and currents show injected faults of lifts and lid."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.board import Ended, FaultCode, Level, Reason
from firmware_bridge.wire.messages import Clear, Ok
from tests.firmware_bridge.sim.rack import Rack, run_scenario, with_faults


async def lift(rack: Rack, up: bool = True, limit: float = 5.0) -> Ended:
    value, end = (1000, "up") if up else (-1000, "down")
    return await rack.drive("lift1", value, Level(f"lift1_{end}"), limit)


def test_a_weak_lift_exceeds_its_time_and_reaches_its_end_with_the_next_order() -> None:
    async def main(rack: Rack) -> None:
        assert (await lift(rack)).reason is Reason.TIME
        assert (rack.read("lift1_up"), rack.read("lift1_down")) == (0, 0)
        again = await lift(rack)
        assert again.reason is Reason.LEVEL
        assert again.seconds == pytest.approx(2.505, abs=0.01)

    run_scenario(main, **with_faults("weak_motor:lift1"))


def test_a_lift_has_its_normal_speed_after_the_repair_of_its_motor() -> None:
    async def main(rack: Rack) -> None:
        await lift(rack)
        assert rack.plant.repair("LIFT", "lift 1")
        assert (await lift(rack)).reason is Reason.LEVEL
        down = await lift(rack, up=False)
        assert (down.reason, down.seconds) == (Reason.LEVEL, pytest.approx(2.505))

    run_scenario(main, **with_faults("weak_motor:lift1"))


def test_a_lift_that_catches_half_way_shows_neither_switch_and_is_free_at_the_next_start() -> None:
    async def main(rack: Rack) -> None:
        assert (await lift(rack)).reason is Reason.TIME
        assert (rack.read("lift1_up"), rack.read("lift1_down")) == (0, 0)
        again = await lift(rack)
        assert (again.reason, again.seconds) == (Reason.LEVEL, pytest.approx(1.255))
        assert rack.plant.injected_faults.active == ()

    run_scenario(main, **with_faults("half_up:lift1#1"))


def test_a_lift_that_stays_caught_is_freed_by_a_person() -> None:
    async def main(rack: Rack) -> None:
        for _ in range(3):
            assert (await lift(rack)).reason is Reason.TIME
        assert rack.plant.repair("LIFT", "lift 1")
        assert (await lift(rack)).reason is Reason.LEVEL

    run_scenario(main, **with_faults("half_up:lift1#1~99"))


@pytest.mark.parametrize("switch", ["lift1_up", "lift1"])
def test_a_limit_switch_that_does_not_close_ends_the_drive_at_its_time_limit(switch: str) -> None:
    async def main(rack: Rack) -> None:
        for _ in range(2):
            assert (await lift(rack)).reason is Reason.TIME
        assert rack.plant.repair("LIFT", "lift 1")
        await asyncio.sleep(0.01)
        assert rack.read("lift1_up") == 1

    run_scenario(main, **with_faults(f"limit_switch:{switch}"))


def test_a_lower_switch_that_stays_active_latches_both_switches() -> None:
    async def main(rack: Rack) -> None:
        assert (await lift(rack)).reason in (Reason.FAULT, Reason.LEVEL)
        base = rack.boards["base"]
        assert base.faults == (FaultCode.BOTH_SWITCHES,)
        assert base.execute(Clear(), 0) != Ok()
        assert rack.plant.repair("BOTH_SWITCHES", "lift1")
        await asyncio.sleep(0.01)
        assert base.execute(Clear(), 0) == Ok()

    run_scenario(main, **with_faults("stuck_sensor:lift1_down#1"))


def test_a_hand_under_the_lid_latches_over_current_and_the_lid_can_move_back() -> None:
    async def main(rack: Rack) -> None:
        base = rack.boards["base"]
        opened = await rack.drive("lid", 1000, Level("lid_opened"), 5.0)
        assert opened.reason is Reason.FAULT
        assert base.faults == (FaultCode.OVER_CURRENT,)
        assert (rack.read("lid_opened"), rack.read("lid_closed")) == (0, 0)
        assert base.execute(Clear(), 0) == Ok()
        again = await rack.drive("lid", 1000, Level("lid_opened"), 5.0)
        # In the inrush time of the table, 0.5 s, a motor may draw more than the limit.
        assert (again.reason, again.seconds) == (Reason.FAULT, pytest.approx(0.5, abs=0.02))
        base.execute(Clear(), 0)
        await asyncio.sleep(0.01)  # until the averaged current is below the limit
        back = await rack.drive("lid", -1000, Level("lid_closed"), 5.0)
        assert back.reason is Reason.LEVEL
        assert rack.plant.repair("OVER_CURRENT", "lid")
        opened = await rack.drive("lid", 1000, Level("lid_opened"), 5.0)
        assert opened.reason is Reason.LEVEL

    run_scenario(main, **with_faults("obstruction:lid#1"))


def test_an_obstruction_with_a_duration_is_removed_after_it() -> None:
    async def main(rack: Rack) -> None:
        assert (await lift(rack)).reason is Reason.FAULT
        rack.boards["base"].execute(Clear(), 0)
        await asyncio.sleep(3)
        assert (await lift(rack)).reason is Reason.LEVEL
        assert not rack.plant.repair("OVER_CURRENT", "lift 1")

    run_scenario(main, **with_faults("obstruction:lift1#1~4"))


def test_a_short_over_current_latches_a_fault_and_the_motor_runs_after_a_clear() -> None:
    async def main(rack: Rack) -> None:
        assert (await lift(rack)).reason is Reason.FAULT
        assert rack.boards["base"].faults == (FaultCode.OVER_CURRENT,)
        rack.boards["base"].execute(Clear(), 0)
        assert (await lift(rack)).reason is Reason.LEVEL

    run_scenario(main, **with_faults("over_current:lift1#1"))
