"""The host's lease on a board or on pins: the first holder takes it, the last returns it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from firmware_bridge.boards.encoding import milliseconds
from firmware_bridge.wire.errors import BoardRefusedError
from firmware_bridge.wire.link import Link
from firmware_bridge.wire.messages import Message, Refused, TakeLease
from firmware_bridge.wire.sliding_window import Reply

RENEWALS = 3
"""Number of times that a lease is renewed within its duration."""
_MOST_GRANTS = 2
"""Limit of `grants`: the present lease, and one before it."""


class Lease:
    """The lease, of length `seconds`, on the board at the other end of a link."""

    def __init__(self, link: Link, seconds: float) -> None:
        self._link = link
        self._loop = asyncio.get_running_loop()
        self._seconds = seconds
        self._holds = 0
        self._answer: Reply | None = None
        self._renewal: asyncio.TimerHandle | None = None
        self.grants = 1
        """How many leases can still expire. At first a lease of an earlier session can; more than
        one if a lease was given back while the report of its expiry was on its way."""

    @property
    def held(self) -> bool:
        return self._holds > 0

    def expire(self) -> bool:
        """Note a report that the lease expired; returns whether a lease could expire."""
        expired = self.grants > 0
        self.grants -= expired
        return expired

    async def hold(self) -> Message:
        """Add a holder; return the board's reply to the first holder's request."""
        self._holds += 1
        if self._holds == 1:
            self._renew()
        assert self._answer is not None
        try:
            # Several holders may wait for the same reply: cancelling one must not cancel it.
            return await asyncio.shield(self._answer)
        except BaseException:
            self.drop()
            raise

    def drop(self) -> Reply | None:
        """Remove a holder; after the last one, give the lease back and return the reply."""
        if not self._holds:
            return None
        self._holds -= 1
        if self._holds:
            return None
        self.forget()
        return self._link.post(TakeLease(0))

    def end_session(self) -> None:
        """Reset the lease after the end of the session; on the board it lasts until it expires."""
        self.forget()
        self.grants = max(1, self.grants)

    def forget(self) -> None:
        """Reset the lease: it has no holders."""
        self._holds = 0
        self._answer = None
        if self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None

    def _renew(self) -> None:
        """Renew the lease; waits for the previous reply first, because the link itself retries.

        An expired lease is not renewed: its holders must drop it first.
        """
        if self._answer is not None and _refused(self._answer):
            self._renewal = None
            return
        lease = TakeLease(milliseconds(self._seconds))
        if self._answer is None:
            self.grants = min(self.grants + 1, _MOST_GRANTS)
            self._answer = self._link.post(lease)
        elif self._answer.done():
            # A renewal must not wait behind other commands, or the lease could expire meanwhile.
            due = self._loop.time() if self._renewal is None else self._renewal.when()
            self._answer = self._link.urge(lease, due)
        self._renewal = self._loop.call_later(self._seconds / RENEWALS, self._renew)


class PinLease:
    """The lease, of length `seconds`, on an executor in this process, which replies at once.

    `ask(message, action)` executes a message, and raises BoardRefusedError if it is refused.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        seconds: float,
        ask: Callable[[Message, str], Message],
    ) -> None:
        self._loop = loop
        self._seconds = seconds
        self._ask = ask
        self._holds = 0
        self._renewal: asyncio.TimerHandle | None = None

    @property
    def held(self) -> bool:
        return self._holds > 0

    def hold(self) -> None:
        """Add a holder; the first one takes the lease. Raises BoardRefusedError."""
        if not self._holds:
            self._renew()
        self._holds += 1

    def drop(self) -> None:
        """Remove a holder; the last one gives the lease back."""
        self._holds -= 1
        if not self._holds:
            self.end()

    def end(self) -> None:
        """Stop renewing the lease and give it back, whether or not it is held."""
        if self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None
        self._ask(TakeLease(0), "the end of its lease")

    def _renew(self) -> None:
        """Take the lease, and renew it before it ends.

        The renewal timer is due before the executor's expiry timer, so that after a stall of the
        loop the lease is renewed and not lost; also after one in here, so its time is taken first.
        A lost lease is not renewed: the caller must release it first.
        """
        self._renewal = None
        due = self._loop.time() + self._seconds / RENEWALS
        self._ask(TakeLease(milliseconds(self._seconds)), "a lease")
        self._renewal = self._loop.call_at(due, self._try_renew)

    def _try_renew(self) -> None:
        with suppress(BoardRefusedError):
            self._renew()


def _refused(answer: Reply) -> bool:
    """Whether the board refused a renewal, because the lease had expired before it arrived."""
    return (
        answer.done()
        and not answer.cancelled()
        and answer.exception() is None
        and isinstance(answer.result(), Refused)
    )
