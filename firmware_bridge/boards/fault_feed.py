"""The faults of one board: those that are latched now, and the iterators that receive them.

A breach of the protocol is kept like a latched fault, so that it is reported once until the board
is cleared, however many messages break the protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from firmware_bridge.board import AnyFault, BoardFault, FaultCode, ProtocolFault
from firmware_bridge.boards.feed import Feed, Feeds

MOST_LATCHED = 64
"""Limit of the faults that one board can have latched at a time; the firmware latches fewer."""


class FaultFeed:
    """The latched faults of a board. A fault that is latched already is not reported again."""

    def __init__(self, board: str, channel_name: Callable[[int], str]) -> None:
        self._board = board
        self._channel_name = channel_name
        self._latched: dict[BoardFault, None] = {}
        self._breaches: dict[ProtocolFault, None] = {}
        self._feeds: Feeds[AnyFault] = Feeds()

    def listen(self) -> Feed[AnyFault]:
        """The faults that are latched now, then every fault as it latches, and lost leases."""
        feed = self._feeds.listen()
        for fault in self._known():
            feed.offer(fault)
        return feed

    def latch(self, code: FaultCode, channel: int) -> bool:
        """Record and report a fault that the board has latched, with the channel's number.

        Returns False, and does nothing, if `MOST_LATCHED` other faults are latched already.
        """
        fault = BoardFault(self._board, code, self._channel_name(channel))
        if fault in self._latched:
            return True
        if len(self._latched) >= MOST_LATCHED:
            return False
        self._latched[fault] = None
        self._feeds.emit(fault)
        return True

    def report(self, fault: ProtocolFault) -> None:
        """Report a breach of the protocol, once until the faults are forgotten."""
        if fault not in self._breaches:
            self._breaches[fault] = None
            self._feeds.emit(fault)

    def lease_expired(self) -> None:
        """Report that the lease expired, which latches no fault."""
        self._feeds.emit(BoardFault(self._board, FaultCode.LEASE_EXPIRED, ""))

    def forget(self) -> tuple[AnyFault, ...]:
        """Forget and return the faults; the board reports those that latch again."""
        known = self._known()
        self._latched, self._breaches = {}, {}
        return known

    def restore(self, known: tuple[AnyFault, ...]) -> None:
        """Restore faults that the board did not clear, before those that latched meanwhile."""
        latched = [fault for fault in known if isinstance(fault, BoardFault)]
        broken = [fault for fault in known if isinstance(fault, ProtocolFault)]
        self._latched = dict.fromkeys((*latched, *self._latched))
        self._breaches = dict.fromkeys((*broken, *self._breaches))

    def keep(self, codes: Collection[FaultCode]) -> None:
        """Forget the latched faults except those with these codes."""
        self._latched = dict.fromkeys(fault for fault in self._latched if fault.code in codes)

    def end(self, why: Exception | None = None) -> None:
        """End all iterators; each raises the error, if there is one."""
        self._feeds.end(why)

    def _known(self) -> tuple[AnyFault, ...]:
        known: list[AnyFault] = [*self._latched]
        known += self._breaches
        return tuple(known)
