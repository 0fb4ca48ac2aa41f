"""One virtual board: its table, its lease, its closed loops, its faults.

The robotic table's boards and plant serve as copper; times are exact, the loop's own.
"""

from __future__ import annotations

import asyncio
import hmac

import pytest

from firmware_bridge.board import Edges, Elapsed, Ended, FaultCode, Level, Reason
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.messages import (
    NONE,
    PROTOCOL,
    Bootloader,
    Clear,
    Count,
    DiceRead,
    Drive,
    EdgeSeen,
    Faulted,
    Held,
    Home,
    Identify,
    Identity,
    MotionEnded,
    Move,
    Ok,
    Pulse,
    Read,
    Refusal,
    Refused,
    Report,
    Scan,
    SelfTest,
    Set,
    Statistics,
    Stop,
    Tag,
    TakeLease,
    ThrowDice,
    UntilKind,
    Value,
    Watch,
)
from firmware_bridge.sim import clock
from firmware_bridge.words import records
from tests.firmware_bridge.sim.rack import Rack, commit, story


def codes(rack: Rack) -> list[FaultCode]:
    return [FaultCode(event.code) for _, event in rack.heard(Faulted)]  # type: ignore[attr-defined]


# The channel table


def test_nothing_moves_before_the_table_is_committed() -> None:
    async def main() -> None:
        rack = Rack("robotic")
        assert rack.boards["base"].execute(TakeLease(500), 1) == Refused(
            Refusal.NOT_CONFIGURED, NONE
        )
        assert rack.tell("lid", lambda lid: Set(lid, 500)) == Refused(Refusal.NOT_CONFIGURED, NONE)
        assert rack.tell("lid_opened", Read) == Refused(Refusal.NOT_CONFIGURED, NONE)

    clock.run(main())


def test_a_table_whose_crc_differs_is_not_taken() -> None:
    async def main() -> None:
        rack = Rack("robotic")
        board, rows = rack.boards["base"], records(rack.table.boards["base"])
        for row in rows:
            board.execute(row, 0)
        wrong = commit(rows)._replace(crc=commit(rows).crc ^ 1)
        assert board.execute(wrong, 0) == Refused(Refusal.OUT_OF_RANGE, NONE)
        assert board.execute(TakeLease(500), 0) == Refused(Refusal.NOT_CONFIGURED, NONE)
        assert board.execute(commit(rows), 0) == Ok()
        assert board.execute(TakeLease(500), 0) == Ok()

    clock.run(main())


def test_the_same_table_again_leaves_a_running_motor_running() -> None:
    async def main(rack: Rack) -> None:
        rack.set("drum", 700)
        rack.configure()
        assert rack.read("drum") == 700

    story(main)


def test_another_table_stops_everything_and_takes_the_lease_away() -> None:
    async def main(rack: Rack) -> None:
        rack.set("drum", 700)
        board, rows = rack.boards["base"], records(rack.table.boards["base"])
        rows = (rows[0]._replace(max_on_ms=1234), *rows[1:])
        for row in rows:
            board.execute(row, 0)
        assert board.execute(commit(rows), 0) == Ok()
        assert rack.read("drum") == 0
        assert rack.tell("drum", lambda drum: Set(drum, 700)) == Refused(Refusal.NO_LEASE, NONE)

    story(main)


def test_a_stop_that_is_no_sensor_is_refused_with_the_table() -> None:
    async def main() -> None:
        rack = Rack("robotic")
        board, rows = rack.boards["base"], records(rack.table.boards["base"])
        for stop in (rack.number("drum"), 200):
            bad = (rows[0]._replace(forward_stop=stop), *rows[1:])
            for row in bad:
                board.execute(row, 0)
            assert board.execute(commit(bad), 0) == Refused(Refusal.WRONG_KIND, NONE)

    clock.run(main())


