"""The firmware says what the virtual board says, frame by frame: same commands, pins and times."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.codec import configuration_crc, encode
from firmware_bridge.messages import (
    NONE,
    PROTOCOL,
    Clear,
    Commit,
    Count,
    DiceRead,
    Drive,
    EdgeSeen,
    Faulted,
    Held,
    Home,
    Identify,
    Message,
    MotionEnded,
    Move,
    Pulse,
    Read,
    Recall,
    Report,
    Scan,
    SelfTest,
    Set,
    Stop,
    TakeLease,
    ThrowDice,
    UntilKind,
    Watch,
)
from firmware_bridge.sim import clock
from tests.firmware_bridge.firmware.twins import Twins

Story = Callable[[Twins], Awaitable[None]]


def story(library: Path, tell: Story, board: str = "base", begin: bool = True) -> Twins:
    """Tell a story to both; in the end they agree."""

    async def main() -> Twins:
        twins = Twins(library, "robotic", board)
        if begin:
            await twins.begin()
        await tell(twins)
        await twins.agree()
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
    """So many tiles pass a counter."""
    for _ in range(tiles):
        await twins.sense(sensor, True)
        await twins.advance(7.1)
        await twins.sense(sensor, False)
        await twins.advance(9.3)


# The session


def test_nothing_is_answered_before_the_host_has_said_who_it_is(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        await twins.line(encode(0, 7, SelfTest()))
        await twins.tell(Identify(PROTOCOL + 1, b"nonce000"))
        await twins.tell(Identify(PROTOCOL, b"nonce001"))
        for message in (SelfTest(), TakeLease(500), Stop(NONE), Clear(), Read(0), Report()):
            await twins.tell(message)

    twins = story(library, tell, begin=False)
    assert len(twins.heard[1]) == 8


def test_a_command_that_comes_again_is_answered_again_and_not_done_again(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        await twins.watch("head0_counter")
        pulse = Pulse(twins.number("head0_pusher"), 1000, 40)
        await twins.tell(pulse)
        await twins.advance(1)
        sequence = (len(twins.asked) - 1) & 0xFF
        for _ in range(3):
            await twins.line(b"\0" + encode(0, sequence, pulse))
            await twins.line(encode(0, sequence + 9 & 0xFF, pulse))
        await twins.line(encode(0, sequence, pulse)[:-3] + b"\x91\x91\x80\0")
        await twins.advance(60)
        await twins.tell(Report())

    twins = story(library, tell)
    assert reasons(twins) == [Reason.DONE]


def test_events_that_nobody_receives_are_repeated_more_and_more_rarely(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        await twins.watch("head0_counter")
        for _ in range(10):
            await twins.sense("head0_counter", True)
            await twins.advance(2.3, acknowledge=False)
            await twins.sense("head0_counter", False)
            await twins.advance(2.9, acknowledge=False)
        await twins.advance(1300, acknowledge=False)
        await twins.advance(20)

    twins = story(library, tell)
    assert len(twins.events(EdgeSeen)) > 50


# Orders


def test_the_wheel_stops_at_the_third_tile_and_the_host_is_told(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        await twins.watch("head0_counter")
        await twins.tell(drive(twins, "head0_wheel", 1000, UntilKind.EDGES, "head0_counter", 3))
        await pass_tiles(twins, "head0_counter", 4)
        for ask in (Count, Read):
            await twins.tell(ask(twins.number("head0_counter")))
        await twins.tell(Recall(twins.number("head0_wheel")))
        await twins.tell(Recall(twins.number("head0_belt")))

    twins = story(library, tell)
    assert reasons(twins) == [Reason.EDGES]
    off = [change for change in twins.chip.changes() if change.pin == 6 and change.level == 0]
    assert len(off) == 2, "driven low by the table, and by the third edge"


def test_a_bounce_is_no_tile(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        await twins.watch("head0_counter", "lid_key")
        for pause in (0.2, 0.5, 0.9, 1.1, 0.4, 5.0):
            await twins.sense("head0_counter", True)
            await twins.sense("lid_key", True)
            await twins.advance(pause)
            await twins.sense("head0_counter", False)
            await twins.sense("lid_key", False)
            await twins.advance(pause)

    twins = story(library, tell)
    assert len(twins.events(EdgeSeen)) == 4


def test_the_lid_stops_at_its_switch_and_does_not_go_on_against_it(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        lid = twins.number("lid")
        await twins.tell(drive(twins, "lid", 700, UntilKind.LEVEL, "lid_opened", 1))
        await twins.advance(500.5)
        await twins.sense("lid_opened", True)
        await twins.advance(20)
        await twins.tell(Set(lid, 300))
        await twins.tell(Read(lid))
        await twins.tell(drive(twins, "lid", 700, UntilKind.LEVEL, "lid_opened", 1))
        await twins.tell(drive(twins, "lid", 700, UntilKind.TIME))
        await twins.tell(Set(lid, -300))
        await twins.tell(Read(lid))
        await twins.advance(20)
        await twins.sense("lid_closed", True)
        await twins.advance(20)
        await twins.tell(Clear())
        await twins.sense("lid_closed", False)
        await twins.advance(20)
        await twins.tell(Clear())
        await twins.tell(Read(lid))

    twins = story(library, tell)
    assert reasons(twins) == [Reason.LEVEL, Reason.LEVEL, Reason.SWITCH]
    assert codes(twins) == [FaultCode.BOTH_SWITCHES]


def test_a_full_belt_holds_its_wheel_and_lets_it_go_on(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        wheel = twins.number("head1_wheel")
        await twins.tell(drive(twins, "head1_wheel", -600, UntilKind.EDGES, "head1_counter", 9))
        await twins.sense("head1_full", True)
        await twins.advance(30)
        await twins.tell(Read(wheel))
        await twins.sense("head1_full", False)
        await twins.advance(30)
        await twins.tell(Read(wheel))
        await twins.tell(Stop(wheel))
        await twins.tell(Recall(wheel))

    story(library, tell)


def test_what_is_refused_is_refused_for_the_same_reason(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        lid, key, dice = (twins.number(name) for name in ("lid", "lid_key", "dice"))
        pusher = twins.number("head0_pusher")
        orders: list[Message] = [
            Set(99, 1),
            Set(key, 1),
            Set(lid, 1001),
            Set(lid, -1001),
            Pulse(pusher, 1, 2001),
            Pulse(dice, 1, 1),
            Drive(lid, 0, 1, key, 1, 100, 0),
            Drive(lid, 5, 1, key, 0, 100, 0),
            Drive(lid, 5, 2, key, 0, 0, 0),
            Drive(lid, 5, 4, key, 1, 9, 0),
            Drive(lid, 5, 4, 98, 1, 9, 0),
            Drive(lid, 5, 1, lid, 1, 9, 0),
            Drive(key, 5, 1, lid, 1, 9, 0),
            ThrowDice(dice, 6),
            ThrowDice(lid, 1),
            Move(lid, 0, NONE, 0, NONE, 0, 1000),
            Move(NONE, 0, NONE, 0, NONE, 0, 1000),
            Home(lid),
            Watch(lid, 1),
            Count(lid),
            Scan(key),
            Scan(dice),
            Read(200),
            Stop(key),
            Recall(77),
            Commit(1, 1),
            twins.records[0]._replace(kind=9),
            TakeLease(0),
            Set(lid, 100),
        ]
        for order in orders:
            await twins.tell(order)

    story(library, tell)


def test_a_pulse_ends_after_its_time_and_a_motor_after_its_longest(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        pusher = twins.number("head0_pusher")
        await twins.tell(Pulse(pusher, 1000, 40))
        await twins.tell(Pulse(pusher, 1000, 40))
        await twins.advance(30)
        await twins.tell(Read(pusher))
        await twins.tell(Recall(pusher))
        await twins.advance(30)
        await twins.tell(Recall(pusher))
        await twins.tell(Set(pusher, 400))
        await twins.advance(1999)
        await twins.tell(Read(pusher))
        await twins.advance(10)
        await twins.tell(Set(pusher, 400))
        await twins.tell(Clear())

    twins = story(library, tell)
    assert codes(twins) == [FaultCode.MAXIMUM_ON_TIME]


# The lease, the emergency stop


def test_a_lost_lease_makes_everything_safe_and_is_held_until_given_back(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        drum = twins.number("drum")
        await twins.tell(TakeLease(500))
        await twins.tell(Set(drum, 800))
        await twins.tell(Pulse(twins.number("head0_pusher"), 1000, 1900))
        await twins.tell(drive(twins, "head0_wheel", 500, UntilKind.EDGES, "head0_counter", 3))
        await twins.advance(400)
        await twins.tell(TakeLease(500))
        await twins.advance(510)
        await twins.tell(Read(drum))
        await twins.tell(TakeLease(500))
        await twins.tell(Set(drum, 800))
        await pass_tiles(twins, "head0_counter", 1)
        await twins.tell(Recall(twins.number("head0_wheel")))
        await twins.tell(TakeLease(0))
        await twins.tell(TakeLease(500))
        await twins.tell(Set(drum, 800))
        await twins.tell(Read(drum))

    twins = story(library, tell)
    assert reasons(twins) == [Reason.HELD, Reason.HELD]
    assert len(twins.events(Held)) == 1


def test_the_emergency_stop_ends_everything_and_stays_until_it_is_released(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        drum = twins.number("drum")
        await twins.tell(Set(drum, 1000))
        await twins.tell(drive(twins, "head0_wheel", 500, UntilKind.TIME))
        await twins.advance(10.5)
        await twins.sense("emergency", True)
        assert [twins.chip.output(pin) for pin in (4, 5, 6, 7)] == [0, 0, 0, 0]
        await twins.advance(10)
        await twins.tell(Set(drum, 1000))
        await twins.tell(Clear())
        await twins.sense("emergency", False)
        await twins.advance(10)
        await twins.tell(Clear())
        await twins.tell(Set(drum, 1000))

    twins = story(library, tell)
    assert reasons(twins) == [Reason.FAULT]
    assert codes(twins) == [FaultCode.EMERGENCY_STOP]


def test_another_session_ends_what_ran_without_a_word_and_hears_of_faults(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        await twins.watch("head0_counter")
        await twins.tell(drive(twins, "head0_wheel", 500, UntilKind.EDGES, "head0_counter", 3))
        await twins.sense("emergency", True)
        await twins.advance(5, acknowledge=False)
        await twins.tell(Identify(PROTOCOL, b"nonce002"))
        await twins.tell(Recall(twins.number("head0_wheel")))
        await twins.advance(5)
        await twins.begin(b"nonce003")

    twins = story(library, tell)
    assert len(twins.events(Faulted)) == 3


def test_the_same_table_again_leaves_a_running_motor_running(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        await twins.tell(Set(twins.number("drum"), 1000))
        for record in twins.records:
            await twins.tell(record)
        crc = configuration_crc(twins.records)
        await twins.tell(Commit(len(twins.records), crc ^ 1))
        await twins.tell(Commit(len(twins.records), crc))
        await twins.tell(Read(twins.number("drum")))
        assert twins.chip.output(4) == 1

    story(library, tell)


def test_hands_behind_the_curtain_stop_what_it_guards_and_nothing_else(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        lid, drum = twins.number("lid"), twins.number("drum")
        await twins.tell(Set(drum, 1000))
        await twins.sense("curtain", True)
        await twins.advance(10)
        await twins.tell(Read(drum))
        await twins.tell(Set(lid, 500))
        await twins.advance(10)
        await twins.tell(Clear())
        await twins.sense("curtain", False)
        await twins.tell(Clear())
        await twins.tell(Set(lid, 500))
        await twins.advance(10)
        await twins.sense("curtain", True)
        await twins.advance(10)
        await twins.tell(Read(lid))

    twins = story(library, tell)
    assert codes(twins) == [FaultCode.LIGHT_CURTAIN] * 2


def test_counts_orders_and_dice_outlive_a_lost_supply(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        wheel, counter, dice = (
            twins.number(name) for name in ("head0_wheel", "head0_counter", "dice")
        )
        await twins.tell(ThrowDice(dice, 2))
        await twins.advance(1600)
        await twins.tell(drive(twins, "head0_wheel", 500, UntilKind.EDGES, "head0_counter", 5))
        await pass_tiles(twins, "head0_counter", 2)
        await twins.tell(Stop(wheel))
        await twins.sense("head0_vane", False)
        twins.lose_supply()
        await twins.sense("head0_vane", True)
        await twins.begin(b"nonce009")
        await pass_tiles(twins, "head0_counter", 1)
        questions: list[Message] = [
            Recall(wheel),
            Count(counter),
            Count(twins.number("head0_vane")),
            Count(dice),
            Read(dice),
            Recall(twins.number("head1_wheel")),
        ]
        for question in questions:
            await twins.tell(question)

    story(library, tell)


# Dice, tags, axes


def test_the_dice_are_thrown_and_counted(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        dice = twins.number("dice")
        await twins.tell(ThrowDice(dice, 3))
        await twins.tell(ThrowDice(dice, 3))
        await twins.advance(1000)
        await twins.tell(Count(dice))
        await twins.advance(600)
        await twins.tell(Count(dice))
        await twins.tell(Read(dice))
        await twins.tell(ThrowDice(dice, 5))
        await twins.advance(100)
        await twins.tell(Stop(dice))
        await twins.tell(Count(dice))

    twins = story(library, tell)
    assert [tuple(event)[1:] for event in twins.events(DiceRead)] == [(3, 1, 6, 0, 0)]


async def home_all(twins: Twins) -> None:
    """Home the arm's three axes, each meeting its switch a second later."""
    for axis in ("gantry_x", "gantry_y", "gantry_z"):
        await twins.tell(Home(twins.number(axis)))
        await twins.advance(700)
        await twins.sense(f"{axis}_home", True)
        await twins.advance(50)
        await twins.tell(Read(twins.number(axis)))


