"""Passes each change of the status, and each event, to all watchers; encodes it once for all.

Messages are JSON objects with a `type`:

- `snapshot`: `run`, `sequence`, `at`, `status`. The first message, unless the client resumes.
- `delta`: `sequence`, `at`, `patch`, a JSON merge patch (RFC 7386) to the status before.
- `event`: `event`, as docs/reference/EVENTS.md lists them. Only if the client asked for events.
- `heartbeat`: `sequence`, `at`. Once every second of real time.
- `pong`: `id`, `at`, the answer to a client's `ping`.

Roles below `dealer` follow a feed of their own (`players_view`): while the discards of a hand lie
mixed, it has neither their order nor their seats, and some events are not sent. The changes of such
a hand are not kept, so that a client cannot read earlier ones: a client that reconnects receives a
snapshot.

`at` is the time of the table's clock in seconds. `run` is the id of this start of the service: the
sequence numbers begin again with each start, so a client resumes by `run` and `sequence` together.

The stream never waits for a client: a client whose bounded queue of messages is full is dropped.

`StreamSocket` is the WebSocket of one client: it sends what the hub queues, and reads the client's
few messages.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import TypeVar

from starlette.websockets import WebSocket, WebSocketDisconnect

from controller.events import Event
from controller.run.run_together import end_task
from controller.service.port import ServicePort
from controller.service.status.feed import Delta, Snapshot, StatusFeed
from controller.service.status.players_view import PlayersEvents, players_status, sees_all
from controller.service.user_roles import UserRole
from controller.web.api.accounts.accounts import Accounts
from controller.web.api.accounts.identity import Identity
from controller.web.api.json_text import json_text
from controller.web.api.request_guard import CLIENT, IDENTITY, client_id

MOST_MESSAGES = 500
"""Messages that wait for one client before it is dropped."""
MOST_CHARACTERS = 512 * 1024
"""Characters that wait for one client before it is dropped; a whole status has about 20,000."""

TOO_SLOW, LOGIN_ENDED, BAD_MESSAGE, GOING_AWAY = 4408, 4401, 4400, 1001
"""Close codes: the client reads too slowly, its login ended, its message was not understood, and
the service stops."""


class StreamClient:
    """The messages that wait for one client. The stream never waits for a client.

    `events` states whether the client receives events; `credential` is that of its login.
    """

    def __init__(self, client: str, credential: str, *, events: bool) -> None:
        self.client = client
        self.credential = credential
        self.events = events
        self.ended: asyncio.Future[tuple[int, str]] = asyncio.get_running_loop().create_future()
        """The close code and the reason, as soon as the client has to be dropped."""
        self._waiting: deque[str] = deque()
        self._characters = 0
        self._filled = asyncio.Event()

    def put(self, text: str) -> None:
        """Queue a message. A client whose queue is full is dropped."""
        if self.ended.done():
            return
        self._waiting.append(text)
        self._characters += len(text)
        self._filled.set()
        if len(self._waiting) > MOST_MESSAGES or (
            self._characters > MOST_CHARACTERS and len(self._waiting) > 1
        ):
            self.end(TOO_SLOW, "The client reads more slowly than the table changes.")

    def end(self, code: int, reason: str) -> None:
        """Drop the client; its waiting messages are not sent."""
        if not self.ended.done():
            self.ended.set_result((code, reason))
            self._waiting.clear()
            self._characters = 0

    async def next(self) -> str:
        """The next message, in order."""
        while not self._waiting:
            self._filled.clear()
            await self._filled.wait()
        text = self._waiting.popleft()
        self._characters -= len(text)
        return text


HEARTBEAT = 1.0
"""Real seconds between two heartbeats; a page shows a lost connection after two."""

Message = TypeVar("Message")
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
        self._players_run = secrets.token_hex(6)
        self._service = service
        self._accounts = accounts
        self._period = HEARTBEAT * pace
        self._watchers: dict[StreamClient, Identity] = {}
        self._present: Counter[str] = Counter()
        self._heartbeats: asyncio.Task[None] | None = None
        self._ends: list[Callable[[], None]] = []
        self._snapshots: dict[bool, tuple[int, str]] = {}
        feed = service.feed
        self._players = StatusFeed(players_status(feed.status), lambda: feed.snapshot().at)
        """The feed of roles that do not see all; brought up to date by `_feed_of`."""
        self._equal = feed.status.players is None
        """Whether both feeds had the same status after the last change."""
        self._players_events = PlayersEvents()

    def start(self) -> None:
        """Follow the status and the events from now on."""
        self._ends = [
            self._service.feed.follow(self._changed),
            self._players.follow(self._players_changed),
            self._service.listen(self._emitted),
        ]
        self._heartbeats = asyncio.get_running_loop().create_task(self._beat())

    async def close(self) -> None:
        """Drop every watcher and stop following the table."""
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
        all_seen = sees_all(identity.role)
        feed = self._feed_of(all_seen=all_seen)
        known = since is not None and run == (self.run if all_seen else self._players_run)
        missed = feed.since(since) if known and since is not None else None
        if missed is None or len(missed) > MOST_RESUMED:
            watcher.put(self._snapshot_text(all_seen=all_seen))
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

    def snapshot_message(self, role: UserRole) -> dict[str, object]:
        """The whole status as a message of the stream, as far as a role sees it."""
        all_seen = sees_all(role)
        now = self._feed_of(all_seen=all_seen).snapshot()
        return {
            "type": "snapshot",
            "run": self.run if all_seen else self._players_run,
            "sequence": now.sequence,
            "at": now.at,
            "status": now.status,
        }

    def _feed_of(self, *, all_seen: bool) -> StatusFeed:
        """The feed of the roles that see all, or that of players, up to date."""
        if all_seen:
            return self._service.feed
        self._update_players()
        return self._players

    def _update_players(self) -> None:
        """Publish the present status to players; changes of a mixed hand are not kept."""
        status = self._service.feed.status
        self._players.publish(players_status(status))
        if status.players is not None:
            self._players.forget()
        self._equal = status.players is None

    def _snapshot_text(self, *, all_seen: bool) -> str:
        sequence = self._feed_of(all_seen=all_seen).sequence
        kept = self._snapshots.get(all_seen)
        if kept is None or kept[0] != sequence:
            role = UserRole.DEALER if all_seen else UserRole.PLAYER
            kept = self._snapshots[all_seen] = sequence, json_text(self.snapshot_message(role))
        return kept[1]

    def _changed(self, delta: Delta) -> None:
        self._put(_delta_text, delta, all_seen=True)
        feed = self._service.feed
        if self._equal and feed.status.players is None:
            # Both feeds have the same status: the change is not computed a second time.
            same = Delta(self._players.sequence + 1, delta.at, delta.patch)
            self._players.take(same, feed.status, feed.snapshot().status)
        elif self._watching(all_seen=False):
            self._update_players()
        else:
            self._equal = False

    def _players_changed(self, delta: Delta) -> None:
        self._put(_delta_text, delta, all_seen=False)

    def _emitted(self, event: Event) -> None:
        self._put(_event_text, event, all_seen=True, events=True)
        if self._players_events.admits(event, self._service.feed.status):
            self._put(_event_text, event, all_seen=False, events=True)

    def _watching(self, *, all_seen: bool) -> list[StreamClient]:
        return [
            watcher
            for watcher, identity in self._watchers.items()
            if sees_all(identity.role) is all_seen
        ]

    def _put(
        self,
        text_of: Callable[[Message], str],
        message: Message,
        *,
        all_seen: bool,
        events: bool = False,
    ) -> None:
        """Send a message to those who see all or to the others; `events`: if they want events."""
        watching = self._watching(all_seen=all_seen)
        wanted = [watcher for watcher in watching if watcher.events or not events]
        if wanted:
            text = text_of(message)
            for watcher in wanted:
                watcher.put(text)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._period)
            texts = {
                all_seen: _heartbeat_text(self._feed_of(all_seen=all_seen).snapshot())
                for all_seen in {sees_all(each.role) for each in self._watchers.values()}
            }
            for watcher, identity in tuple(self._watchers.items()):
                present = self._accounts.current(watcher.credential)
                if present is None or present.role is not identity.role:
                    watcher.end(LOGIN_ENDED, "The login has ended.")
                watcher.put(texts[sees_all(identity.role)])


def _delta_text(delta: Delta) -> str:
    return json_text(
        {"type": "delta", "sequence": delta.sequence, "at": delta.at, "patch": delta.patch}
    )


def _event_text(event: Event) -> str:
    return json_text({"type": "event", "event": event})


def _heartbeat_text(now: Snapshot) -> str:
    return json_text({"type": "heartbeat", "sequence": now.sequence, "at": now.at})


DROP = "wallwright.drop"
"""The server's extension that ends a WebSocket without waiting for its client."""
Drop = Callable[[int, str], None]