def test_it_proves_who_it_is_and_refuses_another_protocol() -> None:
    async def main(rack: Rack) -> None:
        board, nonce = rack.boards["base"], b"12345678"
        told = board.execute(Identify(PROTOCOL, nonce), 0)
        assert isinstance(told, Identity)
        assert told.proof == hmac.digest(KEY, nonce + told.serial, "sha256")[:8]
        assert told.configuration_crc == commit(records(rack.table.boards["base"])).crc
        assert board.execute(Identify(PROTOCOL + 1, nonce), 0) == Refused(
            Refusal.WRONG_VERSION, NONE
        )
        assert board.execute(SelfTest(), 0) == Value(0)
        assert board.execute(Report(), 0) == Statistics(0, 0, 0, 0)

    story(main)


# The lease


def test_the_lease_runs_out_and_every_output_is_safe_at_that_instant() -> None:
    async def main(rack: Rack) -> None:
        start = rack.loop.time()
        rack.lease(0.5)
        rack.set("drum", 700)
        rack.set("head0_belt", 600)
        lid = asyncio.create_task(rack.drive("lid", 1000, Level("lid_opened"), 5.0))
        await asyncio.sleep(0.4999)
        assert rack.read("drum") == 700
        assert (await lid).reason is Reason.HELD
        assert rack.loop.time() - start == pytest.approx(0.5, abs=1e-9)
        assert [rack.read(name) for name in ("drum", "head0_belt", "lid")] == [0, 0, 0]
        await asyncio.sleep(0.001)
        assert [at - start for at, _ in rack.heard(Held)] == pytest.approx([0.5] * 2)

    story(main)


def test_a_renewed_lease_ends_only_after_its_last_renewal() -> None:
    async def main(rack: Rack) -> None:
        rack.lease(0.5)
        rack.set("drum", 700)
        for _ in range(20):
            await asyncio.sleep(0.4)
            rack.lease(0.5)
        last = rack.loop.time()
        assert rack.read("drum") == 700
        await asyncio.sleep(10)
        assert rack.heard(Held)[0][0] == pytest.approx(last + 0.5, abs=1e-9)

    story(main)


def test_a_lease_made_shorter_ends_sooner() -> None:
    async def main(rack: Rack) -> None:
        rack.lease(0.2)
        await asyncio.sleep(10)
        assert rack.heard(Held)[0][0] == pytest.approx(0.2, abs=1e-9)

    story(main)


def test_a_lease_given_back_is_no_fault_and_makes_everything_safe() -> None:
    async def main(rack: Rack) -> None:
        rack.set("drum", 700)
        rack.lease(0)
        assert rack.read("drum") == 0
        await asyncio.sleep(100)
        assert not rack.heard(Held)
        assert rack.tell("drum", lambda drum: Set(drum, 1)) == Refused(Refusal.NO_LEASE, NONE)
        rack.lease(1)
        rack.set("drum", 700)

    story(main)


def test_counts_and_positions_survive_a_lost_lease() -> None:
    async def main(rack: Rack) -> None:
        await rack.home("gantry_x")
        rack.lease(0.3)
        assert (await rack.move(gantry_x=0.4)).reason is Reason.HELD
        stopped = rack.read("gantry_x")
        assert -450_000 < stopped < 400_000
        await asyncio.sleep(0.001)
        said = [type(event) for _, board, event in rack.said if board == "arm"]
        assert said[-2:] == [MotionEnded, Held]
        rack.lease(10)
        assert rack.tell("drum", lambda drum: Set(drum, 1)) == Refused(Refusal.NO_LEASE, NONE)
        rack.lease(0)
        rack.lease(10)
        assert (await rack.move(gantry_x=0.4)).reason is Reason.DONE
        assert rack.read("gantry_x") == 400_000

    story(main)


# Outputs and their loops


