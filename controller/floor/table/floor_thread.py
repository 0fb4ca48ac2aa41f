"""Runs a table's publisher in a thread with its own event loop, beside the table's.

A slow network, TLS and the encoding of messages then delay no motor, and a simulated table's clock
does not shorten the limits of the network.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress

from controller.floor.table.publisher import TablePublisher

ENDING = 5.0
"""Real seconds in which the publisher sends the last events and says that the table is off."""
CANCELLED = 2.0
"""Real seconds in which it ends after it was cancelled; then it is left alone."""
_LOOK = 0.05


@asynccontextmanager
async def publishing(
    publisher: Callable[[], TablePublisher], pace: float = 1.0
) -> AsyncGenerator[None, None]:
    """Publish while the block runs. `publisher` is called in the thread, on its event loop."""
    loop = asyncio.SelectorEventLoop()
    main: list[asyncio.Task[None]] = []
    made: list[TablePublisher] = []

    async def publish() -> None:
        made.append(publisher())
        await made[0].run()

    def work() -> None:
        asyncio.set_event_loop(loop)
        task = loop.create_task(publish())
        main.append(task)
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(task)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()

    thread = threading.Thread(target=work, name="floor", daemon=True)
    thread.start()
    try:
        yield
    finally:

        def end() -> None:
            for each in made:
                each.end()

        def cancel() -> None:
            for task in main:
                task.cancel()

        for step, seconds in ((end, ENDING), (cancel, CANCELLED)):
            with suppress(RuntimeError):  # The loop has ended by itself.
                loop.call_soon_threadsafe(step)
            await _until_ended(thread, seconds, pace)


async def _until_ended(thread: threading.Thread, seconds: float, pace: float) -> None:
    """Wait for the thread; the table's loop runs meanwhile, because the publisher asks it."""
    for _ in range(round(seconds / _LOOK)):
        if not thread.is_alive():
            break
        await asyncio.sleep(_LOOK * pace)
