"""The stream of the room's changes to one page, as server-sent events.

The first message is the whole room; each further one has the tables that have changed since. A
message is sent at least every `HEARTBEAT` seconds, so that a page sees a lost connection. The
connection ends when the login ends, and when the page takes a message too slowly.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from controller.floor.page.room_feed import RoomFeed, RoomWatcher
from controller.web.api.accounts.accounts import Accounts
from controller.web.api.accounts.identity import Identity

HEARTBEAT = 2.0
"""Seconds between two messages at most; the page shows a lost connection after 6 s."""
LEAST = 0.25
"""Seconds between two messages at least: several changes are sent together."""
SENDING = 20.0
"""Seconds in which a message has to be sent; then the connection is closed."""


class RoomStream(Response):
    """A response that lasts until the page is closed or its login ends."""

    media_type = "text/event-stream"

    def __init__(self, feed: RoomFeed, accounts: Accounts, identity: Identity) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._feed = feed
        self._accounts = accounts
        self._identity = identity

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._feed.watch() as watcher:
            loop = asyncio.get_running_loop()
            tasks = [
                loop.create_task(self._send(send, watcher)),
                loop.create_task(_disconnected(receive)),
            ]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _send(self, send: Send, watcher: RoomWatcher) -> None:
        with suppress(TimeoutError, OSError):
            start = {"status": self.status_code, "headers": self.raw_headers}
            await send({"type": "http.response.start", **start})
            text = self._feed.snapshot()
            while self._is_admitted():
                body = f"data: {text}\n\n".encode()
                async with asyncio.timeout(SENDING):
                    await send({"type": "http.response.body", "body": body, "more_body": True})
                await asyncio.sleep(LEAST)
                with suppress(TimeoutError):
                    async with asyncio.timeout(HEARTBEAT - LEAST):
                        await watcher.wake.wait()
                text = self._feed.news(watcher)
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _is_admitted(self) -> bool:
        present = self._accounts.current(self._identity.credential)
        return present is not None and present.role is self._identity.role


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
