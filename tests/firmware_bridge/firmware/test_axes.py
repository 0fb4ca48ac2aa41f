"""Tests that the firmware's axes home, move and brake like those of the virtual board."""

from __future__ import annotations

import asyncio
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from config.schema.channels import LONGEST_MOTION
from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.executor.trapezoid import Trapezoid
from firmware_bridge.sim import clock
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.messages import (
    NONE,
    Clear,
    Held,
    Home,
    Move,
    Ok,
    Read,
    Refused,
    Stop,
    TakeLease,
)
from tests.firmware_bridge.firmware.twin_scenarios import codes, reasons, run_scenario
from tests.firmware_bridge.firmware.twins import Twins
from tests.quick import tries


async def home_all(twins: Twins) -> None:
    """Home the arm's three axes; each axis reaches its home switch after 0.7 s."""
    for axis in ("gantry_x", "gantry_y", "gantry_z"):
        await twins.send(Home(twins.number(axis)))
        await twins.advance(700)
        await twins.sense(f"{axis}_home", True)
        await twins.advance(50)
        await twins.send(Read(twins.number(axis)))


def change(twins: Twins, number: int, **fields: int) -> None:
    """Change fields of a record of the table."""
    records = list(twins.records)
    records[number] = records[number]._replace(**fields)
    twins.records = tuple(records)


async def pass_time(twins: Twins, seconds: float) -> None:
    """Let time pass for both boards, in long steps, and renew the lease."""
    while seconds > 0:
        part = min(seconds, 30.0)
        seconds -= part
        await asyncio.sleep(part)
        twins.chip.rest(round(part * 1e6), 1000)
        await twins.advance(5)
        await twins.send(TakeLease(60_000))


def move(twins: Twins, x: int, y: int, z: int, speed: int = 1000) -> Move:
    numbers = [twins.number(f"gantry_{axis}") for axis in "xyz"]
    return Move(numbers[0], x, numbers[1], y, numbers[2], z, speed)


async def leave_switches(twins: Twins) -> None:
    await twins.advance(60)
    for axis in ("gantry_x", "gantry_y", "gantry_z"):
        await twins.sense(f"{axis}_home", False)


