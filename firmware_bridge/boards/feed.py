"""Event feeds: async iterators; each subscriber receives every event after its subscription, once.

A feed that is no longer referenced is removed; no unsubscribe call is needed. A subscriber that
does not read keeps the newest `MOST_UNREAD` events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

MOST_UNREAD = 1024
"""Limit of the events that wait for one subscriber. If it is exceeded, the oldest is dropped: an
edge has its sensor's count, which shows how many edges came before it."""


class Feed(Generic[T]):
    """One subscriber's events, oldest first. Ends when the feeds end, with their error if any.

    It keeps that error, so that a subscriber that reads the end late still receives it, even if the
    feeds have been restarted meanwhile.
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
        """Queue an event, if this subscriber's filter accepts it."""
        if self._accepts(event):
            if self._queue.qsize() >= MOST_UNREAD:
                self._queue.get_nowait()
            self._queue.put_nowait(event)

    def end(self, why: Exception | None) -> None:
        """End the iteration; with an error `why`, the subscriber gets the error instead."""
        self._why = why
        self._queue.put_nowait(None)


class Feeds(Generic[T]):
    """All subscribers to one kind of event, served in the order of their subscription."""

    def __init__(self) -> None:
        self._numbers = count()
        self._feeds: WeakValueDictionary[int, Feed[T]] = WeakValueDictionary()

    def listen(self, accepts: Callable[[T], bool] = lambda _: True) -> Feed[T]:
        """Subscribe to every event, from now on, for which `accepts` is true."""
        feed = Feed(accepts)
        self._feeds[next(self._numbers)] = feed
        return feed

    def emit(self, event: T) -> None:
        for feed in tuple(self._feeds.values()):
            feed.offer(event)

    def end(self, why: Exception | None = None) -> None:
        """End all feeds; with an error `why`, every subscriber gets the error."""
        for feed in tuple(self._feeds.values()):
            feed.end(why)
        self._feeds.clear()
