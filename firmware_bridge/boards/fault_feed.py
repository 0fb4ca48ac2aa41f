"""The faults of one board: those that are latched now, and the iterators that receive them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection

from firmware_bridge.board import BoardFault, FaultCode
from firmware_bridge.boards.feed import Feeds
from firmware_bridge.wire.messages import Faulted


class FaultFeed:
    """The latched faults of a board. A fault that is latched already is not reported again."""

    def __init__(self, board: str, channel_name: Callable[[int], str]) -> None:
        self._board = board
        self._channel_name = channel_name
        self._latched: list[BoardFault] = []
        self._feeds: Feeds[BoardFault] = Feeds()

    def listen(self) -> AsyncIterator[BoardFault]:
        """The faults that are latched now, then every fault as it latches, and lost leases."""
        feed = self._feeds.listen()
        for fault in self._latched:
            feed.offer(fault)
        return feed

    def latch(self, event: Faulted) -> None:
        """Record and report a fault that the board has latched."""
        code, channel = FaultCode(event.code), self._channel_name(event.channel)
        fault = BoardFault(self._board, code, channel)
        if fault not in self._latched:
            self._latched.append(fault)
            self._feeds.emit(fault)

    def lease_expired(self) -> None:
        """Report that the lease expired, which latches no fault."""
        self._feeds.emit(BoardFault(self._board, FaultCode.LEASE_EXPIRED, ""))

    def forget(self) -> list[BoardFault]:
        """Forget and return the latched faults; the board reports those that latch again."""
        known, self._latched = self._latched, []
        return known

    def restore(self, known: list[BoardFault]) -> None:
        """Restore faults that the board did not clear, before those that latched meanwhile."""
        self._latched = [*known, *(each for each in self._latched if each not in known)]

    def keep(self, codes: Collection[FaultCode]) -> None:
        """Forget the latched faults except those with these codes."""
        self._latched = [fault for fault in self._latched if fault.code in codes]

    def end(self, why: Exception | None = None) -> None:
        """End all iterators; each raises the error, if there is one."""
        self._feeds.end(why)
