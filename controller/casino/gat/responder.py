"""The machine's side of GAT: the reply to each query, without a serial port or a clock of its own.

One calculation runs at a time. A request meanwhile is answered without the mark `ACKNOWLEDGED`, and
the running calculation goes on; the terminal asks for the status until it has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from controller.casino.gat.frames import GatCommand, GatError, GatFrame
from controller.casino.gat.functions import (
    GatRequest,
    WrongLevelError,
    list_of_answers,
    list_of_functions,
    requested,
)
from controller.casino.gat.messages import (
    FRAME_OF_RESULTS,
    NO_LEVEL,
    GatFormat,
    GatPart,
    GatStart,
    GatState,
    LastStatusReply,
    ResultsQuery,
    ResultsReply,
    StatusReply,
)

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
