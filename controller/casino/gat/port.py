"""Answers GAT queries on a serial port, on the running event loop.

The port can disappear, as that of a USB adapter does; it is opened again as soon as it is there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol

from controller.casino.gat.frames import BAUD, QUERIES, GatError, GatFrameReader, GatPortError
from controller.casino.gat.functions import GatRequest
from controller.casino.gat.responder import GatResponder
from controller.run.run_together import end_task
from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.transport import Transport, open_serial

REOPEN = 5.0
"""Seconds between two attempts to open a port that has disappeared."""

Calculate = Callable[[bytes, str | None], Awaitable[dict[str, str]]]
"""Computes the answers to a seed, of one component or of all. Raises GatError."""


class GatRecord(Protocol):
    """Takes what happened to a calculation: `started`, `complete` or `failed`, with facts."""

    def __call__(self, what: str, facts: dict[str, object], /) -> None: ...


def open_port(name: str) -> Transport:
    """Open a serial port for GAT. Raises GatPortError."""
    try:
        return open_serial(name, BAUD)
    except BoardSilentError as error:
        raise GatPortError(str(error)) from error


class GatPort:
    """The responder on one port. `record` gets each calculation when it starts and ends.

    `lost` gets a sentence when the port has disappeared, and when it is there again. `opener` opens
    the port, and is called at once. `pace` is loop seconds in a real second. Raises GatPortError if
    the port cannot be opened.
    """

    def __init__(
        self,
        components: tuple[str, ...],
        calculate: Calculate,
        record: GatRecord,
        lost: Callable[[str], None],
        opener: Callable[[], Transport],
        pace: float = 1.0,
    ) -> None:
        self._calculate = calculate
        self._record = record
        self._lost = lost
        self._opener = opener
        self._pace = pace
        self._loop = asyncio.get_running_loop()
        self._responder = GatResponder(components, self._start, self._time)
        self._calculation: asyncio.Task[None] | None = None
        self._transport = opener()

    async def run(self) -> None:
        """Answer until this call is cancelled."""
        try:
            while True:
                self._lost(await self._until_lost(self._transport))
                self._transport = await self._reopened()
                self._lost("The GAT port is there again.")
        finally:
            self._transport.close()
            if self._calculation is not None:
                await end_task(self._calculation)

    async def _until_lost(self, transport: Transport) -> str:
        """Answer on an open port; returns the reason after it has disappeared."""
        reader = GatFrameReader(QUERIES)
        lost: asyncio.Future[str] = self._loop.create_future()

        def receive(data: bytes) -> None:
            for frame in reader.feed(data, self._time()):
                try:
                    transport.write(self._responder.reply(frame).to_bytes())
                except GatError:
                    continue  # A damaged query has no reply; the terminal repeats it.

        def end(reason: str) -> None:
            if not lost.done():
                lost.set_result(reason)

        transport.connect(receive, end)
        return await lost

    async def _reopened(self) -> Transport:
        while True:
            await asyncio.sleep(REOPEN * self._pace)
            with suppress(GatError):
                return self._opener()

    def _time(self) -> float:
        return self._loop.time() / self._pace

    def _start(self, request: GatRequest) -> None:
        self._calculation = self._loop.create_task(self._calculated(request))

    async def _calculated(self, request: GatRequest) -> None:
        seed = request.seed or b""
        facts: dict[str, object] = {
            "level": request.level,
            "component": request.component,
            "seed": seed.hex(),
        }
        self._record("started", facts)
        try:
            answers = await self._calculate(seed, request.component)
        except GatError as error:
            self._responder.fail()
            self._record("failed", {**facts, "reason": str(error)})
        else:
            self._responder.finish(answers)
            self._record("complete", {**facts, "answers": answers})