@pytest.mark.slow
def test_an_axis_that_is_not_homed_does_not_move(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await twins.send(move(twins, 0, 0, 0))
        await home_all(twins)
        await twins.send(move(twins, 0, 0, 300_001))
        await twins.send(move(twins, 0, 0, 0, speed=1001))
        x = twins.number("gantry_x")
        await twins.send(Move(x, 0, x, 10, NONE, 0, 1000))

    run_scenario(library, scenario, "arm")


@pytest.mark.slow
def test_three_axes_begin_together_and_stop_at_their_targets(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await home_all(twins)
        begin = [twins.chip.steps(axis) for axis in range(3)]
        await twins.send(move(twins, 150_000, -90_000, 120_000))
        await leave_switches(twins)
        await twins.advance(300)
        await twins.send(Read(twins.number("gantry_x")))
        await twins.send(move(twins, 0, 0, 0))
        await twins.advance(1500)
        await twins.send(Read(twins.number("gantry_x")))
        gone = [twins.chip.steps(axis) - begin[axis] for axis in range(3)]
        assert gone[:2] == [600_000 // 150, 360_000 // 150]

    twins = run_scenario(library, scenario, "arm")
    assert reasons(twins) == [Reason.DONE] * 4


@pytest.mark.slow
def test_a_stopped_axis_brakes_by_its_ramp_and_so_do_the_axes_that_began_with_it(
    library: Path,
) -> None:
    async def scenario(twins: Twins) -> None:
        await home_all(twins)
        await twins.send(move(twins, 150_000, -90_000, 120_000))
        await leave_switches(twins)
        await twins.advance(240)
        await twins.send(Stop(twins.number("gantry_y")))
        await twins.send(move(twins, 0, 0, 0))
        await twins.advance(400)
        for axis in "xyz":
            await twins.send(Read(twins.number(f"gantry_{axis}")))
        await twins.send(move(twins, 0, 0, 200_000, speed=700))
        await twins.advance(1500)

    twins = run_scenario(library, scenario, "arm")
    assert reasons(twins)[-2:] == [Reason.STOPPED, Reason.DONE]


@pytest.mark.slow
def test_reaching_a_limit_switch_during_a_move_is_a_fault(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await home_all(twins)
        await twins.send(move(twins, 150_000, -90_000, 120_000))
        await leave_switches(twins)
        await twins.advance(100)
        await twins.sense("gantry_x_home", True)
        await twins.advance(600)
        await twins.send(Clear())
        await twins.send(Read(twins.number("gantry_x")))

    twins = run_scenario(library, scenario, "arm")
    assert codes(twins) == [FaultCode.LIMIT_SWITCH]


@pytest.mark.slow
def test_an_axis_with_a_late_step_is_stopped_and_has_to_be_homed_again(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await home_all(twins)
        await twins.send(move(twins, 150_000, -90_000, 120_000))
        await leave_switches(twins)
        await twins.advance(100)
        twins.virtual.late_step("gantry_y")
        twins.chip.late_step(1)
        await twins.advance(900)
        await twins.send(Clear())
        for axis in ("gantry_x", "gantry_y"):  # only the late one is not homed any more
            number = twins.number(axis)
            await twins.send(Move(number, 0, NONE, 0, NONE, 0, 1000))
        await twins.advance(900)

    twins = run_scenario(library, scenario, "arm")
    assert codes(twins) == [FaultCode.LATE_STEP]
    assert reasons(twins)[-2:] == [Reason.FAULT, Reason.DONE]
    assert twins.last_reply(1) == Refused(Refusal.NOT_HOMED, twins.number("gantry_y"))


def test_an_axis_that_is_lost_runs_towards_its_switch_each_time(library: Path) -> None:
    """It ran away from its switch, if its assumed position was at home or beyond it."""

    async def scenario() -> list[int]:
        twins = Twins(library, "robotic", "arm")
        z = twins.number("gantry_z")
        change(twins, z, forward_stop=NONE, reverse_stop=twins.records[z].forward_stop)
        await twins.begin()
        gone = []
        for _ in range(3):
            begin = twins.chip.steps(2)
            twins.chip.receive(twins.frame(Home(z)))
            await twins.advance(400)
            twins.chip.receive(twins.frame(Stop(z)))
            await twins.advance(400)
            gone.append(twins.chip.steps(2) - begin)
        return gone

    for steps in clock.run(scenario()):
        assert steps < -100


LIMITS = st.integers(-2_000_001, 2_000_001) | st.sampled_from([-2_000_000, 0, 2_000_000])
AXES = st.fixed_dictionaries(
    {
        "low_um": LIMITS,
        "high_um": LIMITS,
        "step_nm": st.integers(0, 10_000_001) | st.sampled_from([1, 10_000_000, 2**32 - 1]),
        "speed_um_s": st.integers(0, 2**32 - 1) | st.integers(0, 100_000),
        "acceleration_um_s2": st.integers(0, 2**32 - 1) | st.sampled_from([0, 1]),
    }
)


@given(records=st.lists(st.tuples(AXES, st.booleans()), min_size=1, max_size=20))
@settings(deadline=None, max_examples=tries(20, quick=10, evidence=2000))
def test_both_boards_accept_the_same_axes(
    library: Path, records: list[tuple[dict[str, int], bool]]
) -> None:
    """An axis faster than the step generator ended as DONE without its steps."""

    async def scenario() -> list[bool]:
        twins = Twins(library, "robotic", "arm")
        await twins.open(b"nonce001")
        x = twins.number("gantry_x")
        for changes, is_fast in records:
            record = twins.records[x]._replace(**changes)
            if is_fast:  # at the limit of the step rate, or just above it
                fastest = min(8 * (record.step_nm or 150_000), 2**32 - 2)
                record = record._replace(speed_um_s=fastest + record.speed_um_s % 2)
            await twins.send(record)
        await twins.compare()
        return [isinstance(frame.message, Ok) for frame in twins.received[0][-len(records) :]]

    expected = []
    for changes, is_fast in records:
        step = changes["step_nm"] or 150_000
        speed = changes["speed_um_s"]
        if is_fast:
            speed = min(8 * step, 2**32 - 2) + speed % 2
        expected.append(
            -2_000_000 <= changes["low_um"] < changes["high_um"] <= 2_000_000
            and step <= 10_000_000
            and 0 < Fraction(speed * 1000, step) <= 8000
            and changes["acceleration_um_s2"] > 0
        )
    assert clock.run(scenario()) == expected


@given(
    low=st.integers(-2_000_000, -1),
    length=st.integers(1, 2_000_000),
    step_nm=st.integers(50, 10_000_000),
    share=st.integers(1, 1000),
    speed=st.integers(1, 1000),
    acceleration=st.integers(1000, 50_000_000),
    targets=st.lists(st.integers(0, 1000), min_size=1, max_size=3),
)
@example(-112, 422_577, 1261, 50, 968, 1000, [189])  # steps that are due at a segment's very end
@settings(deadline=None, max_examples=tries(15, quick=5, evidence=1000))
def test_a_move_makes_the_steps_of_exact_integers_or_is_refused(
    library: Path,
    low: int,
    length: int,
    step_nm: int,
    share: int,
    speed: int,
    acceleration: int,
    targets: list[int],
) -> None:
    """Motions above 4,294 s and steps above 295 mm overflowed; segments, after 268 s."""

    async def scenario() -> None:
        twins = Twins(library, "robotic", "arm")
        x = twins.number("gantry_x")
        high = min(low + length, 2_000_000)
        full = max(1, 8 * step_nm * share // 1000)
        change(
            twins,
            x,
            low_um=low,
            high_um=high,
            step_nm=step_nm,
            speed_um_s=full,
            acceleration_um_s2=acceleration,
        )
        await twins.sense("gantry_x_home", True)
        await twins.begin()
        await twins.send(Home(x))
        await twins.sense("gantry_x_home", False)
        at, begin = low, twins.chip.steps(0)
        for thousandth in targets:
            target = low + (high - low) * thousandth // 1000
            plan = Trapezoid(at / 1e6, target / 1e6, full * speed / 1e9, acceleration / 1e6)
            await twins.send(Move(x, target, NONE, 0, NONE, 0, speed))
            accepted = plan.seconds <= LONGEST_MOTION
            for twin in (0, 1):
                assert isinstance(twins.last_reply(twin), Ok) == accepted
            if not accepted:
                continue
            await pass_time(twins, plan.seconds + 0.02)
            made = twins.chip.steps(0) - begin
            # A target in the middle between two steps can become either of them.
            assert abs(Fraction(made) - Fraction((target - low) * 1000, step_nm)) <= Fraction(3, 2)
            at = target

    clock.run(scenario())


@pytest.mark.slow
def test_held_is_sent_after_the_last_axis_has_stopped(library: Path) -> None:
    async def scenario(twins: Twins) -> None:
        await home_all(twins)
        await twins.send(TakeLease(300))
        await twins.send(move(twins, 150_000, -90_000, 120_000))
        await leave_switches(twins)
        await twins.advance(900)

    twins = run_scenario(library, scenario, "arm")
    assert reasons(twins)[-1] is Reason.HELD
    assert isinstance(twins.received[1][-1].message, Held)