def move(twins: Twins, x: int, y: int, z: int, speed: int = 1000) -> Move:
    numbers = [twins.number(f"gantry_{axis}") for axis in "xyz"]
    return Move(numbers[0], x, numbers[1], y, numbers[2], z, speed)


async def leave_switches(twins: Twins) -> None:
    await twins.advance(60)
    for axis in ("gantry_x", "gantry_y", "gantry_z"):
        await twins.sense(f"{axis}_home", False)


def test_an_axis_that_has_not_been_home_does_not_move(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        await twins.tell(move(twins, 0, 0, 0))
        await home_all(twins)
        await twins.tell(move(twins, 0, 0, 300_001))
        await twins.tell(move(twins, 0, 0, 0, speed=1001))
        x = twins.number("gantry_x")
        await twins.tell(Move(x, 0, x, 10, NONE, 0, 1000))

    story(library, tell, "arm")


def test_three_axes_set_off_together_and_arrive_on_their_last_step(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        await home_all(twins)
        begin = [twins.chip.steps(axis) for axis in range(3)]
        await twins.tell(move(twins, 150_000, -90_000, 120_000))
        await leave_switches(twins)
        await twins.advance(300)
        await twins.tell(Read(twins.number("gantry_x")))
        await twins.tell(move(twins, 0, 0, 0))
        await twins.advance(1500)
        await twins.tell(Read(twins.number("gantry_x")))
        gone = [twins.chip.steps(axis) - begin[axis] for axis in range(3)]
        assert gone[:2] == [600_000 // 150, 360_000 // 150]

    twins = story(library, tell, "arm")
    assert reasons(twins) == [Reason.DONE] * 4


def test_a_stopped_axis_brakes_by_its_ramp_and_so_do_those_that_began_with_it(
    library: Path,
) -> None:
    async def tell(twins: Twins) -> None:
        await home_all(twins)
        await twins.tell(move(twins, 150_000, -90_000, 120_000))
        await leave_switches(twins)
        await twins.advance(240)
        await twins.tell(Stop(twins.number("gantry_y")))
        await twins.tell(move(twins, 0, 0, 0))
        await twins.advance(400)
        for axis in "xyz":
            await twins.tell(Read(twins.number(f"gantry_{axis}")))
        await twins.tell(move(twins, 0, 0, 200_000, speed=700))
        await twins.advance(1500)

    twins = story(library, tell, "arm")
    assert reasons(twins)[-2:] == [Reason.STOPPED, Reason.DONE]


def test_a_limit_switch_on_the_way_is_a_fault(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        await home_all(twins)
        await twins.tell(move(twins, 150_000, -90_000, 120_000))
        await leave_switches(twins)
        await twins.advance(100)
        await twins.sense("gantry_x_home", True)
        await twins.advance(600)
        await twins.tell(Clear())
        await twins.tell(Read(twins.number("gantry_x")))

    twins = story(library, tell, "arm")
    assert codes(twins) == [FaultCode.LIMIT_SWITCH]


def test_held_follows_the_last_axis_that_comes_to_rest(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        await home_all(twins)
        await twins.tell(TakeLease(300))
        await twins.tell(move(twins, 150_000, -90_000, 120_000))
        await leave_switches(twins)
        await twins.advance(900)

    twins = story(library, tell, "arm")
    assert reasons(twins)[-1] is Reason.HELD
    assert isinstance(twins.heard[1][-1].message, Held)


def test_the_reader_tells_the_tag_before_it(library: Path) -> None:
    async def tell(twins: Twins) -> None:
        await twins.tell(Scan(twins.number("reader")))

    story(library, tell, "arm")
