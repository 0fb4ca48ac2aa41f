"""The terminal's side of GAT: asks a machine for calculations and reads their results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from controller.casino.gat.frames import (
    REPLIES,
    GatCommand,
    GatError,
    GatFormat,
    GatFrame,
    GatFrameReader,
    GatPart,
    GatStart,
    GatState,
    LastStatusReply,
    ResultsQuery,
    ResultsReply,
    StatusReply,
)
from controller.casino.gat.functions import GatRequest
from firmware_bridge.wire.transport import Transport

REPLY_LIMIT = 1.0
"""Seconds for a whole reply; the longest one takes 0.27 s on the line."""
ATTEMPTS = 3
"""How often a query is sent before the machine counts as silent."""
POLL = 1.0
"""Seconds between two queries of the status during a calculation."""
LARGEST_RESULT = 1_000_000
"""Bytes of a result after which a machine is not read on."""


@dataclass
class GatTerminal:
    """A terminal at one end of an open line."""

    transport: Transport

    def __post_init__(self) -> None:
        """Connect the terminal to the line."""
        self._reader = GatFrameReader(REPLIES)
        # The queue is bounded by the frames of one read of the line.
        self._frames: asyncio.Queue[GatFrame | str] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self.transport.connect(self._receive, self._frames.put_nowait)

    async def status(self) -> StatusReply:
        """Ask for the status. Raises GatError."""
        return StatusReply.of(await self._asked(GatCommand.STATUS))

    async def last_status(self) -> LastStatusReply:
        """Ask for level and age of the last result. Raises GatError."""
        return LastStatusReply.of(await self._asked(GatCommand.LAST_STATUS))

    async def start(self, request: GatRequest) -> GatStart:
        """Request a calculation; returns the machine's answer. Raises GatError."""
        return GatStart((await self._asked(GatCommand.START, request.to_bytes()))[0] & 7)

    async def result(self) -> bytes:
        """Read the result, frame by frame. Raises GatError."""
        found = bytearray()
        for number in range(1, 0x10000):
            reply = await self._part(number)
            if reply.frame != number or reply.marks & GatPart.ERROR:
                raise GatError(f"The machine has no frame {number} of the result. Ask again.")
            found += reply.data
            if reply.marks & GatPart.LAST:
                return bytes(found)
            if len(found) > LARGEST_RESULT:
                break
        raise GatError(f"The result is larger than {LARGEST_RESULT} bytes; reading was stopped.")

    async def calculated(self, request: GatRequest, limit: float) -> bytes:
        """Request a calculation, wait for its end, and read the result.

        `limit` is in seconds. Raises GatError.
        """
        if (await self.status()).state in _RUNNING:
            raise GatError(
                "The machine is busy with another calculation. Ask again when it has ended."
            )
        answer = await self.start(request)
        status = await self.status()
        # If the reply to the request is lost, the request is sent again. The machine then refuses
        # it because it is busy with this very calculation: no one else is on the line. The
        # calculation may end before the status is asked; any other refusal leaves no result.
        if not answer & GatStart.ACKNOWLEDGED and status.state not in (*_RUNNING, GatState.DONE):
            raise GatError(_refusal(answer))
        ends = self._loop.time() + limit
        while status.state in _RUNNING:
            if self._loop.time() > ends:
                raise GatError(
                    f"The machine calculates for more than {limit:.0f} s; give a larger --limit."
                )
            await asyncio.sleep(POLL)
            status = await self.status()
        if status.state is not GatState.DONE:
            raise GatError("The machine's calculation failed. Look at the messages of the machine.")
        return await self.result()

    async def _part(self, number: int) -> ResultsReply:
        """Read one frame of the result. Raises GatError."""

        def is_earlier(data: bytes) -> bool:
            # A query that is sent again has two replies; the late one comes during a later query.
            return ResultsReply.of(data).frame < number

        query = ResultsQuery(GatFormat.XML, number)
        return ResultsReply.of(
            await self._asked(GatCommand.LAST_RESULTS, query.to_bytes(), is_earlier)
        )

    async def _asked(
        self,
        command: GatCommand,
        data: bytes = b"",
        is_late: Callable[[bytes], bool] = lambda _: False,
    ) -> bytes:
        """Send a query until its reply arrives; returns the reply's data. Raises GatError.

        Replies whose data `is_late` are those to earlier queries, and are skipped.
        """
        for _ in range(ATTEMPTS):
            while not self._frames.empty():
                self._take(self._frames.get_nowait())
            self.transport.write(GatFrame(command, data).to_bytes())
            try:
                async with asyncio.timeout(REPLY_LIMIT):
                    while True:
                        frame = self._take(await self._frames.get())
                        if frame.command == command | 0x80 and not is_late(frame.data):
                            return frame.data
            except TimeoutError:
                continue
        raise GatError(
            f"The machine did not answer {ATTEMPTS} times within {REPLY_LIMIT:.0f} s each. Look at"
            " the cable (a null-modem cable), and whether `wallwright casino gat` runs there."
        )

    def _receive(self, data: bytes) -> None:
        for frame in self._reader.feed(data, self._loop.time()):
            self._frames.put_nowait(frame)

    @staticmethod
    def _take(item: GatFrame | str) -> GatFrame:
        if isinstance(item, str):
            raise GatError(item)
        return item


_RUNNING = {GatState.REQUESTED, GatState.CALCULATING}


def _refusal(answer: GatStart) -> str:
    if answer & GatStart.WRONG_LEVEL:
        return "The machine does not offer this level of calculation."
    return "The machine refused the request. List what it offers with --functions."