def test_a_lid_stops_at_its_switch_by_itself() -> None:
    async def main(rack: Rack) -> None:
        ended = await rack.drive("lid", 1000, Level("lid_opened"), 5.0)
        assert ended == Ended(Reason.LEVEL, 0, 2.005)
        again = await rack.drive("lid", 1000, Level("lid_opened"), 5.0)
        assert again == Ended(Reason.LEVEL, 0, 0.0)
        against = await rack.drive("lid", 1000, Elapsed(), 5.0)
        assert against == Ended(Reason.SWITCH, 0, 0.0)
        rack.set("lid", 1000)
        assert rack.read("lid") == 0

    story(main)


def test_a_motor_left_on_stops_at_its_switch_too() -> None:
    async def main(rack: Rack) -> None:
        rack.set("lift0", 1000)
        await asyncio.sleep(2.5)
        assert rack.read("lift0") == 1000
        await asyncio.sleep(0.0051)
        assert rack.read("lift0") == 0

    story(main)


def test_a_drive_ends_by_its_time_and_says_so() -> None:
    async def main(rack: Rack) -> None:
        assert await rack.drive("drum", 500, Elapsed(), 1.5) == Ended(Reason.TIME, 0, 1.5)
        late = await rack.drive("lift0", 1000, Level("lift0_up"), 1.0)
        assert late == Ended(Reason.TIME, 0, 1.0)

    story(main)


def test_a_drive_ends_when_the_motor_draws_too_much() -> None:
    async def main(rack: Rack) -> None:
        rack.loop.call_later(0.7, rack.boards["base"].current, "lid", 1800)
        limit = Drive(rack.number("lid"), 1000, UntilKind.TIME, NONE, 0, 5000, 1500)
        assert rack.tell("lid", lambda _: limit) == Ok()
        await asyncio.sleep(1)
        (at, ended), *_ = rack.heard(MotionEnded)
        assert (at, ended.reason) == (0.7, Reason.CURRENT)  # type: ignore[attr-defined]

    story(main)


def test_a_pulse_is_as_long_as_ordered() -> None:
    async def main(rack: Rack) -> None:
        pulse = asyncio.create_task(rack.pulse("wide", 1, 0.04))
        await asyncio.sleep(0.0399)
        assert rack.read("wide") == 1
        assert await pulse == Ended(Reason.DONE, 0, 0.04)
        assert rack.read("wide") == 0

    story(main)


def test_back_pressure_pauses_a_wheel_and_lets_it_go_on() -> None:
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

    story(main)


def test_a_busy_motor_is_refused_until_it_is_stopped() -> None:
    async def main(rack: Rack) -> None:
        lid = asyncio.create_task(rack.drive("lid", 1000, Level("lid_opened"), 5.0))
        await asyncio.sleep(0.5)
        number = rack.number("lid")
        assert rack.tell("lid", lambda _: Set(number, 0)) == Refused(Refusal.BUSY, number)
        assert rack.tell("lid", lambda _: Pulse(number, 9, 9)) == Refused(Refusal.BUSY, number)
        rack.stop("lid")
        assert await lid == Ended(Reason.STOPPED, 0, 0.5)
        rack.set("lid", -1000)

    story(main)


def test_stopping_everything_leaves_the_lamps_on() -> None:
    async def main(rack: Rack) -> None:
        rack.set("wide", 1)
        rack.set("grip", -500)
        rack.set("turner", 500)
        assert rack.boards["arm"].execute(Stop(NONE), 0) == Ok()
        assert [rack.read(name) for name in ("wide", "grip", "turner")] == [1, 0, 0]

    story(main)


def test_the_reply_comes_before_the_end_of_a_motion_that_ends_at_once() -> None:
    async def main(rack: Rack) -> None:
        reply = rack.tell("lid", rack.drives(-1000, Level("lid_closed"), 5.0))
        assert reply == Ok()
        assert not rack.heard(MotionEnded)
        await asyncio.sleep(0)
        assert len(rack.heard(MotionEnded)) == 1

    story(main)


# Sensors


