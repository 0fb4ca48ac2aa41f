"""Tests `GpioBoard` on mock pins: motions, sensors, the lease and faults."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from firmware_bridge.board import BoardFault, Edge, Edges, Elapsed, Ended, FaultCode, Level, Reason
from firmware_bridge.boards.gpio_board import GpioBoard
from firmware_bridge.boards.lease import PinLease
from firmware_bridge.sim import clock
from firmware_bridge.sim.mock_pins import MockPins
from firmware_bridge.wire.errors import BoardRefusedError
from firmware_bridge.wire.messages import Message
from tests.firmware_bridge.pin_bench import (
    BENCH,
    Bench,
    leased,
    run_scenario,
    second_thread,
    started,
)

# Motors run until their end condition holds


@run_scenario
async def test_the_wheel_stops_at_the_fifth_tile() -> None:
    async with leased() as bench:
        bench.pass_tiles_at(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
        ended = await bench.board.drive("wheel", 800, Edges("counter", 5), 10.0)
        assert ended == Ended(Reason.EDGES, 5, 0.5)
        assert bench.recorder.trace == [(0.0, "wheel", 800), (0.5, "wheel", 0)]
        await asyncio.sleep(1.0)
        assert await bench.board.count("counter") == 6


@run_scenario
async def test_tiles_counted_in_another_thread_stop_the_wheel_from_the_loops_thread() -> None:
    async with leased() as bench:
        threads = set()
        write = bench.recorder.output

        def output(channel: str, value: int) -> None:
            threads.add(threading.get_ident())
            write(channel, value)

        bench.recorder.output = output
        driving = asyncio.create_task(bench.board.drive("wheel", 800, Edges("counter", 3), 60.0))
        with second_thread() as call_elsewhere:
            for tile in range(3):
                await asyncio.sleep(0.25)
                assert not driving.done(), tile
                call_elsewhere(bench.pass_tile)
        assert await driving == Ended(Reason.EDGES, 3, 0.75)
        assert threads == {threading.get_ident()}


def test_on_the_ordinary_clock_a_pin_change_in_another_thread_wakes_the_loop() -> None:
    async def scenario() -> Ended:
        async with leased() as bench:

            def tiles() -> None:
                for _ in range(20):
                    time.sleep(0.002)
                    bench.pass_tile()

            thread = threading.Thread(target=tiles)
            thread.start()
            ended = await bench.board.drive("wheel", 800, Edges("counter", 20), 60.0)
            thread.join()
            return ended

    ended = asyncio.run(scenario())
    assert (ended.reason, ended.count) == (Reason.EDGES, 20)


@run_scenario
async def test_a_wheel_that_no_tile_passes_stops_at_its_time_limit() -> None:
    async with leased() as bench:
        bench.pass_tiles_at(0.5)
        ended = await bench.board.drive("wheel", -300, Edges("counter", 2), 3.0)
        assert ended == Ended(Reason.TIME, 1, 3.0)
        assert bench.recorder.trace == [(0.0, "wheel", -300), (3.0, "wheel", 0)]


@run_scenario
async def test_the_lift_runs_to_its_switch_and_does_not_start_at_an_active_switch() -> None:
    async with leased() as bench:
        bench.set_sensor_at(2.5, "up", True)
        assert await bench.board.drive("lift", 1000, Level("up"), 4.0) == Ended(
            Reason.LEVEL, 0, 2.5
        )
        assert (await bench.board.drive("lift", 1000, Level("up"), 4.0)).seconds == 0.0
        assert bench.recorder.trace == [(0.0, "lift", 1000), (2.5, "lift", 0)]


@run_scenario
async def test_the_drum_runs_for_the_ordered_time() -> None:
    async with leased() as bench:
        assert await bench.board.drive("drum", 650, Elapsed(), 8.0) == Ended(Reason.TIME, 0, 8.0)
        assert bench.recorder.trace == [(0.0, "drum", 650), (8.0, "drum", 0)]


@run_scenario
async def test_each_end_switch_stops_the_lift_in_its_own_direction() -> None:
    async with leased() as bench:
        bench.set_sensor_at(1.0, "up", True)
        assert await bench.board.drive("lift", 900, Elapsed(), 3.0) == Ended(Reason.SWITCH, 0, 1.0)
        bench.set_sensor_at(0.5, "up", False)
        bench.set_sensor_at(1.5, "down", True)
        ended = await bench.board.drive("lift", -900, Elapsed(), 3.0)
        assert ended == Ended(Reason.SWITCH, 0, 1.5)


@run_scenario
async def test_a_full_belt_stops_the_wheel_until_the_belt_has_room() -> None:
    async with leased() as bench:
        bench.set_sensor_at(1.0, "full", True)
        bench.set_sensor_at(3.0, "full", False)
        await bench.board.drive("wheel", 800, Elapsed(), 5.0)
        assert bench.recorder.trace == [
            (0.0, "wheel", 800),
            (1.0, "wheel", 0),
            (3.0, "wheel", 800),
            (5.0, "wheel", 0),
        ]


@run_scenario
async def test_a_pulse_releases_the_brake_and_then_applies_it_again() -> None:
    async with leased() as bench:
        assert await bench.board.pulse("brake", 0, 0.04) == Ended(Reason.DONE, 0, 0.04)
        assert bench.recorder.trace == [(0.0, "brake", 0), (0.04, "brake", 1)]


@run_scenario
async def test_stop_all_stops_motors_before_it_returns_and_leaves_lamps_on() -> None:
    async with leased() as bench:
        await bench.board.set("lamp", 1)
        driving = asyncio.create_task(bench.board.drive("drum", 650, Elapsed(), 8.0))
        await asyncio.sleep(1.0)
        bench.board.stop_all()
        assert bench.recorder.trace[-1] == (1.0, "drum", 0)
        assert await driving == Ended(Reason.STOPPED, 0, 1.0)
        assert await bench.board.read("lamp") == 1
        await bench.board.stop("lamp")
        assert await bench.board.read("lamp") == 0


# Sensors


@run_scenario
async def test_a_bouncing_key_counts_once_even_if_reported_in_another_thread() -> None:
    async with started() as bench:

        def bounce() -> None:
            for _ in range(7):
                bench.pins.sensor("key", True)
                bench.pins.sensor("key", False)
            bench.pins.sensor("key", True)

        with second_thread() as call_elsewhere:
            call_elsewhere(bounce)
            await asyncio.sleep(0.019)
            assert await bench.board.read("key") == 0
            await asyncio.sleep(0.002)
        assert await bench.board.read("key") == 1
        assert await bench.board.count("key") == 1


def passes(pins: MockPins, *seconds: float) -> Callable[[], float]:
    """Return a function that activates the pin of the key for each of these durations.

    The time is real, and a busy computer holds the pin for longer: the function returns the longest
    duration that it has measured.
    """

    def act() -> float:
        longest = 0.0
        for held in seconds:
            begun = time.monotonic()
            pins.sensor("key", True)
            time.sleep(held)
            pins.sensor("key", False)
            longest = max(longest, time.monotonic() - begun)
            time.sleep(0.03)
        return longest

    return act


@pytest.mark.parametrize(("held", "counted"), [((0.04, 0.04), 2), ((0.002,) * 3, 0)])
def test_pin_changes_during_a_host_stall_are_debounced_by_their_own_time_stamps(
    held: tuple[float, ...], counted: int
) -> None:
    """The loop hangs for 200 ms, then receives all changes of a key with 20 ms debounce time."""

    async def main() -> bool:
        async with started() as bench:
            edges = bench.board.watch("key")
            with ThreadPoolExecutor(1) as hand:
                longest = hand.submit(passes(bench.pins, *held))
                time.sleep(0.2)  # noqa: ASYNC251  the stall
            if not counted and longest.result() >= 0.019:
                return False  # the computer was too busy for a short activation
            await asyncio.sleep(0.05)
            assert await bench.board.count("key") == counted
            assert await bench.board.read("key") == 0
            await bench.board.close()
            assert [edge.active async for edge in edges] == [True, False] * counted
        return True

    assert any(asyncio.run(main()) for _ in range(20))


@run_scenario
async def test_every_subscriber_receives_every_edge_once_and_in_order() -> None:
    async with started() as bench:
        both = bench.board.watch("counter", "full")
        counter = bench.board.watch("counter")
        bench.pass_tiles_at(0.1, 0.2)
        bench.set_sensor_at(0.15, "full", True)
        await asyncio.sleep(1.0)
        await bench.board.close()
        tiles = [
            Edge("counter", True, 0.1, 1),
            Edge("counter", False, 0.1, 1),
            Edge("counter", True, 0.2, 2),
            Edge("counter", False, 0.2, 2),
        ]
        assert [edge async for edge in counter] == tiles
        assert [edge async for edge in both] == [
            *tiles[:2],
            Edge("full", True, 0.15, 1),
            *tiles[2:],
        ]


@run_scenario
async def test_a_subscription_before_the_start_of_the_board_receives_edges() -> None:
    bench = Bench()
    edges = bench.board.watch("counter")
    await bench.board.start()
    bench.pass_tile()
    assert await anext(edges) == Edge("counter", True, 0.0, 1)
    await bench.board.close()


@run_scenario
async def test_a_sensor_already_active_at_the_start_is_read_but_not_counted() -> None:
    bench = Bench()
    bench.pins.sensor("full", True)
    await bench.board.start()
    assert await bench.board.read("full") == 1
    assert await bench.board.count("full") == 0
    await bench.board.close()


# The lease


@run_scenario
async def test_without_a_lease_no_output_is_set() -> None:
    async with started() as bench:
        with pytest.raises(
            BoardRefusedError, match=r"pins refused setting lamp to 1: no lease is held"
        ):
            await bench.board.set("lamp", 1)
        assert bench.recorder.trace == []


@run_scenario
async def test_the_outermost_release_sets_every_output_to_its_safe_value() -> None:
    async with leased() as bench:
        await bench.board.hold_lease()
        await bench.board.set("lamp", 1)
        await bench.board.set("brake", 0)
        driving = asyncio.create_task(bench.board.drive("drum", 650, Elapsed(), 60.0))
        await asyncio.sleep(1.0)
        await bench.board.release_lease()
        assert bench.recorder.trace == [(0.0, "lamp", 1), (0.0, "brake", 0), (0.0, "drum", 650)]
        await bench.board.release_lease()
        assert sorted(bench.recorder.trace[3:]) == [
            (1.0, "brake", 1),
            (1.0, "drum", 0),
            (1.0, "lamp", 0),
        ]
        assert await driving == Ended(Reason.STOPPED, 0, 1.0)
        with pytest.raises(BoardRefusedError, match="without a lease; call hold_lease"):
            await bench.board.release_lease()


@run_scenario
async def test_a_held_lease_is_renewed() -> None:
    async with leased() as bench:
        await bench.board.set("lamp", 1)
        await asyncio.sleep(100.0)
        assert await bench.board.read("lamp") == 1


@pytest.mark.parametrize("age", [0.0, 0.8, 0.9, 1.1, 1.6])
@pytest.mark.parametrize("stall", [0.8, 1.5, 6.0])
def test_a_host_that_stalls_for_longer_than_the_lease_keeps_it(age: float, stall: float) -> None:
    """Both in durations of the lease: how long it was held, and how long the host stalls."""

    async def scenario() -> None:
        async with leased() as bench:
            await bench.board.set("lamp", 1)
            await asyncio.sleep(BENCH.lease * age)
            time.sleep(BENCH.lease * stall)  # noqa: ASYNC251  the stall
            await asyncio.sleep(0.01)
            assert await bench.board.read("lamp") == 1

    asyncio.run(scenario())


def test_a_host_that_stalls_while_it_takes_the_lease_renews_it_before_it_ends() -> None:
    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        first: asyncio.Future[str] = loop.create_future()
        expiry: asyncio.TimerHandle | None = None

        def happen(what: str) -> None:
            if not first.done():
                first.set_result(what)

        def execute(message: Message, _: str) -> Message:
            nonlocal expiry
            if expiry is None:
                expiry = loop.call_later(0.5, happen, "expired")
                time.sleep(0.4)  # the stall
            else:
                expiry.cancel()
                happen("renewed")
            return message

        lease = PinLease(loop, 0.5, execute)
        lease.hold()
        assert await first == "renewed"
        lease.end()

    asyncio.run(scenario())


# Faults


@run_scenario
async def test_a_motor_left_on_too_long_is_stopped_and_the_fault_is_reported() -> None:
    async with leased() as bench:
        faults = bench.board.faults
        await bench.board.set("lift", 500)
        too_long = BoardFault("pins", FaultCode.MAXIMUM_ON_TIME, "lift")
        assert await anext(faults) == too_long
        assert bench.recorder.trace == [(0.0, "lift", 500), (4.0, "lift", 0)]
        with pytest.raises(BoardRefusedError, match="lift has a latched fault; remove its cause"):
            await bench.board.set("lamp", 1)
        assert await anext(bench.board.faults) == too_long, "a late subscriber receives the fault"
        await bench.board.clear()
        await bench.board.set("lamp", 1)


@run_scenario
async def test_the_emergency_stop_makes_outputs_safe_and_latches_until_released() -> None:
    async with leased() as bench:
        faults = bench.board.faults
        await bench.board.set("lamp", 1)
        driving = asyncio.create_task(bench.board.drive("drum", 650, Elapsed(), 60.0))
        await asyncio.sleep(1.0)
        with second_thread() as call_elsewhere:
            call_elsewhere(lambda: bench.pins.sensor("emergency", True))
            assert await driving == Ended(Reason.FAULT, 0, 1.0)
            assert await anext(faults) == BoardFault("pins", FaultCode.EMERGENCY_STOP, "emergency")
            assert bench.recorder.trace[-2:] == [(1.0, "drum", 0), (1.0, "lamp", 0)]
            with pytest.raises(BoardRefusedError, match="cause of the fault of emergency persists"):
                await bench.board.clear()
            call_elsewhere(lambda: bench.pins.sensor("emergency", False))
            await asyncio.sleep(0.1)
        await bench.board.clear()
        await bench.board.set("lamp", 1)


@run_scenario
async def test_an_order_is_refused_if_the_stop_is_pressed_and_the_loop_does_not_know_it_yet() -> (
    None
):
    async with leased() as bench:
        with second_thread() as call_elsewhere:
            call_elsewhere(lambda: bench.pins.sensor("emergency", True))
            with pytest.raises(BoardRefusedError):
                await bench.board.set("drum", 500)
        assert not bench.recorder.trace


@run_scenario
async def test_a_broken_emergency_wire_is_an_emergency_stop() -> None:
    nothing_connected = MockFactory(pin_class=MockPWMPin)
    board = GpioBoard("pins", BENCH, nothing_connected, emergency=("emergency",))
    await board.start()
    fault = BoardFault("pins", FaultCode.EMERGENCY_STOP, "emergency")
    assert await anext(board.faults) == fault
    await board.close()


@run_scenario
async def test_a_blocked_mechanism_latches_a_fault() -> None:
    async with leased() as bench:
        bench.recorder.jammed = True
        assert (await bench.board.drive("drum", 650, Elapsed(), 1.0)).reason is Reason.FAULT
        fault = BoardFault("pins", FaultCode.IMPOSSIBLE, "drum")
        assert await anext(bench.board.faults) == fault
        assert await bench.board.read("drum") == 0
        bench.recorder.jammed = False
        await bench.board.clear()
        bench.pins.order_failed("drum", "no room.")
        assert (await bench.board.drive("drum", 650, Elapsed(), 1.0)).reason is Reason.FAULT


def test_two_runs_of_a_scenario_are_identical() -> None:
    def scenario() -> list[tuple[float, str, int]]:
        async def play() -> list[tuple[float, str, int]]:
            async with leased() as bench:
                bench.pass_tiles_at(*(0.1 * n for n in range(1, 30)))
                bench.set_sensor_at(0.55, "full", True)
                bench.set_sensor_at(1.05, "full", False)
                drum = asyncio.create_task(bench.board.drive("drum", 650, Elapsed(), 2.0))
                for _ in range(3):
                    await bench.board.drive("wheel", 800, Edges("counter", 4), 60.0)
                await drum
                return bench.recorder.trace

        return clock.run(play())

    assert scenario() == scenario()
