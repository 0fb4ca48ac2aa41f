"""Keeps a table connected to its floor: connects, and connects again after each loss.

`publishing` does it in a thread with an event loop of its own.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

from controller.floor.broker import Broker, BrokerConnection, BrokerError, Will
from controller.floor.mqtt import open_connection
from controller.floor.settings import FloorSettings
from controller.floor.table.outbox import HeadCosigning, Outbox
from controller.floor.table.session import TableSession
from controller.floor.table.source import TableSource

SHORTEST, LONGEST = 1.0, 15.0
"""Seconds until the next try: doubled after each failure, and shortened by chance by up to half, so
that the tables of a floor do not all connect in the same second after a failure of the broker. With
1,700 tables, 15 s are about 150 connections a second."""
Connect = Callable[[Broker, str, Will | None], AbstractAsyncContextManager[BrokerConnection]]
"""Connects to a broker with a client identifier and a will."""


class TablePublisher:
    """Publishes one table until its service ends (`end`) or until it is cancelled.

    `connection_changed` is called with None when the floor has answered, and with the reason when
    it does not, or when the connection is lost or cannot be made; the same reason is not repeated.
    """

    def __init__(
        self,
        settings: FloorSettings,
        source: TableSource,
        *,
        connect: Connect = open_connection,
        connection_changed: Callable[[str | None], None] = lambda _: None,
    ) -> None:
        self._failure: str | None = ""
        self._changed = connection_changed
        self.outbox = Outbox()
        self.cosigning = HeadCosigning(source, settings.witness)
        self._settings, self._source = settings, source
        self._connect = connect
        self._ending = asyncio.Event()

    def end(self) -> None:
        """Let `run` return, after the last events were sent if the floor can be reached."""
        self._ending.set()

    async def run(self) -> None:
        """Connect and publish, again and again."""
        wait = SHORTEST
        while not self._ending.is_set():
            begun = asyncio.get_running_loop().time()
            try:
                await self._run_once()
            except BrokerError as error:
                self._report(str(error))
            if asyncio.get_running_loop().time() - begun > LONGEST:
                wait = SHORTEST
            with suppress(TimeoutError):
                async with asyncio.timeout(wait * (1 - secrets.randbelow(500) / 1000)):
                    await self._ending.wait()
            wait = min(LONGEST, 2 * wait)

    async def _run_once(self) -> None:
        session = TableSession(
            self._settings,
            self._source,
            self.outbox,
            self.cosigning,
            report=self._report,
            ending=self._ending,
        )
        address = self._settings.address
        # A fixed identifier: the broker ends an older connection of the same table at once.
        identifier = f"wallwright-{address.floor}-{address.table}"
        async with self._connect(self._settings.broker, identifier, session.will) as connection:
            await session.run(connection)

    def _report(self, failure: str | None) -> None:
        if failure != self._failure:
            self._failure = failure
            self._changed(failure)


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
