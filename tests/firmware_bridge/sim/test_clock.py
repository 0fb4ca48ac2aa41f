"""Tests the virtual clock: timers, file descriptors, threads, deadlocks, pace, companions."""

from __future__ import annotations

import asyncio
import math
import socket
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.sim.clock import Deadlock, VirtualLoop, run


def now() -> float:
    return asyncio.get_running_loop().time()


def test_time_begins_at_zero_and_an_hour_takes_no_time() -> None:
    async def main() -> float:
        assert now() == 0.0
        await asyncio.sleep(3600)
        return now()

    began = time.perf_counter()
    assert run(main()) == 3600.0
    assert time.perf_counter() - began < 60.0


@given(st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=20))
def test_every_timer_fires_in_order_and_at_its_own_time(times: list[float]) -> None:
    async def main() -> list[tuple[float, float]]:
        loop = asyncio.get_running_loop()
        fired: list[tuple[float, float]] = []
        for when in times:
            loop.call_at(when, lambda when=when: fired.append((when, loop.time())))
        await asyncio.sleep(2e6)
        return fired

    fired = run(main())
    assert [when for when, _ in fired] == sorted(times)
    assert all(abs(at - when) < 1e-9 for when, at in fired)


def test_a_timer_that_another_cancels_at_the_same_instant_does_not_fire() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        fired: list[str] = []

        def cancel_second() -> None:
            second.cancel()

        loop.call_at(1.0, cancel_second)
        second = loop.call_at(1.0, fired.append, "second")
        third = loop.call_later(1.0, fired.append, "third")
        await asyncio.sleep(2.0)
        assert fired == ["third"]
        assert (second.cancelled(), third.cancelled(), third.when()) == (True, False, 1.0)
        assert "cancelled at 1.000000 s" in repr(second)

    run(main())


def test_tasks_that_sleep_are_woken_in_the_order_of_their_times() -> None:
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, step: float) -> None:
        for _ in range(3):
            await asyncio.sleep(step)
            woken.append((name, now()))

    async def main() -> None:
        await asyncio.gather(sleeper("slow", 1.0), sleeper("quick", 0.4))

    run(main())
    assert [name for name, _ in woken] == ["quick", "quick", "slow", "quick", "slow", "slow"]


def test_timeouts_use_virtual_time() -> None:
    async def main() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(90):
                await asyncio.sleep(1000)
        return now()

    assert run(main()) == 90.0


def test_a_deadlock_names_the_task_and_the_line_where_it_waits() -> None:
    async def stuck() -> None:
        await asyncio.get_running_loop().create_future()

    async def main() -> None:
        await asyncio.sleep(2.5)
        await asyncio.create_task(stuck(), name="head 2")

    with pytest.raises(Deadlock, match=r"at 2\.500000 s nothing.*head 2 in stuck \(.*\.py:\d+\)"):
        run(main(), patience=0.0)


def test_remaining_tasks_are_cancelled_and_can_still_wait_while_they_clean_up() -> None:
    ended: list[float] = []

    async def background() -> None:
        try:
            await asyncio.sleep(1e6)
        finally:
            await asyncio.sleep(1)
            ended.append(now())

    async def main() -> None:
        main.task = asyncio.create_task(background())  # type: ignore[attr-defined]
        await asyncio.sleep(5)

    run(main())
    assert ended == [6.0]


def test_a_callback_that_fails_is_reported_and_the_following_ones_are_called() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        reported: list[object] = []
        called: list[str] = []
        loop.set_exception_handler(lambda _, context: reported.append(context["exception"]))
        broken = ValueError("no such pin")

        def fail() -> None:
            raise broken

        loop.call_soon(fail)
        loop.call_soon(called.append, "cancelled").cancel()
        loop.call_soon(lambda: loop.call_soon(called.append, "second turn"))
        loop.call_soon(called.append, "first turn")
        loop.call_at(0.0, called.append, "timer of this instant")
        await asyncio.sleep(1.0)
        assert reported == [broken]
        assert called == ["first turn", "second turn", "timer of this instant"]

    run(main())


def test_a_loop_that_is_stopped_calls_what_is_ready_and_keeps_the_rest() -> None:
    called: list[str] = []
    loop = VirtualLoop()
    try:
        loop.call_soon(loop.stop)
        loop.call_soon(called.append, "ready")
        loop.call_soon(lambda: loop.call_soon(called.append, "later"))
        loop.run_forever()
        assert called == ["ready"]
        loop.stop()
        loop.run_forever()
        assert called == ["ready", "later"] and loop.time() == 0.0
    finally:
        loop.close()
    with pytest.raises(RuntimeError, match="closed"):
        loop.call_soon(called.append, "closed")


def test_another_thread_can_call_while_the_loop_fires_timers() -> None:
    async def main() -> str:
        loop = asyncio.get_running_loop()
        received: asyncio.Future[str] = loop.create_future()

        def ticking() -> None:
            """Set timers one after the other until the other thread has called."""
            if not received.done():
                loop.call_later(0.001, ticking)

        ticking()
        threading.Thread(
            target=loop.call_soon_threadsafe, args=(received.set_result, "pin 7")
        ).start()
        return await received

    assert run(main()) == "pin 7"


