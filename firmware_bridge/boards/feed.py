"""Events as async iterators: each listener gets everything told since it began to listen, once.

A listener that nobody holds any longer is forgotten; nobody needs to say goodbye.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")


class Feed(Generic[T]):
    """One listener's events, oldest first; ends when the feeds end, by the error that ended them.

    It keeps that error: whoever hears of the end late must not take a loss for a goodbye, because
    the feeds have begun anew meanwhile.
    """

    def __init__(self, accepts: Callable[[T], bool]) -> None:
        self._accepts = accepts
        self._why: Exception | None = None
        self._queue: asyncio.Queue[T | None] = asyncio.Queue()

    def __aiter__(self) -> Feed[T]:
        return self

    async def __anext__(self) -> T:
        event = await self._queue.get()
        if event is None:
            self._queue.put_nowait(None)
            raise self._why or StopAsyncIteration
        return event

    def offer(self, event: T) -> None:
        """Take an event in, if it is one that this listener asked for."""
        if self._accepts(event):
            self._queue.put_nowait(event)

    def end(self, why: Exception | None) -> None:
        """No more will come: the listener is told so, or gets the error."""
        self._why = why
        self._queue.put_nowait(None)


class Feeds(Generic[T]):
    """All listeners to one kind of event, told in the order in which they came."""

    def __init__(self) -> None:
        self._numbers = count()
        self._feeds: WeakValueDictionary[int, Feed[T]] = WeakValueDictionary()

    def listen(self, accepts: Callable[[T], bool] = lambda _: True) -> Feed[T]:
        """Hear, from now on, every event that `accepts` says yes to."""
        feed = Feed(accepts)
        self._feeds[next(self._numbers)] = feed
        return feed

    def tell(self, event: T) -> None:
        for feed in tuple(self._feeds.values()):
            feed.offer(event)

    def end(self, why: Exception | None = None) -> None:
        """No listener hears anything any more; all of them learn why, if there is an error."""
        for feed in tuple(self._feeds.values()):
            feed.end(why)
        self._feeds.clear()
