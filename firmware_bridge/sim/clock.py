"""The virtual clock: an event loop that jumps to the next timer instead of sleeping.

All code that takes time uses `loop.time()`, `loop.call_at` and `asyncio.sleep`, and therefore runs
unchanged on asyncio's ordinary loop and on this one. This loop keeps its timers and the callbacks
of its next turn outside the ordinary loop, which only calls its selector to wait; this selector
runs the callbacks in order, and moves the clock to the next timer when there is none. File
descriptors are real and are polled in between, without waiting; the ordinary loop runs their
callbacks. Runs with the same seed are therefore identical.

If no timer is set and no descriptor or thread can wake the loop, it raises `Deadlock`, which names
the waiting tasks.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from contextvars import Context, copy_context
from math import inf
from typing import Any, NoReturn, TypeVar, TypeVarTuple, Unpack

from firmware_bridge.sim.timers import Timers, VirtualHandle, VirtualTimer
from rules.errors import WallwrightError

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
Companion = Callable[[float, float], float]
"""Runs in lockstep with the loop, from now to the next timer; returns how far time may advance.

The loop calls it before time advances. If it has an event for the loop before the next timer, it
schedules that event and returns its time.
"""

PATIENCE, PACED_PATIENCE = 10.0, 600.0
"""Real seconds that an idle loop waits for another thread before it raises Deadlock.