def test_another_thread_can_wake_a_loop_on_which_nothing_is_scheduled() -> None:
    async def main() -> tuple[str, float]:
        loop = asyncio.get_running_loop()
        received: asyncio.Future[str] = loop.create_future()
        threading.Timer(0.05, loop.call_soon_threadsafe, [received.set_result, "pin 7"]).start()
        return await received, now()

    assert run(main(), patience=30.0) == ("pin 7", 0.0)


def test_a_paced_loop_that_has_no_timer_waits_for_a_thread_with_a_slow_disk() -> None:
    async def main() -> str:
        loop = asyncio.get_running_loop()
        written: asyncio.Future[str] = loop.create_future()
        threading.Timer(1.5, loop.call_soon_threadsafe, [written.set_result, "synced"]).start()
        return await written

    assert run(main(), pace=25.0) == "synced"


def test_sockets_are_read_before_the_clock_jumps() -> None:
    async def main() -> tuple[bytes, float]:
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.setblocking(False)
            loop.call_later(1000, lambda: None)
            theirs.send(b"\x00")
            return await loop.sock_recv(ours, 1), now()

    assert run(main()) == (b"\x00", 0.0)


def test_an_idle_loop_waits_for_a_socket_of_its_caller() -> None:
    async def main() -> bytes:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.setblocking(False)
            threading.Timer(0.05, theirs.send, [b"\x01"]).start()
            return await asyncio.get_running_loop().sock_recv(ours, 1)

    assert run(main(), patience=0.0) == b"\x01"


def test_a_descriptor_is_read_even_while_callbacks_are_always_ready() -> None:
    async def main() -> bytes:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.setblocking(False)
            theirs.send(b"\x02")
            reading = asyncio.ensure_future(asyncio.get_running_loop().sock_recv(ours, 1))
            for _ in range(200):
                await asyncio.sleep(0)
            assert reading.done()
            return await reading

    assert run(main()) == b"\x02"


def test_a_pace_takes_real_time_and_does_not_change_virtual_times() -> None:
    async def main() -> list[float]:
        times = []
        for _ in range(100):
            await asyncio.sleep(3.0)
            times.append(now())
        return times

    began = time.perf_counter()
    paced = run(main(), pace=2000.0)
    real = time.perf_counter() - began
    assert paced == run(main())
    assert 0.14 < real < 60.0  # 300 s at the pace 1


def test_bytes_reach_a_live_loop_at_the_instant_of_their_arrival() -> None:
    loop = VirtualLoop(pace=1.0, live=True)
    ours, theirs = socket.socketpair()
    received = loop.create_future()

    def read() -> None:
        ours.recv(1)
        received.set_result(loop.time())

    async def main() -> float:
        loop.add_reader(ours, read)
        sender = threading.Timer(0.2, theirs.send, (b"x",))
        sender.start()
        async with asyncio.timeout(60):
            arrived: float = await received
        sender.join()
        return arrived

    with ours, theirs:
        arrived = loop.run_until_complete(main())
        loop.close()
    assert 0.1 < arrived < 60, "the bytes arrive between two timers of the loop"


def test_a_live_loop_that_was_delayed_fires_each_timer_at_its_own_time() -> None:
    loop = VirtualLoop(pace=1.0, live=True)
    fired: list[tuple[str, float]] = []

    def record(name: str) -> None:
        fired.append((name, loop.time()))

    def end_push() -> None:
        record("the push ends")
        loop.call_later(0.001, record, "its vane has settled")

    async def main() -> None:
        loop.call_at(0.05, end_push)
        loop.call_at(0.06, record, "the limit is over")
        time.sleep(0.5)  # noqa: ASYNC251 the operating system does not schedule the process
        await asyncio.sleep(0.1)

    loop.run_until_complete(main())
    loop.close()
    assert fired == [
        ("the push ends", 0.05),
        ("its vane has settled", pytest.approx(0.051)),
        ("the limit is over", 0.06),
    ]


def test_a_pace_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="`pace` must be above 0, or None to jump; got 0"):
        VirtualLoop(pace=0)


def test_a_companion_runs_to_the_next_timer_or_to_its_own_next_event() -> None:
    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        ran: list[float] = []
        events = [0.3, 0.4, math.inf]

        def companion(now: float, until: float) -> float:
            if events[0] < until:
                until = events.pop(0)
                loop.call_at(until, ran.append, -until)
            ran.append(until)
            return until

        loop.companion = companion
        await asyncio.sleep(1.0)
        loop.companion = None
        await asyncio.sleep(1.0)
        return ran

    assert run(main()) == [0.3, -0.3, 0.4, -0.4, 1.0]


def test_a_companion_can_wake_a_loop_that_has_no_timer() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        done = loop.create_future()

        def companion(now: float, until: float) -> float:
            loop.call_at(2.5, done.set_result, None)
            return 2.5

        loop.companion = companion
        await done
        loop.companion = None
        return loop.time()

    assert run(main()) == 2.5


def test_a_loop_whose_companion_has_no_event_raises_deadlock() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        loop.companion = lambda now, until: until
        await loop.create_future()

    with pytest.raises(Deadlock):
        run(main(), patience=0.01)
