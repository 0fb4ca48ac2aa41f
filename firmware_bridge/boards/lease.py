"""The host's lease on a board: the first holder takes it, the last returns it."""

from __future__ import annotations

import asyncio

from firmware_bridge.boards.encoding import milliseconds
from firmware_bridge.wire.link import Link, heed
from firmware_bridge.wire.messages import Message, Refused, TakeLease
from firmware_bridge.wire.sliding_window import Reply

RENEWALS = 3
"""It is renewed so many times while it lasts."""


class Lease:
    """The lease on the board at the other end of a link, `seconds` long."""

    def __init__(self, link: Link, seconds: float) -> None:
        self._link = link
        self._loop = asyncio.get_running_loop()
        self._seconds = seconds
        self._holds = 0
        self._answer: Reply | None = None
        self._renewal: asyncio.TimerHandle | None = None

    @property
    def held(self) -> bool:
        return self._holds > 0

    async def hold(self) -> Message:
        """Hold it, together with all others who do; the board's answer to the first."""
        self._holds += 1
        if self._holds == 1:
            self._renew()
        assert self._answer is not None
        try:
            # Others may wait for the same answer: cancelling one of them must not lose it.
            return await asyncio.shield(self._answer)
        except BaseException:
            self.drop()
            raise

    def drop(self) -> Reply | None:
        """Hold it no longer; the reply to giving it back, if this was the last holder."""
        if not self._holds:
            return None
        self._holds -= 1
        if self._holds:
            return None
        self.forget()
        returned = self._link.request(TakeLease(0))
        heed(returned)
        return returned

    def forget(self) -> None:
        """It is lost with its session: nobody holds it."""
        self._holds = 0
        self._answer = None
        if self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None

    def _renew(self) -> None:
        """Ask again only once the last answer has come: the link repeats by itself.

        A lease that expired is not renewed: it must be dropped first, knowingly.
        """
        if self._answer is not None and _refused(self._answer):
            self._renewal = None
            return
        if self._answer is None or self._answer.done():
            self._answer = self._link.request(TakeLease(milliseconds(self._seconds)))
            heed(self._answer)
        self._renewal = self._loop.call_later(self._seconds / RENEWALS, self._renew)


def _refused(answer: Reply) -> bool:
    """Whether the board has said no: its lease ran out before this renewal came."""
    return (
        answer.done()
        and not answer.cancelled()
        and answer.exception() is None
        and isinstance(answer.result(), Refused)
    )
