"""Tests one virtual board's faults: latching, clearing, and the state after a reset."""

from __future__ import annotations

import asyncio

import pytest

from firmware_bridge.board import Edges, Elapsed, FaultCode, Level, Reason
from firmware_bridge.executor.safety import TRIP
from firmware_bridge.wire.codes import Defect, Refusal, ResetCause
from firmware_bridge.wire.messages import (
    NONE,
    PROTOCOL,
    Bootloader,
    Clear,
    Faulted,
    Identify,
    Identity,
    Ok,
    Read,
    Refused,
    SelfTest,
    Set,
    Value,
)
from tests.firmware_bridge.sim.rack import Rack, run_scenario


def codes(rack: Rack) -> list[FaultCode]:
    return [FaultCode(event.code) for _, event in rack.received(Faulted)]  # type: ignore[attr-defined]


def test_a_limit_switch_during_a_move_is_a_fault() -> None:
    async def main(rack: Rack) -> None:
        await rack.home("gantry_x")
        rack.loop.call_later(0.3, rack.boards["arm"].sensor, "gantry_x_home", True)
        assert (await rack.move(gantry_x=0.4)).reason is Reason.FAULT
        assert codes(rack) == [FaultCode.LIMIT_SWITCH]

    run_scenario(main)


def test_the_emergency_stop_makes_all_outputs_safe_in_the_same_instant() -> None:
    async def main(rack: Rack) -> None:
        await rack.home("gantry_x")
        rack.set("drum", 700)
        move = asyncio.create_task(rack.move(gantry_x=0.4))
        await asyncio.sleep(0.3)
        where = rack.read("gantry_x")
        rack.plant.emergency_stop(True)
        assert rack.read("drum") == 0
        assert rack.read("gantry_x") == where
        assert (await move).reason is Reason.FAULT
        assert codes(rack) == [FaultCode.EMERGENCY_STOP] * 2

    run_scenario(main)


def test_an_output_that_is_off_and_reads_active_is_a_fault_until_its_short_is_removed() -> None:
    async def main(rack: Rack) -> None:
        base, drum = rack.boards["base"], rack.number("drum")
        rack.set("drum", 700)
        base.short("drum", True)
        await asyncio.sleep(0.1)
        assert (base.faults, base.execute(SelfTest(), 0)) == ((), Value(0)), "while it runs"
        rack.set("drum", 0)
        await asyncio.sleep(0.01)
        assert base.faults == (FaultCode.UNEXPECTED_MOTION,)
        assert base.execute(SelfTest(), 1) == Value(Defect.OUTPUTS)
        assert base.execute(Clear(), 2) == Refused(Refusal.CAUSE_PERSISTS, drum)
        base.short("drum", False)
        assert base.execute(Clear(), 3) == Ok()
        rack.set("drum", 700)

    run_scenario(main)


def test_a_board_that_finds_itself_damaged_stays_safe_until_a_reset() -> None:
    async def main(rack: Rack) -> None:
        base = rack.boards["base"]
        rack.set("drum", 700)
        base.damage(Defect.CLOCK)
        assert rack.read("drum") == 0
        assert base.execute(SelfTest(), 0) == Value(Defect.CLOCK)
        assert base.execute(Clear(), 1) == Refused(Refusal.CAUSE_PERSISTS, NONE)
        base.reset(ResetCause.EXTERNAL)
        assert (base.faults, base.execute(SelfTest(), 2)) == ((), Value(0))

    run_scenario(main)


def test_a_latched_emergency_stop_is_cleared_only_once_released() -> None:
    async def main(rack: Rack) -> None:
        base, number = rack.boards["base"], rack.number("emergency")
        rack.plant.emergency_stop(True)
        await asyncio.sleep(1)
        assert base.execute(Clear(), 0) == Refused(Refusal.CAUSE_PERSISTS, number)
        rack.plant.emergency_stop(False)
        await asyncio.sleep(1)
        refused = Refused(Refusal.FAULT_LATCHED, number)
        assert rack.send("drum", lambda drum: Set(drum, 1)) == refused
        assert base.execute(Clear(), 0) == Ok()
        rack.set("drum", 1)

    run_scenario(main)


def test_an_emergency_stop_that_is_pressed_during_a_reset_latches_again() -> None:
    """Somebody keeps the stop pressed while the board restarts: no motor may run before a Clear."""

    async def main(rack: Rack) -> None:
        base, number = rack.boards["base"], rack.number("emergency")
        rack.plant.emergency_stop(True)
        base.reset(ResetCause.EXTERNAL)
        assert base.faults == (FaultCode.EMERGENCY_STOP,)
        rack.configure()
        rack.lease(60.0)
        refused = Refused(Refusal.FAULT_LATCHED, number)
        assert rack.send("drum", lambda drum: Set(drum, 1)) == refused
        rack.plant.emergency_stop(False)
        await asyncio.sleep(1)
        assert rack.send("drum", lambda drum: Set(drum, 1)) == refused

    run_scenario(main)


