"""Event feeds: async iterators; each subscriber receives every event after its subscription, once.

A subscription lasts until its `close`, or until all feeds end. A subscriber that does not read
keeps the newest `MOST_UNREAD` events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_UNREAD = 1024
"""Limit of the events that wait for one subscriber. If it is exceeded, the oldest is dropped: an
edge has its sensor's count, which shows how many edges came before it."""


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
