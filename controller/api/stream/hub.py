"""Passes each change of the status, and each event, to all watchers; encodes it once for all.

Messages are JSON objects with a `type`:

- `snapshot`: `run`, `sequence`, `at`, `status`. The first message, unless the client resumes.
- `delta`: `sequence`, `at`, `patch`, a JSON merge patch (RFC 7386) to the status before.
- `event`: `event`, as docs/EVENTS.md lists them. Only if the client asked for events.
- `heartbeat`: `sequence`, `at`. Once every second of real time.
- `pong`: `id`, `at`, the answer to a client's `ping`.

`at` is the time of the table's clock in seconds. `run` is the id of this start of the service: the
sequence numbers begin again with each start, so a client resumes by `run` and `sequence` together.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable

from controller.api.accounts.accounts import Accounts
from controller.api.accounts.identity import Identity
from controller.api.json_text import json_text
from controller.api.stream.stream_client import GOING_AWAY, LOGIN_ENDED, StreamClient
from controller.events import Event
from controller.run_together import end_task
from controller.service.port import ServicePort
from controller.service.status.feed import Delta

HEARTBEAT = 1.0
"""Real seconds between two heartbeats; a page shows a lost connection after two."""

MOST_RESUMED = 200
"""Missed changes that a client receives one by one; instead of more, it receives a snapshot."""


class StreamHub:
    """All watchers of one table.

    `pace` is the number of seconds of the event loop's clock in a real second: above 1 for a
    simulated table that runs fast.
    """

    def __init__(self, service: ServicePort, accounts: Accounts, pace: float = 1.0) -> None:
        self.run = secrets.token_hex(6)
        """Id of this start of the service."""
        self._service = service
        self._accounts = accounts
        self._period = HEARTBEAT * pace
        self._watchers: dict[StreamClient, Identity] = {}
        self._present: Counter[str] = Counter()
        self._heartbeats: asyncio.Task[None] | None = None
        self._ends: list[Callable[[], None]] = []
        self._snapshot: tuple[int, str] = (-1, "")

    def start(self) -> None:
        """Follow the status and the events from now on."""
        self._ends = [self._service.feed.follow(self._changed), self._service.listen(self._emitted)]
        self._heartbeats = asyncio.get_running_loop().create_task(self._beat())

    async def close(self) -> None:
        """Drop every watcher and follow nothing any more."""
        for end in self._ends:
            end()
        self._ends = []
        if self._heartbeats is not None:
            await end_task(self._heartbeats)
        for watcher in tuple(self._watchers):
            watcher.end(GOING_AWAY, "The service stops.")

    @property
    def watchers(self) -> int:
        """Number of clients that watch the table."""
        return len(self._watchers)

    @property
    def clients(self) -> int:
        """Number of different clients among the watchers."""
        return len(self._present)

    def add(self, watcher: StreamClient, identity: Identity, run: str, since: int | None) -> None:
        """Send a client what it has missed, or a snapshot, and from now on every change."""
        feed = self._service.feed
        missed = feed.since(since) if since is not None and run == self.run else None
        if missed is None or len(missed) > MOST_RESUMED:
            watcher.put(self._snapshot_text())
        else:
            for delta in missed:
                watcher.put(_delta_text(delta))
        self._watchers[watcher] = identity
        self._present[watcher.client] += 1
        if self._present[watcher.client] == 1:
            self._service.presence(watcher.client, True)

    def remove(self, watcher: StreamClient) -> None:
        """Forget a client whose connection has ended."""
        del self._watchers[watcher]
        self._present[watcher.client] -= 1
        if not self._present[watcher.client]:
            del self._present[watcher.client]
            self._service.presence(watcher.client, False)

    def pong(self, watcher: StreamClient, ping: int) -> None:
        """Answer a client's ping."""
        at = self._service.feed.snapshot().at
        watcher.put(json_text({"type": "pong", "id": ping, "at": at}))

    def _snapshot_text(self) -> str:
        sequence = self._service.feed.sequence
        if self._snapshot[0] != sequence:
            self._snapshot = (sequence, json_text(snapshot_message(self._service, self.run)))
        return self._snapshot[1]

    def _changed(self, delta: Delta) -> None:
        if self._watchers:
            text = _delta_text(delta)
            for watcher in self._watchers:
                watcher.put(text)

    def _emitted(self, event: Event) -> None:
        wanted = [watcher for watcher in self._watchers if watcher.events]
        if wanted:
            text = json_text({"type": "event", "event": event})
            for watcher in wanted:
                watcher.put(text)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._period)
            now = self._service.feed.snapshot()
            text = json_text({"type": "heartbeat", "sequence": now.sequence, "at": now.at})
            for watcher, identity in tuple(self._watchers.items()):
                present = self._accounts.current(watcher.credential)
                if present is None or present.role is not identity.role:
                    watcher.end(LOGIN_ENDED, "The login has ended.")
                watcher.put(text)


def snapshot_message(service: ServicePort, run: str) -> dict[str, object]:
    """The whole status as a message of the stream."""
    now = service.feed.snapshot()
    return {
        "type": "snapshot",
        "run": run,
        "sequence": now.sequence,
        "at": now.at,
        "status": now.status,
    }


def _delta_text(delta: Delta) -> str:
    return json_text(
        {"type": "delta", "sequence": delta.sequence, "at": delta.at, "patch": delta.patch}
    )