def test_a_bouncing_key_counts_once() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("done_key")
        for _ in range(4):
            rack.boards["base"].sensor("done_key", True)
            await asyncio.sleep(0.003)
            rack.boards["base"].sensor("done_key", False)
            await asyncio.sleep(0.003)
        rack.boards["base"].sensor("done_key", True)
        settled = rack.loop.time() + 0.02
        await asyncio.sleep(1)
        (at, event), *more = rack.heard(EdgeSeen)
        assert at == pytest.approx(settled)
        assert event == EdgeSeen(rack.number("done_key"), 1, round(settled * 1e6), 1)
        assert not more
        assert rack.tell("done_key", Count) == Value(1)

    story(main)


def test_an_unwatched_sensor_is_silent() -> None:
    async def main(rack: Rack) -> None:
        rack.watch("done_key")
        assert rack.tell("done_key", lambda key: Watch(key, 0)) == Ok()
        rack.boards["base"].sensor("done_key", True)
        await asyncio.sleep(0.5)
        assert not rack.heard(EdgeSeen)
        assert rack.read("done_key") == 1

    story(main)


# Axes


def test_an_axis_must_be_homed_and_keeps_within_its_limits() -> None:
    async def main(rack: Rack) -> None:
        x, y = rack.number("gantry_x"), rack.number("gantry_y")
        move = rack.moves(gantry_x=0.1)
        assert rack.tell("gantry_x", move) == Refused(Refusal.NOT_HOMED, x)
        assert (await rack.home("gantry_x")).reason is Reason.DONE
        assert rack.read("gantry_x") == -450_000
        assert rack.read("gantry_x_home") == 1
        beyond = rack.moves(gantry_x=0.4501)
        assert rack.tell("gantry_x", beyond) == Refused(Refusal.OUT_OF_RANGE, x)
        unhomed = rack.moves(gantry_x=0.1, gantry_y=0.1)
        assert rack.tell("gantry_x", unhomed) == Refused(Refusal.NOT_HOMED, y)
        assert rack.read("gantry_x") == -450_000

    story(main)


def test_axes_begin_together_and_end_when_the_last_has_arrived() -> None:
    async def main(rack: Rack) -> None:
        for axis in ("gantry_z", "gantry_x", "gantry_y"):
            await rack.home(axis)
        ended = await rack.move(gantry_x=0.15, gantry_y=-0.15)
        assert ended == Ended(Reason.DONE, 0, 0.7)
        assert (rack.read("gantry_x"), rack.read("gantry_y")) == (150_000, -150_000)

    story(main)


def test_a_moving_axis_is_where_its_trapezoid_says() -> None:
    async def main(rack: Rack) -> None:
        await rack.home("gantry_x")
        move = asyncio.create_task(rack.move(gantry_x=0.15))
        await asyncio.sleep(0.1)
        assert rack.read("gantry_x") == -450_000 + 30_000
        await asyncio.sleep(0.25)
        assert rack.read("gantry_x") == -150_000
        number = rack.number("gantry_x")
        assert rack.tell("gantry_x", Home) == Refused(Refusal.BUSY, number)
        await move

    story(main)


def test_a_stopped_move_brakes_by_its_ramp_on_every_axis() -> None:
    async def main(rack: Rack) -> None:
        await rack.home("gantry_x")
        await rack.home("gantry_y")
        move = asyncio.create_task(rack.move(gantry_x=0.15, gantry_y=0.0))
        await asyncio.sleep(0.2)
        rack.stop("gantry_y")
        assert await move == Ended(Reason.STOPPED, 0, pytest.approx(0.4))
        assert rack.read("gantry_x") == -450_000 + 240_000
        assert (await rack.move(gantry_x=0.0)).reason is Reason.DONE

    story(main)


def test_a_limit_switch_during_a_move_is_a_fault() -> None:
    async def main(rack: Rack) -> None:
        await rack.home("gantry_x")
        rack.loop.call_later(0.3, rack.boards["arm"].sensor, "gantry_x_home", True)
        assert (await rack.move(gantry_x=0.4)).reason is Reason.FAULT
        assert codes(rack) == [FaultCode.LIMIT_SWITCH]

    story(main)


