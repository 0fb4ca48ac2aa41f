"""Subscriptions: the subscribers to each sensor of a board.

A board reports a sensor from the first subscription on. No unsubscribe call is needed: the first
edge without a subscriber ends the reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from weakref import WeakSet

from firmware_bridge.board import Edge
from firmware_bridge.boards.feed import Feed, Feeds
from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.link import Link
from firmware_bridge.wire.messages import EdgeSeen, Watch


class Subscriptions:
    """Subscribers to the sensors of one board, whose channels have these names in order."""

    def __init__(self, link: Link, names: Sequence[str]) -> None:
        self._link = link
        self._names = names
        self._edges: Feeds[Edge] = Feeds()
        self._subscribers: dict[int, WeakSet[Feed[Edge]]] = {}
        self._clock = _BoardClock()

    def __iter__(self) -> Iterator[int]:
        """The numbers of the sensors to be reported."""
        return iter(tuple(self._subscribers))

    def listen(self, sensors: Mapping[str, int]) -> Feed[Edge]:
        """Subscribe to every edge of these sensors from now on."""
        feed = self._edges.listen(lambda edge: edge.sensor in sensors)
        for number in sensors.values():
            if number not in self._subscribers and self._link.ready:
                self._link.post(Watch(number, 1))
            self._subscribers.setdefault(number, WeakSet()).add(feed)
        return feed

    def deliver(self, event: EdgeSeen) -> None:
        """Deliver an edge that the board reported."""
        if not self._subscribers.get(event.channel):
            self._subscribers.pop(event.channel, None)
            self._link.post(Watch(event.channel, 0))
            return
        at = self._clock.seconds(event.at_us)
        self._edges.emit(Edge(self._names[event.channel], bool(event.active), at, event.count))

    def end(self, why: BoardSilentError | None) -> None:
        """End all subscriptions, with this error if there is one."""
        self._edges.end(why)
        self._subscribers.clear()


class _BoardClock:
    """Converts a board's microseconds, which wrap every 71 minutes, to continuous seconds."""

    def __init__(self) -> None:
        self._micros = 0

    def seconds(self, at_us: int) -> float:
        ahead = (at_us - self._micros) & 0xFFFFFFFF
        # A board that was reset counts from 0 again, which looks like a very large step ahead.
        self._micros = self._micros + ahead if ahead < 1 << 31 else at_us
        return self._micros / 1e6
