"""Subscriptions: the subscribers to each sensor of a board.

A board reports a sensor from the first subscription on. After the last subscriber has closed, the
next edge ends the reports, by one command for each sensor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from firmware_bridge.board import Edge
from firmware_bridge.boards.feed import Feed, Feeds
from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.link import Link
from firmware_bridge.wire.messages import Watch
from firmware_bridge.wire.sliding_window import Reply

MOST_LATE = 256
"""Edges of a sensor that the board may send after it has confirmed the end of the reports. They
were queued before; the firmware has 28 places."""


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
