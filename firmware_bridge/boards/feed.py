"""Event feeds: the subscribers to the sensors and the faults of a board.

A feed is an async iterator: each subscriber receives every event after its subscription, once. A
subscription lasts until its `close`, or until all feeds end. A subscriber that does not read keeps
the newest `MOST_UNREAD` events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from firmware_bridge.board import AnyFault, BoardFault, Edge, FaultCode, ProtocolFault
from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.link import Link
from firmware_bridge.wire.messages import Watch
from firmware_bridge.wire.sliding_window import Reply

T = TypeVar("T")
MOST_UNREAD = 1024
"""Limit of the events that wait for one subscriber. If it is exceeded, the oldest is dropped: an
edge has its sensor's count, which shows how many edges came before it."""
MOST_LATCHED = 64
"""Limit of the faults that one board can have latched at a time; the firmware latches fewer."""
MOST_LATE = 256
"""Edges of a sensor that the board may send after it has confirmed the end of the reports. They
were queued before; the firmware has 28 places."""


class Feed(Generic[T]):
    """One subscriber's events, oldest first. Ends when the feeds end, with their error if any.

    It keeps that error, so that a subscriber that reads the end late still receives it, even if the
    feeds have been restarted meanwhile. `leave` ends the delivery of events to this feed.
    """

    def __init__(self, accepts: Callable[[T], bool], leave: Callable[[Feed[T]], None]) -> None:
        self._accepts = accepts
        self._leave = leave
        self._why: Exception | None = None
        self._queue: asyncio.Queue[T | None] = asyncio.Queue()
        self._ended = False

    def __aiter__(self) -> Feed[T]:
        return self

    async def __anext__(self) -> T:
        event = await self._queue.get()
        if event is None:
            self._queue.put_nowait(None)
            raise self._why or StopAsyncIteration
        return event

    def offer(self, event: T) -> bool:
        """Queue an event, if this subscriber's filter accepts it; returns whether it does."""
        accepted = self._accepts(event)
        if accepted:
            if self._queue.qsize() >= MOST_UNREAD:
                self._queue.get_nowait()
            self._queue.put_nowait(event)
        return accepted

    def end(self, why: Exception | None) -> None:
        """End the iteration; with an error `why`, the subscriber gets the error instead."""
        if not self._ended:
            self._ended, self._why = True, why
            self._queue.put_nowait(None)

    def close(self) -> None:
        """End the subscription, and an iteration that still waits for an event. Idempotent."""
        self._leave(self)
        self.end(None)


class Feeds(Generic[T]):
    """All subscribers to one kind of event, served in the order of their subscription."""

    def __init__(self) -> None:
        self._feeds: dict[Feed[T], None] = {}

    def listen(self, accepts: Callable[[T], bool] = lambda _: True) -> Feed[T]:
        """Subscribe to every event, from now on, for which `accepts` is true."""
        feed = Feed(accepts, self._remove)
        self._feeds[feed] = None
        return feed

    def emit(self, event: T) -> bool:
        """Offer an event to every subscriber; returns whether any of them accepted it."""
        accepted = [feed for feed in tuple(self._feeds) if feed.offer(event)]
        return bool(accepted)

    def end(self, why: Exception | None = None) -> None:
        """End all feeds; with an error `why`, every subscriber gets the error."""
        for feed in tuple(self._feeds):
            feed.end(why)
        self._feeds.clear()

    def _remove(self, feed: Feed[T]) -> None:
        self._feeds.pop(feed, None)


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


class _Ending:
    """A sensor whose reports the host has ended: the board's confirmation, and later edges."""

    __slots__ = ("confirmed", "late")

    def __init__(self, confirmed: Reply) -> None:
        self.confirmed = confirmed
        self.late = 0


class Subscriptions:
    """Subscribers to the sensors of one board, whose channels have these names in order."""

    def __init__(self, link: Link, names: Sequence[str]) -> None:
        self._link = link
        self._names = names
        self._edges: Feeds[Edge] = Feeds()
        self._reported: dict[int, None] = {}
        self._endings: dict[int, _Ending] = {}

    def __iter__(self) -> Iterator[int]:
        """The numbers of the sensors to be reported."""
        return iter(tuple(self._reported))

    def listen(self, sensors: Mapping[str, int]) -> Feed[Edge]:
        """Subscribe to every edge of these sensors from now on."""
        feed = self._edges.listen(lambda edge: edge.sensor in sensors)
        for number in sensors.values():
            if number not in self._reported and self._link.ready:
                self._endings.pop(number, None)
                self._link.post(Watch(number, 1))
            self._reported[number] = None
        return feed

    def deliver(self, channel: int, active: bool, at: float, count: int) -> bool:
        """Deliver an edge of a sensor, by its number; `at` is the board's time, seconds.

        Returns False for an edge that the host did not request.
        """
        if self._edges.emit(Edge(self._names[channel], active, at, count)):
            return True
        self._reported.pop(channel, None)
        ending = self._endings.get(channel)
        if ending is None:
            self._endings[channel] = _Ending(self._link.post(Watch(channel, 0)))
            return True
        ending.late += ending.confirmed.done()
        return ending.late <= MOST_LATE

    def end(self, why: BoardSilentError | None) -> None:
        """End all subscriptions, with this error if there is one."""
        self._edges.end(why)
        self._reported.clear()
        self._endings.clear()
