"""Who watches which sensor of a board, and what they hear.

A sensor is reported from the first listener on. The last one need not say goodbye: the first edge
that nobody wants ends the reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar
from weakref import WeakSet

from firmware_bridge.board import BoardSilent, Edge
from firmware_bridge.feed import Feed, Feeds
from firmware_bridge.link import Link, heed
from firmware_bridge.messages import EdgeSeen, Watch

T = TypeVar("T")

Why = Callable[[], BoardSilent | None]


class Ears(Generic[T]):
    """One listener to a board: hears its events, and by `why`, if anything, why they ended."""

    def __init__(self, feed: Feed[T], why: Why) -> None:
        self._feed = feed
        self._why = why

    def __aiter__(self) -> Ears[T]:
        return self

    async def __anext__(self) -> T:
        try:
            return await anext(self._feed)
        except StopAsyncIteration:
            silence = self._why()
            if silence is not None:
                raise silence from None
            raise


class Watching:
    """All listeners to the sensors of one board, whose channels have these names in order."""

    def __init__(self, link: Link, names: Sequence[str], why: Why) -> None:
        self._link = link
        self._names = names
        self._why = why
        self._edges: Feeds[Edge] = Feeds()
        self._ears: dict[int, WeakSet[Ears[Edge]]] = {}
        self._clock = _BoardClock()

    def __iter__(self) -> Iterator[int]:
        """The sensors to be reported, by number."""
        return iter(tuple(self._ears))

    def listen(self, sensors: Mapping[str, int]) -> Ears[Edge]:
        """Hear every edge of these sensors from now on."""
        ears = Ears(self._edges.listen(lambda edge: edge.sensor in sensors), self._why)
        for number in sensors.values():
            if number not in self._ears and self._link.ready:
                heed(self._link.request(Watch(number, 1)))
            self._ears.setdefault(number, WeakSet()).add(ears)
        return ears

    def seen(self, event: EdgeSeen) -> None:
        """The board reports an edge."""
        if not self._ears.get(event.channel):
            self._ears.pop(event.channel, None)
            heed(self._link.request(Watch(event.channel, 0)))
            return
        at = self._clock.seconds(event.at_us)
        self._edges.tell(Edge(self._names[event.channel], bool(event.active), at, event.count))

    def end(self) -> None:
        """Nothing more will be heard."""
        self._edges.end()
        self._ears.clear()


class _BoardClock:
    """A board's microseconds, which come round every 71 minutes, as seconds that do not."""

    def __init__(self) -> None:
        self._micros = 0

    def seconds(self, at_us: int) -> float:
        ahead = (at_us - self._micros) & 0xFFFFFFFF
        # A board that was reset counts from 0 again: that looks like a very long way ahead.
        self._micros = self._micros + ahead if ahead < 1 << 31 else at_us
        return self._micros / 1e6
