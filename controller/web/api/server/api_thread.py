"""Runs an asynchronous context in a thread with an event loop of its own, beside the caller's loop.

The caller is the loop of the table, which renews the leases of boards. Work of the other loop can
then delay it by the change of threads only, which the interpreter makes every 0.5 ms.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import TypeVar

ENDING = 10.0
"""Real seconds in which the other loop has to end; then its thread is left alone."""
Entered = TypeVar("Entered")


@asynccontextmanager
async def on_own_loop(
    loop: asyncio.AbstractEventLoop,
    context: Callable[[], AbstractAsyncContextManager[Entered]],
    name: str,
    pace: float = 1.0,
) -> AsyncGenerator[Entered, None]:
    """Enter `context` on `loop` in a new thread, and leave it when the block ends.

    Returns what the context returns. `pace` is the number of seconds of the caller's clock in a
    real second. Raises what the context raises.
    """
    entered: Future[Entered] = Future()
    ended: Future[None] = Future()
    ending = asyncio.Event()

    async def stay() -> None:
        async with context() as value:
            entered.set_result(value)
            await ending.wait()

    def work() -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(stay())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            (ended if entered.done() else entered).set_exception(error)
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()
            if not ended.done():
                ended.set_result(None)

    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    try:
        yield await asyncio.wrap_future(entered)
    finally:
        with suppress(RuntimeError):  # The loop has ended by itself.
            loop.call_soon_threadsafe(ending.set)
        # The caller's loop must run meanwhile, because requests in progress wait for it.
        left = asyncio.wrap_future(ended)
        await asyncio.wait([left], timeout=ENDING * pace)
        if left.done():
            left.result()
            thread.join()
