"""The virtual clock: an event loop that jumps to the next timer instead of sleeping.

Everything that takes time uses `loop.time()`, `loop.call_at` and `asyncio.sleep`, and so runs
unchanged on the ordinary loop and on this one. The loop asks its selector to wait; ours looks at
the real file descriptors without waiting and then moves the clock on by exactly the time asked
for. A run with a seed is therefore the same run every time.

Where nothing is scheduled and nothing outside can wake the loop, the program has stopped for
good: that is `Deadlock`, and it names the tasks that wait.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine, Mapping
from math import inf
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")
Companion = Callable[[float, float], float]
"""Whatever else lives on this clock, from now until the next timer: until when time may go on.

It runs before time does. Where something happens earlier that concerns the loop, it schedules that
and says its time.
"""

PATIENCE = 1.0
"""Real seconds that an idle loop waits for another thread before it calls that a deadlock."""
_ALONE = 10.0
"""Virtual seconds in which a companion has to do something where nothing else is scheduled."""
_LATE = 0.25
"""A paced run that falls further behind (real seconds) than this does not hurry to catch up."""


class Deadlock(RuntimeError):
    """Nothing is scheduled and nobody outside can wake the loop: it would wait for ever."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on virtual time, which starts at 0.0 s.

    `pace` None jumps; a factor f takes dt / f real seconds for dt virtual ones, with the same
    virtual times to the last bit. File descriptors are real: they are looked at before every
    jump, so `call_soon_threadsafe` works. With nothing scheduled the loop waits for the caller's
    own descriptors as long as it takes; without any, for `patience` real seconds, and then raises
    Deadlock.

    `live`, with a pace, is for a process that others talk to: what a descriptor brings, comes at
    the instant at which it came, not at that of the timer before it. Held up by its machine, such
    a process finds one timer after the other, each at its own time, where an ordinary loop would
    find all of them late at once.
    """

    def __init__(
        self, pace: float | None = None, patience: float = PATIENCE, *, live: bool = False
    ) -> None:
        self._jumps = _JumpingSelector(pace, patience, self._deadlock, live)
        super().__init__(self._jumps)
        self._jumps.settle()
        if pace is not None and pace <= 0:
            self.close()
            raise ValueError(f"a pace of {pace} goes nowhere; give a factor above 0, or None.")

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._jumps.now

    @property
    def companion(self) -> Companion | None:
        """Who runs in lockstep with this loop, if anybody."""
        return self._jumps.companion

    @companion.setter
    def companion(self, companion: Companion | None) -> None:
        self._jumps.companion = companion

    def _deadlock(self) -> NoReturn:
        waiting = "; ".join(sorted(_whereabouts(task) for task in asyncio.all_tasks(self)))
        raise Deadlock(
            f"at {self.time():.6f} s nothing is scheduled, and these tasks wait:"
            f" {waiting or 'none'}."
        )


def run(main: Coroutine[Any, Any, T], pace: float | None = None, patience: float = PATIENCE) -> T:
    """Run a coroutine on a virtual loop of its own, cancel what it leaves, close everything."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(pace, patience)) as runner:
        return runner.run(main)


Ready = list[tuple[selectors.SelectorKey, int]]
_NOBODY: Ready = []
_EVERY = 16
"""While callbacks are ready, every so many turns of the loop look at the descriptors as well."""


class _JumpingSelector(selectors.BaseSelector):
    """A real selector that never sleeps (or only to keep pace) and a clock that it moves on."""

    def __init__(
        self,
        pace: float | None,
        patience: float,
        deadlock: Callable[[], NoReturn],
        live: bool,
    ) -> None:
        self.now = 0.0
        self.companion: Companion | None = None
        self._patience = patience
        self._deadlock = deadlock
        self._pacer = _Pacer(pace) if pace is not None else None
        self._live = live
        self._real = selectors.SelectSelector() if pace is not None else selectors.DefaultSelector()
        self._look = self._real.select
        self._own = 0
        self._busy = 0

    def settle(self) -> None:
        """Whatever is registered by now belongs to the loop itself and wakes nobody."""
        self._own = len(self._real.get_map())

    def select(self, timeout: float | None = None) -> Ready:
        if timeout is None:
            return self._idle()
        if timeout <= 0:
            self._busy += 1
            return _NOBODY if self._busy % _EVERY else self._look(0)
        ready = self._look(0)
        if ready:
            self._comes_live(self.now + timeout)
            return ready
        return self._go_on(self.now + timeout)

    def _go_on(self, until: float) -> Ready:
        if self.companion is not None:
            until = self.companion(self.now, until)
        if self._pacer is not None:
            ready = self._look(self._pacer.wait(until))
            if ready:
                self._comes_live(until)
                return ready
        self.now = until
        return _NOBODY

    def _idle(self) -> Ready:
        if self.companion is not None:
            horizon = self.now + _ALONE
            ready = self._go_on(horizon)
            if ready or self.now < horizon:
                return ready
        outside = len(self._real.get_map()) > self._own
        ready = self._look(None if outside else self._patience)
        if not ready and not outside:
            self._deadlock()
        self._comes_live()
        return ready

    def _comes_live(self, latest: float = inf) -> None:
        """Something came from outside: that was now, but not later than the next timer."""
        if self._live and self._pacer is not None:
            self.now = max(self.now, min(self._pacer.instant(), latest))

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()


class _Pacer:
    """How long to wait, in real seconds, until a virtual instant is due.

    The only reader of a real clock: it decides when the next jump happens, never how far it goes.
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


def _whereabouts(task: asyncio.Task[Any]) -> str:
    stack = task.get_stack(limit=1)
    if not stack:
        return task.get_name()
    code = stack[-1].f_code
    return f"{task.get_name()} in {code.co_name} ({code.co_filename}:{stack[-1].f_lineno})"