_HIGHEST = 2**53
"""Numbers above this are not exact in JavaScript."""


class StreamSocket:
    """The endpoint `stream`: WS /stream?since=N&run=ID&events=1&client=NAME."""

    def __init__(self, hub: StreamHub) -> None:
        self._hub = hub

    async def stream(self, socket: WebSocket) -> None:
        """Serve one client until either side ends the connection."""
        identity: Identity = socket.scope["state"][IDENTITY]
        asked = socket.query_params
        client = socket.scope["state"][CLIENT]
        if "client" in asked:
            client = client_id(identity, asked["client"])
        await socket.accept()
        watcher = StreamClient(client, identity.credential, events=asked.get("events") == "1")
        self._hub.add(watcher, identity, asked.get("run", ""), _number(asked, "since"))
        loop = asyncio.get_running_loop()
        tasks = [
            loop.create_task(self._send(socket, watcher)),
            loop.create_task(self._receive(socket, watcher)),
        ]
        ended: list[asyncio.Future[object]] = [*tasks, watcher.ended]  # type: ignore[list-item]
        try:
            await asyncio.wait(ended, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._hub.remove(watcher)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if watcher.ended.done():
            await _drop(socket, *watcher.ended.result())

    async def _send(self, socket: WebSocket, watcher: StreamClient) -> None:
        try:
            while True:
                await socket.send_text(await watcher.next())
        except (WebSocketDisconnect, RuntimeError):
            return

    async def _receive(self, socket: WebSocket, watcher: StreamClient) -> None:
        try:
            while True:
                message = await socket.receive()
                if message["type"] != "websocket.receive":
                    return
                ping = _ping(message.get("text"))
                if ping is None:
                    watcher.end(BAD_MESSAGE, 'A client sends {"type": "ping", "id": N} only.')
                    return
                self._hub.pong(watcher, ping)
        except (WebSocketDisconnect, RuntimeError):
            return


async def _drop(socket: WebSocket, code: int, reason: str) -> None:
    """End the connection; the server's extension does not wait for a client that reads nothing."""
    drop: Drop | None = socket.scope.get("extensions", {}).get(DROP)
    if drop is not None:
        drop(code, reason)
    else:
        await socket.close(code, reason)


def _ping(text: str | None) -> int | None:
    """The number of a ping; None for any other message."""
    if text is None or len(text) > 100:
        return None
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match message:
        case {"type": "ping", "id": int(number)} if len(message) == 2 and type(number) is int:
            return number if 0 <= number <= _HIGHEST else None
    return None


def _number(asked: Mapping[str, str], name: str) -> int | None:
    text = asked.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 15 else None
