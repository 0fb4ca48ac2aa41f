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

ENDING = 4.0
"""Real seconds in which the publisher says that the table is offline; then it is left alone."""
_LOOK = 0.05


@asynccontextmanager
async def publishing(
    publisher: Callable[[], TablePublisher], pace: float = 1.0
) -> AsyncGenerator[None, None]:
    """Publish while the block runs. `publisher` is called in the thread, on its event loop."""
    loop = asyncio.SelectorEventLoop()
    main: list[asyncio.Task[None]] = []

    async def publish() -> None:
        await publisher().run()

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
        with suppress(RuntimeError):  # The loop has ended by itself.
            loop.call_soon_threadsafe(lambda: [task.cancel() for task in main])
        # The table's loop must run meanwhile, because the publisher waits for it.
        for _ in range(round(ENDING / _LOOK)):
            if not thread.is_alive():
                break
            await asyncio.sleep(_LOOK * pace)
