"""The feed of status changes: a snapshot, then deltas with consecutive sequence numbers.

A delta is a JSON merge patch (RFC 7386) from the status before to the status after it; lists are
replaced as a whole. A client that reconnects gives its last number and receives the missing deltas,
or a snapshot if they are no longer kept. The status is published a moment after a change, so that
many changes become one delta.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from controller.service.status import Status

KEPT = 1000
"""Number of deltas that are kept for clients that reconnect."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Snapshot:
    """The whole status after change number `sequence`, at time `at` of the table's clock."""

    sequence: int
    at: float
    status: Json


@dataclass(frozen=True)
class Delta:
    """Change number `sequence`: a merge patch to the status before it."""

    sequence: int
    at: float
    patch: Json


Follower = Callable[[Delta], None]


class StatusFeed:
    """Keeps the present status and its last changes, and passes each change to its followers.

    `clock` returns seconds of the table's clock. Followers are called synchronously and must not
    wait; a client with a slow connection needs a bounded queue of its own.
    """

    def __init__(self, first: Status, clock: Callable[[], float]) -> None:
        self.status = first
        self._clock = clock
        self._json: Json = first.model_dump(mode="json")
        self._sequence = 0
        self._deltas: deque[Delta] = deque(maxlen=KEPT)
        self._followers: list[Follower] = []

    @property
    def sequence(self) -> int:
        """The number of the last change; 0 before the first one."""
        return self._sequence

    def publish(self, status: Status) -> None:
        """Replace the status; followers receive one delta, or none if nothing changed."""
        self.status = status
        after = status.model_dump(mode="json")
        patch = merge_patch(self._json, after)
        if not patch:
            return
        self._json = after
        self._sequence += 1
        self._pass(Delta(self._sequence, self._clock(), patch))

    def mirrored(self, clock: Callable[[], float]) -> StatusFeed:
        """A feed with the same status and changes, for another event loop; `take` continues it."""
        feed = StatusFeed(self.status, clock)
        feed.continue_from(self.snapshot(), tuple(self._deltas))
        return feed

    def continue_from(self, snapshot: Snapshot, deltas: Iterable[Delta]) -> None:
        """Continue another feed after this snapshot; `deltas` are its last changes."""
        self._json, self._sequence = snapshot.status, snapshot.sequence
        self._deltas.extend(deltas)

    def forget(self) -> None:
        """Keep none of the changes so far: a client that has missed one receives a snapshot."""
        self._deltas.clear()

    def take(self, delta: Delta, status: Status, json: Json) -> None:
        """Take a change of the feed that this one mirrors, with the status after it."""
        self.status, self._json, self._sequence = status, json, delta.sequence
        self._pass(delta)

    def _pass(self, delta: Delta) -> None:
        self._deltas.append(delta)
        for follower in tuple(self._followers):
            follower(delta)

    def snapshot(self) -> Snapshot:
        """The present status with its sequence number."""
        return Snapshot(self._sequence, self._clock(), self._json)

    def since(self, sequence: int) -> tuple[Delta, ...] | None:
        """The changes after this number, oldest first; None if the feed has dropped them."""
        if not 0 <= sequence <= self._sequence:
            return None
        missing = self._sequence - sequence
        if missing > len(self._deltas):
            return None
        return tuple(self._deltas)[len(self._deltas) - missing :]

    def follow(self, follower: Follower) -> Callable[[], None]:
        """Call `follower` with every later change; returns the function that ends that."""
        self._followers.append(follower)

        def end() -> None:
            if follower in self._followers:
                self._followers.remove(follower)

        return end


def merge_patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> Json:
    """The JSON merge patch that changes `before` to `after`; empty if both are equal.

    A value of None in `after` cannot be told from a removed key in a merge patch; both read as
    null, which is why every field of `Status` that can be None has the default None.
    """
    patch: Json = {key: None for key in before if key not in after}
    for key, value in after.items():
        old = before.get(key)
        if key in before and old == value:
            continue
        if isinstance(old, dict) and isinstance(value, dict):
            patch[key] = merge_patch(old, value)
        elif key not in before or old != value:
            patch[key] = value
    return patch


def patched(target: Json, patch: Mapping[str, Any]) -> Json:
    """The value after a merge patch (RFC 7386); `target` stays unchanged."""
    result = dict(target)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            old = result.get(key)
            result[key] = patched(old if isinstance(old, dict) else {}, value)
        else:
            result[key] = value
    return result


PUBLISH_AFTER = 0.02
"""Real seconds for which changes are collected before the status is published."""


class Publication:
    """The publication of one status; `build` returns the present one.

    `pace` is the number of seconds of the event loop's clock in a real second. A simulated table at
    high speed therefore publishes as often as a real one, and not more often than people can see.
    """

    def __init__(
        self, build: Callable[[], Status], clock: Callable[[], float], pace: float = 1.0
    ) -> None:
        self._after = PUBLISH_AFTER * pace
        self.feed = StatusFeed(build(), clock)
        self._build = build
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.TimerHandle | None = None

    def changed(self) -> None:
        """Publish the status soon."""
        if self._waiting is None:
            self._waiting = self._loop.call_later(self._after, self._publish)

    def close(self) -> None:
        """Publish the last status; later changes are not published."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._publish()

    def _publish(self) -> None:
        self._waiting = None
        self.feed.publish(self._build())