With a pace it serves people, and a thread may write to a slow disk meanwhile."""
_ALONE = 10.0
"""Virtual seconds that a companion runs at a time if no timer is set."""
_LATE = 0.25
"""Real seconds; a paced run that falls further behind than this does not catch up."""


class Deadlock(WallwrightError, RuntimeError):
    """No timer is set, and no descriptor or thread can wake the loop."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on virtual time, which starts at 0.0 s.

    `pace` None jumps; a factor f takes dt / f real seconds for dt virtual ones, with the same
    virtual times to the last bit. File descriptors are real: the loop looks at them before a jump
    (at every 16th one while only its own wake-up pipe is registered), so `call_soon_threadsafe`
    works. With nothing scheduled the loop waits for the caller's own descriptors without limit;
    without any, for `patience` real seconds, and then raises Deadlock. `patience` None is
    `PATIENCE`, or `PACED_PATIENCE` with a pace.

    `live`, with a pace, is for a process that exchanges bytes with other processes: bytes from a
    descriptor arrive at the virtual instant at which they were received, and not at the instant of
    the previous timer. If the operating system delays such a process, the loop fires its timers one
    after the other, each at its own time. An ordinary loop would fire all of them late and at once.
    """

    def __init__(
        self, pace: float | None = None, patience: float | None = None, *, live: bool = False
    ) -> None:
        if patience is None:
            patience = PATIENCE if pace is None else PACED_PATIENCE
        self._timers = Timers()
        self._soon: deque[VirtualHandle] = deque()
        self._ended = self._debugs = False
        self._jumps = _JumpingSelector(
            pace,
            patience,
            self._timers,
            self._soon,
            self.call_exception_handler,
            self._deadlock,
            live,
        )
        super().__init__(self._jumps)
        self._jumps.settle()
        if pace is not None and pace <= 0:
            self.close()
            raise ValueError(f"`pace` must be above 0, or None to jump; got {pace}.")

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._jumps.now

    def call_at(
        self,
        when: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call at an instant of virtual time; timers of one instant fire in the order set."""
        if self._ended:
            raise RuntimeError("Event loop is closed")
        timer = VirtualTimer(when, callback, args, context or copy_context())
        self._timers.push(timer)
        return timer

    def call_later(
        self,
        delay: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call after some virtual seconds."""
        return self.call_at(self._jumps.now + delay, callback, *args, context=context)

    def call_soon(
        self,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """Call in the next turn of the loop, before the clock advances."""
        if self._debugs:
            self._jumps.woken = True
            return super().call_soon(callback, *args, context=context)
        if self._ended:
            raise RuntimeError("Event loop is closed")
        handle = VirtualHandle(callback, args, context or copy_context())
        self._soon.append(handle)
        return handle

    def call_soon_threadsafe(
        self,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """As `call_soon`, from any thread; from another one, when the loop next polls its pipe."""
        self._jumps.woken = True
        return super().call_soon_threadsafe(callback, *args, context=context)

    def stop(self) -> None:
        """Stop at the end of this turn; the clock does not move on."""
        self._jumps.woken = True
        super().stop()

    def set_debug(self, enabled: bool) -> None:
        """Set the debug mode of asyncio, in which the ordinary loop runs and checks callbacks."""
        super().set_debug(enabled)
        self._debugs = enabled

    def close(self) -> None:
        """Close the loop and drop its timers. Idempotent."""
        super().close()
        self._ended = True
        self._timers.clear()
        self._soon.clear()

    @property
    def companion(self) -> Companion | None:
        """The companion that runs in lockstep with this loop, or None."""
        return self._jumps.companion

    @companion.setter
    def companion(self, companion: Companion | None) -> None:
        self._jumps.companion = companion

    def _deadlock(self) -> NoReturn:
        waiting = "; ".join(sorted(_location(task) for task in asyncio.all_tasks(self)))
        raise Deadlock(
            f"at {self.time():.6f} s nothing is scheduled, and these tasks wait:"
            f" {waiting or 'none'}."
        )


def run(
    main: Coroutine[Any, Any, T], pace: float | None = None, patience: float | None = None
) -> T:
    """Run a coroutine on a new virtual loop, then cancel remaining tasks and close the loop."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(pace, patience)) as runner:
        return runner.run(main)


Ready = list[tuple[selectors.SelectorKey, int]]
_NONE_READY: Ready = []
_EVERY = 16
"""Turns or jumps for each poll of the descriptors, while callbacks are ready or only the loop's own
wake-up pipe is registered. A poll takes as long as a short callback."""


class _JumpingSelector(selectors.BaseSelector):
    """A real selector that sleeps only to keep pace, and that advances the virtual clock."""

    def __init__(
        self,
        pace: float | None,
        patience: float,
        timers: Timers,
        soon: deque[VirtualHandle],
        failed: Callable[[dict[str, Any]], None],
        deadlock: Callable[[], NoReturn],
        live: bool,
    ) -> None:
        self.now = 0.0
        self.woken = False
        """Whether the ordinary loop has callbacks of its own, or must stop."""
        self.companion: Companion | None = None
        self._patience = patience
        self._timers = timers
        self._soon = soon
        self._failed = failed
        self._deadlock = deadlock
        self._pacer = _Pacer(pace) if pace is not None else None
        self._live = live
        self._real = selectors.SelectSelector() if pace is not None else selectors.DefaultSelector()
        self._poll = self._real.select
        self._own = 0
        self._outside = False
        """Whether descriptors besides the loop's own pipe are registered."""
        self._turns = 0

    def settle(self) -> None:
        """Treat the descriptors registered so far as the loop's own wake-up pipe."""
        self._own = len(self._real.get_map())
        self._outside = False

    def select(self, timeout: float | None = None) -> Ready:
        """Run callbacks and fire timers until a descriptor is ready or the loop is woken.

        With a timeout, the ordinary loop has callbacks or stops: run one turn only.
        """
        soon = self._soon
        if timeout is not None:
            self._run(soon)
            self._turns += 1
            return _NONE_READY if self._turns % _EVERY else self._poll(0)
        self.woken = False
        timers = self._timers
        while True:
            if soon:
                self._run(soon)
                if self.woken:
                    return _NONE_READY
                self._turns += 1
                if self._turns % _EVERY == 0:
                    ready = self._poll(0)
                    if ready:
                        return ready
                continue
            if self.woken:
                return _NONE_READY
            when = timers.next()
            if when is None:
                return self._idle()
            if when > self.now:
                self._turns += 1
                if self._outside or self._turns % _EVERY == 0:
                    ready = self._poll(0)
                    if ready:
                        self._advance_to_arrival(when)
                        return ready
                if self.companion is None and self._pacer is None:
                    self.now = when
                else:
                    ready = self._advance(when)
                    if ready:
                        return ready
            for timer in timers.due(self.now):
                # An earlier callback may have cancelled this one.
                if not timer.is_cancelled:
                    try:
                        timer.context.run(timer.callback, *timer.args)
                    except Exception as error:  # noqa: BLE001 - as asyncio does
                        self._report(timer, error)

    def _run(self, soon: deque[VirtualHandle]) -> None:
        """Run the callbacks of this turn; those that they add belong to the next one."""
        for _ in range(len(soon)):
            handle = soon.popleft()
            if not handle.is_cancelled:
                try:
                    handle.context.run(handle.callback, *handle.args)
                except (SystemExit, KeyboardInterrupt):
                    raise
                except BaseException as error:  # noqa: BLE001 - as asyncio does
                    self._report(handle, error)

    def _report(self, handle: VirtualHandle | VirtualTimer, error: BaseException) -> None:
        """Report a callback that failed, as any loop does."""
        message = f"Exception in callback {handle.callback!r}"
        self._failed({"message": message, "exception": error, "handle": handle})

    def _advance(self, until: float) -> Ready:
        if self.companion is not None:
            until = self.companion(self.now, until)
        if self._pacer is not None:
            ready = self._poll(self._pacer.wait(until))
            if ready:
                self._advance_to_arrival(until)
                return ready
        self.now = until
        return _NONE_READY

    def _idle(self) -> Ready:
        if self.companion is not None:
            horizon = self.now + _ALONE
            ready = self._advance(horizon)
            if ready or self.now < horizon:
                return ready
        ready = self._poll(None if self._outside else self._patience)
        if not ready and not self._outside:
            self._deadlock()
        self._advance_to_arrival()
        return ready

    def _advance_to_arrival(self, latest: float = inf) -> None:
        """Advance the clock to the arrival of bytes from outside, at most to the next timer."""
        if self._live and self._pacer is not None:
            self.now = max(self.now, min(self._pacer.instant(), latest))

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        key = self._real.register(fileobj, events, data)
        self._outside = len(self._real.get_map()) > self._own
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        key = self._real.unregister(fileobj)
        self._outside = len(self._real.get_map()) > self._own
        return key

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()


class _Pacer:
    """Pacing: computes the real seconds until a virtual instant is due.

    The pacer is the only code that reads a real clock. It delays jumps of the virtual clock and
    does not change their length.
    """

    def __init__(self, pace: float) -> None:
        self._pace = pace
        self._start = time.perf_counter()

    def wait(self, instant: float) -> float:
        real = time.perf_counter()
        due = self._start + instant / self._pace
        if due < real - _LATE:
            self._start += real - due
        return max(0.0, due - real)

    def instant(self) -> float:
        """The virtual instant that is due now."""
        return (time.perf_counter() - self._start) * self._pace


def _location(task: asyncio.Task[Any]) -> str:
    stack = task.get_stack(limit=1)
    if not stack:
        return task.get_name()
    code = stack[-1].f_code
    return f"{task.get_name()} in {code.co_name} ({code.co_filename}:{stack[-1].f_lineno})"
