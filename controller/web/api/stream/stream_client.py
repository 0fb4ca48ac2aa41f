"""One client of the stream: a bounded queue of messages, and the reason why it ends."""

from __future__ import annotations

import asyncio
from collections import deque

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
        """Drop the client; what waits is not sent."""
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
