"""Answers GAT queries on a serial port, on the running event loop.

The port can disappear, as that of a USB adapter does; it is opened again as soon as it is there.

`GatResponder` has the reply to each query, without a serial port or a clock of its own. One
calculation runs at a time. A request meanwhile is answered without the mark `ACKNOWLEDGED`, and the
running calculation goes on; the terminal asks for the status until it has ended.

The answers of the program's components to a terminal's seed are computed in a process of low
priority.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from controller.casino.gat.frames import (
    BAUD,
    FRAME_OF_RESULTS,
    NO_LEVEL,
    QUERIES,
    GatCommand,
    GatError,
    GatFormat,
    GatFrame,
    GatFrameReader,
    GatPart,
    GatPortError,
    GatStart,
    GatState,
    LastStatusReply,
    ResultsQuery,
    ResultsReply,
    StatusReply,
)
from controller.casino.gat.functions import (
    GatRequest,
    WrongLevelError,
    list_of_answers,
    list_of_functions,
    requested,
)
from controller.records.identity import boot
from controller.records.identity.manifest import ALL_FILES, IdentityError
from controller.records.identity.periodic_check import printed_by_process
from controller.run.run_together import end_task
from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.transport import Transport, open_serial

LIMIT = 1200.0
"""Largest duration of a calculation, seconds; terminals wait as long."""
_CHILD = """
import json
from pathlib import Path
from controller.records.identity.boot import protected_manifest
from controller.records.identity.manifest import IdentityError
from controller.records.identity.manifest import component_answers
folder, program, seed = Path(sys.argv[1]), Path(sys.argv[2]), bytes.fromhex(sys.argv[3])
try:
    print(json.dumps(component_answers(seed, protected_manifest(folder, program).roots, program)))
except IdentityError as error:
    sys.exit(str(error))
"""


def components(folder: Path, program: Path = boot.PROGRAM) -> tuple[str, ...]:
    """The components of the signed program: all files together, and each root of the manifest.

    `folder` has the trusted signers. Raises IdentityError.
    """
    return (ALL_FILES, *sorted(boot.protected_manifest(folder, program).roots))


async def calculated(
    folder: Path,
    seed: bytes,
    component: str | None,
    program: Path = boot.PROGRAM,
    limit: float = LIMIT,
) -> dict[str, str]:
    """The answers of all components, or of one, as `wallwright identity challenge` gives them.

    The files are read in a process of low priority. `limit` is in seconds of the event loop's
    clock. Raises GatError.
    """
    try:
        text = await printed_by_process(_CHILD, folder, program, seed.hex(), limit=limit)
    except TimeoutError:
        raise GatError(
            f"The calculation did not end within {limit:.0f} s. Look at the disk of this computer."
        ) from None
    except IdentityError as error:
        raise GatError(str(error)) from error
    answers: dict[str, str] = json.loads(text)
    if component is None:
        return answers
    if component not in answers:
        raise GatError(f"The component '{component}' is not in the manifest any more.")
    return {component: answers[component]}


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


_BUSY = {GatState.REQUESTED, GatState.CALCULATING}


class GatResponder:
    """Answers queries and keeps the last result.

    `start` is called with each accepted calculation; its end is given to `finish` or `fail`.
    `components` are the names that a terminal can request. `clock` returns seconds.
    """

    def __init__(
        self,
        components: tuple[str, ...],
        start: Callable[[GatRequest], None],
        clock: Callable[[], float],
    ) -> None:
        self.state = GatState.IDLE
        self._components = components
        self._start = start
        self._clock = clock
        self._request: GatRequest | None = None
        self._result = b""
        self._ended = 0.0
        self._queries: Mapping[GatCommand, Callable[[bytes], bytes]] = {
            GatCommand.STATUS: self._status,
            GatCommand.LAST_STATUS: self._last_status,
            GatCommand.LAST_RESULTS: self._last_results,
            GatCommand.START: self._begin,
        }

    def reply(self, query: GatFrame) -> GatFrame:
        """The response to a query. Raises GatError for a frame that is not a query."""
        answer = self._queries.get(query.command)
        if answer is None:
            raise GatError(f"{query.command.name} is a response; a terminal sends queries.")
        return GatFrame(GatCommand(query.command | 0x80), answer(query.data))

    def finish(self, answers: Mapping[str, str]) -> None:
        """Take the answers of the calculation in progress, by component."""
        self._end(GatState.DONE, list_of_answers(answers))

    def fail(self) -> None:
        """End the calculation in progress without a result."""
        self._end(GatState.FAILED, b"")

    def _status(self, _: bytes) -> bytes:
        return StatusReply(self.state).to_bytes()

    def _last_status(self, _: bytes) -> bytes:
        if self.state is not GatState.DONE or self._request is None:
            return LastStatusReply(NO_LEVEL, 0).to_bytes()
        seconds = max(0, int(self._clock() - self._ended))
        return LastStatusReply(self._request.level, seconds).to_bytes()

    def _last_results(self, data: bytes) -> bytes:
        query = ResultsQuery.of(data)
        first = (query.frame - 1) * FRAME_OF_RESULTS
        is_there = self.state is GatState.DONE and 0 <= first < len(self._result)
        if not is_there or not query.format & GatFormat.XML:
            return ResultsReply(GatPart.ERROR | GatPart.LAST, query.frame).to_bytes()
        part = self._result[first : first + FRAME_OF_RESULTS]
        is_last = first + FRAME_OF_RESULTS >= len(self._result)
        return ResultsReply(GatPart(GatPart.LAST * is_last), query.frame, part).to_bytes()

    def _begin(self, data: bytes) -> bytes:
        if self.state in _BUSY:
            return bytes((0,))
        try:
            request = requested(data, self._components)
        except WrongLevelError:
            self._end(GatState.FAILED, b"")
            return bytes((GatStart.WRONG_LEVEL,))
        except GatError:
            self._end(GatState.FAILED, b"")
            return bytes((0,))
        self._request, self._result = request, b""
        if request.seed is None:
            self._end(GatState.DONE, list_of_functions(self._components))
        else:
            self.state = GatState.CALCULATING
            self._start(request)
        return bytes((GatStart.ACKNOWLEDGED | GatStart.STARTED,))

    def _end(self, state: GatState, result: bytes) -> None:
        self.state, self._result, self._ended = state, result, self._clock()