def test_a_homing_whose_switch_never_comes_ends_by_time_and_is_no_homing() -> None:
    async def main(rack: Rack) -> None:
        arm = rack.boards["arm"]
        silent = arm.sensor
        arm.sensor = lambda *_: None  # type: ignore[method-assign]
        assert (await rack.home("gantry_x")).reason is Reason.TIME
        arm.sensor = silent  # type: ignore[method-assign]
        unhomed = Refused(Refusal.NOT_HOMED, rack.number("gantry_x"))
        assert rack.tell("gantry_x", rack.moves(gantry_x=0.1)) == unhomed

    story(main)


# Faults


def test_the_emergency_stop_makes_everything_safe_in_the_same_instant() -> None:
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

    story(main)


def test_a_latched_emergency_stop_is_cleared_only_once_released() -> None:
    async def main(rack: Rack) -> None:
        base, number = rack.boards["base"], rack.number("emergency")
        rack.plant.emergency_stop(True)
        await asyncio.sleep(1)
        assert base.execute(Clear(), 0) == Refused(Refusal.CAUSE_PERSISTS, number)
        rack.plant.emergency_stop(False)
        await asyncio.sleep(1)
        refused = Refused(Refusal.FAULT_LATCHED, number)
        assert rack.tell("drum", lambda drum: Set(drum, 1)) == refused
        assert base.execute(Clear(), 0) == Ok()
        rack.set("drum", 1)

    story(main)


def test_both_switches_at_once_are_a_fault_as_long_as_they_are() -> None:
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

    story(main)


def test_a_motor_forgotten_is_switched_off_after_its_maximum_on_time() -> None:
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
        ((at, fault),) = rack.heard(Faulted)
        assert at == pytest.approx(150)
        assert fault == Faulted(FaultCode.MAXIMUM_ON_TIME, rack.number("head0_belt"), 150_000_000)

    story(main)


def test_what_the_mechanism_refuses_is_a_fault_with_a_sentence() -> None:
    async def main(rack: Rack) -> None:
        ended = await rack.drive("head0_pusher", 1000, Edges("head0_vane", 1), 2.0)
        assert ended.reason is Reason.FAULT
        assert codes(rack) == [FaultCode.IMPOSSIBLE]
        assert rack.boards["base"].refusals == ["head0_pusher pushes, and no tile waits in head 0."]
        assert rack.boards["base"].execute(Clear(), 0) == Ok()

    story(main)


def test_a_reset_forgets_table_and_lease_and_counts_one_boot_more() -> None:
    async def main(rack: Rack) -> None:
        rack.set("drum", 700)
        arm = rack.boards["arm"]
        await rack.home("gantry_x")
        for board in rack.boards.values():
            board.reset(2)
        assert not rack.plant.drum.stirring  # type: ignore[union-attr]
        assert rack.tell("drum", Read) == Refused(Refusal.NOT_CONFIGURED, NONE)
        told = arm.execute(Identify(PROTOCOL, b"12345678"), 0)
        assert isinstance(told, Identity)
        assert (told.boots, told.reset_cause, told.configuration_crc) == (2, 2, 0)
        rack.configure()
        assert rack.read("gantry_x") == -450_000
        rack.lease(1)
        unhomed = Refused(Refusal.NOT_HOMED, rack.number("gantry_x"))
        assert rack.tell("gantry_x", rack.moves(gantry_x=0)) == unhomed

    story(main)


def test_the_bootloader_stops_everything() -> None:
    async def main(rack: Rack) -> None:
        rack.set("drum", 700)
        assert rack.boards["base"].execute(Bootloader(0), 0) == Ok()
        assert not rack.plant.drum.stirring  # type: ignore[union-attr]

    story(main)