def test_noise_at_the_light_curtain_refuses_no_order() -> None:
    """A hand interrupts the curtain for longer than 30 microseconds; noise is shorter."""

    async def main(rack: Rack) -> None:
        rack.configure(guarded=True)
        rack.lease(60.0)
        base, order = rack.boards["base"], rack.drives(1000, Level("lid_opened"), 5.0)
        base.sensor("curtain", True)
        await asyncio.sleep(TRIP / 2)
        assert rack.send("lid", order) == Ok()
        base.sensor("curtain", False)
        await asyncio.sleep(1.0)
        assert codes(rack) == []
        rack.stop("lid")
        base.sensor("curtain", True)
        await asyncio.sleep(2 * TRIP)
        assert isinstance(rack.send("lid", order), Refused)

    run_scenario(main)


def test_both_switches_active_are_a_fault_that_clears_only_after_one_opens() -> None:
    async def main(rack: Rack) -> None:
        base = rack.boards["base"]
        base.sensor("lift0_up", True)
        await asyncio.sleep(0.1)
        assert codes(rack) == [FaultCode.BOTH_SWITCHES]
        lift = rack.number("lift0")
        assert base.execute(Clear(), 0) == Refused(Refusal.CAUSE_PERSISTS, lift)
        base.sensor("lift0_up", False)
        await asyncio.sleep(0.1)
        assert base.execute(Clear(), 0) == Ok()

    run_scenario(main)


def test_a_motor_is_switched_off_after_its_maximum_on_time() -> None:
    async def main(rack: Rack) -> None:
        rack.lease(65)
        rack.set("head0_belt", 500)
        await asyncio.sleep(60)
        rack.lease(65)
        rack.set("head0_belt", 600)
        await asyncio.sleep(60)
        rack.lease(65)
        assert rack.read("head0_belt") == 600
        await asyncio.sleep(30.1)
        assert rack.read("head0_belt") == 0
        ((at, fault),) = rack.received(Faulted)
        assert at == pytest.approx(150)
        assert fault == Faulted(FaultCode.MAXIMUM_ON_TIME, rack.number("head0_belt"), 150_000_000)

    run_scenario(main)


def test_orders_may_last_exactly_as_long_as_the_maximum_on_time() -> None:
    """Four belts run for their maximum of 90 s. Which timer ends first is left to the loop."""

    async def main(rack: Rack) -> None:
        rack.loop.call_later(50.0, rack.lease, 65.0)
        belts = [rack.drive(f"head{head}_belt", 1000, Elapsed(), 90.0) for head in range(4)]
        for ended in await asyncio.gather(*belts):
            assert (ended.reason, ended.seconds) == (Reason.TIME, pytest.approx(90.0))
        assert codes(rack) == []

    run_scenario(main)


def test_an_impossible_order_is_a_fault_with_a_sentence() -> None:
    async def main(rack: Rack) -> None:
        ended = await rack.drive("head0_pusher", 1000, Edges("head0_vane", 1), 2.0)
        assert ended.reason is Reason.FAULT
        assert codes(rack) == [FaultCode.IMPOSSIBLE]
        assert rack.boards["base"].refusals == ["head0_pusher pushes, but no tile waits in head 0."]
        assert rack.boards["base"].execute(Clear(), 0) == Ok()

    run_scenario(main)


def test_a_reset_board_has_no_table_and_no_lease_and_one_boot_more() -> None:
    async def main(rack: Rack) -> None:
        rack.set("drum", 700)
        arm = rack.boards["arm"]
        await rack.home("gantry_x")
        for board in rack.boards.values():
            board.reset(ResetCause.EXTERNAL)
        assert not rack.plant.drum.stirring  # type: ignore[union-attr]
        assert rack.send("drum", Read) == Refused(Refusal.NOT_CONFIGURED, NONE)
        identity = arm.execute(Identify(PROTOCOL, b"12345678"), 0)
        assert isinstance(identity, Identity)
        assert (identity.boots, identity.reset_cause, identity.configuration_crc) == (
            2,
            ResetCause.EXTERNAL,
            0,
        )
        rack.configure()
        assert rack.read("gantry_x") == -450_000
        rack.lease(1)
        unhomed = Refused(Refusal.NOT_HOMED, rack.number("gantry_x"))
        assert rack.send("gantry_x", rack.moves(gantry_x=0)) == unhomed

    run_scenario(main)


def test_the_bootloader_stops_every_motor() -> None:
    async def main(rack: Rack) -> None:
        rack.set("drum", 700)
        refused = Refused(Refusal.OUT_OF_RANGE, NONE)
        assert rack.boards["base"].execute(Bootloader(0), 0) == refused
        assert rack.plant.drum.stirring, "a command for another start"  # type: ignore[union-attr]
        assert rack.boards["base"].execute(Bootloader(1), 0) == Ok()
        assert not rack.plant.drum.stirring  # type: ignore[union-attr]

    run_scenario(main)