# Refusals


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (Set(200, 1), Refusal.UNKNOWN_CHANNEL),
        (Set(1, 1), Refusal.WRONG_KIND),
        (Set(0, 1001), Refusal.OUT_OF_RANGE),
        (Pulse(0, 100, 5001), Refusal.OUT_OF_RANGE),
        (Drive(0, 0, UntilKind.TIME, NONE, 0, 1000, 0), Refusal.OUT_OF_RANGE),
        (Drive(0, 9, UntilKind.TIME, NONE, 0, 0, 0), Refusal.OUT_OF_RANGE),
        (Drive(0, 9, UntilKind.EDGES, 1, 0, 1000, 0), Refusal.OUT_OF_RANGE),
        (Drive(0, 9, UntilKind.EDGES, 0, 1, 1000, 0), Refusal.WRONG_KIND),
        (Drive(0, 9, UntilKind.LEVEL, 255, 1, 1000, 0), Refusal.UNKNOWN_CHANNEL),
        (Drive(0, 9, 7, 1, 1, 1000, 0), Refusal.OUT_OF_RANGE),
        (Move(NONE, 0, NONE, 0, NONE, 0, 1000), Refusal.OUT_OF_RANGE),
        (Move(0, 0, NONE, 0, NONE, 0, 1000), Refusal.WRONG_KIND),
        (Home(0), Refusal.WRONG_KIND),
        (Scan(0), Refusal.WRONG_KIND),
        (Watch(0, 1), Refusal.WRONG_KIND),
        (Count(0), Refusal.WRONG_KIND),
        (Stop(1), Refusal.WRONG_KIND),
        (Ok(), Refusal.OUT_OF_RANGE),
    ],
    ids=repr,
)
def test_what_a_channel_cannot_do_is_refused(message: object, reason: Refusal) -> None:
    """Channel 0 is the lid's motor, channel 1 its switch."""

    async def main(rack: Rack) -> None:
        reply = rack.boards["base"].execute(message, 1)  # type: ignore[arg-type]
        assert isinstance(reply, Refused)
        assert reply.reason == reason

    story(main)


def test_a_strip_lights_the_lamps_that_it_has_and_no_others() -> None:
    async def main(rack: Rack) -> None:
        assert rack.table.modules.lamps is not None
        strip = rack.table.modules.lamps.walls[0]
        lamps = rack.table.boards[rack.table.board_of(strip)].channels[strip].lamps  # type: ignore[union-attr]
        rack.set(strip, 0b11 << lamps - 2)
        assert rack.plant.shown[strip] == 0b11 << lamps - 2
        too_far = Refused(Refusal.OUT_OF_RANGE, rack.number(strip))
        assert rack.tell(strip, lambda number: Set(number, 0b11 << lamps - 1)) == too_far
        assert rack.tell(strip, lambda number: Set(number, -1)) == too_far

    story(main, "classic")


def test_dice_are_read_once_they_lie_still() -> None:
    async def main(rack: Rack) -> None:
        assert rack.plant.dome is not None
        rack.plant.dome.loaded.append((3, 5))
        assert await rack.throw("dice", 2) == (3, 5)
        assert rack.loop.time() == 1.5
        fair = await rack.throw("dice", 3)
        assert all(1 <= die <= 6 for die in fair)

    story(main)


def test_a_stopped_throw_ends_without_dice() -> None:
    async def main(rack: Rack) -> None:
        assert rack.tell("dice", lambda dice: ThrowDice(dice, 2)) == Ok()
        await asyncio.sleep(0.5)
        busy = Refused(Refusal.BUSY, rack.number("dice"))
        assert rack.tell("dice", lambda dice: ThrowDice(dice, 2)) == busy
        rack.stop("dice")
        await asyncio.sleep(10)
        ((_, ended),) = rack.heard(MotionEnded)
        assert ended.reason == Reason.STOPPED  # type: ignore[attr-defined]
        assert not rack.heard(DiceRead)

    story(main)


def test_an_empty_reader_sees_no_tag() -> None:
    async def main(rack: Rack) -> None:
        assert rack.tell("reader", Scan) == Tag(0)

    story(main)
