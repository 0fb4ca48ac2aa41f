"""Motions in progress on one board, each identified by its ticket (its command's sequence number).

A motion is registered before its command is sent, so that its end is matched even if it arrives
before the command's reply. It stays registered until its end arrives, even if its caller no longer
waits, so that an end without a motion is known to be wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from firmware_bridge.board import Ended
from firmware_bridge.wire.errors import BoardError
from firmware_bridge.wire.link import Link
from firmware_bridge.wire.messages import NONE, Message, Ok, ThrowDice
from firmware_bridge.wire.sliding_window import Command

End = Ended | tuple[int, ...]
"""How a motion ended, or the faces of the dice; only a throw ends by faces."""

MOST_UNENDED = 256
"""Limit of motions whose callers have left and whose ends have not arrived; the oldest is dropped.
A board has one motion for each channel at most."""


@dataclass(eq=False, slots=True)
class PendingMotion:
    """One motion: the command that begins it, and its end."""

    command: Command
    channel: int
    end: asyncio.Future[End]
    ended: bool = False
    """Whether the board has reported the end; `end` is also done if its caller was cancelled."""


class Motions:
    """All motions whose end has not arrived."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._loop = asyncio.get_running_loop()
        self._motions: list[PendingMotion] = []
        self._left: list[PendingMotion] = []
        """Motions that the board may still end, although their callers no longer wait."""

    @contextmanager
    def begun(self, order: Message, channel: int) -> Iterator[PendingMotion]:
        """Send a motion's command and await its end until the context is left."""
        motion = PendingMotion(self._link.ask(order), channel, self._loop.create_future())
        self._motions.append(motion)
        try:
            yield motion
        finally:
            self._motions.remove(motion)
            if not motion.ended and self._link.ready and _may_end(motion.command):
                self._left.append(motion)
                del self._left[:-MOST_UNENDED]

    def find(self, ticket: int, channel: int) -> PendingMotion | None:
        """The motion in progress with this ticket; of a throw, if `channel` is NONE.

        The ticket alone is not sufficient, because tickets repeat after 256 commands. A motion that
        a caller waits for precedes one whose caller has left.
        """
        for motion in (*self._motions, *self._left):
            if motion.command.sequence == ticket and not motion.ended:
                if channel == motion.channel:
                    return motion
                if channel == NONE and isinstance(motion.command.message, ThrowDice):
                    return motion
        if channel == NONE:
            # The ticket of another motion: the caller finds that it cannot end by faces.
            return next(
                (motion for motion in self._motions if motion.command.sequence == ticket), None
            )
        return None

    def end(self, motion: PendingMotion, end: End) -> None:
        """Record how a motion ended."""
        self._forget(motion)
        if not motion.end.done():
            motion.end.set_result(end)

    def fail_one(self, motion: PendingMotion, error: BoardError) -> None:
        """Fail a motion whose board reported an impossible end."""
        self._forget(motion)
        _fail(motion, error)

    def fail(self, error: BoardError) -> None:
        """Fail every awaited motion with this error; the session is over."""
        self._left.clear()
        for motion in self._motions:
            _fail(motion, error)

    def _forget(self, motion: PendingMotion) -> None:
        motion.ended = True
        if motion in self._left:
            self._left.remove(motion)


def _may_end(command: Command) -> bool:
    """Whether the board may have begun the motion of this command: sent, and not refused."""
    reply = command.reply
    if command.sequence < 0:
        return False
    if not reply.done() or reply.cancelled():
        return True
    return reply.exception() is not None or isinstance(reply.result(), Ok)


def _fail(motion: PendingMotion, error: BoardError) -> None:
    if not motion.end.done():
        motion.end.set_exception(error)
        # Retrieved here: the motion's caller may have stopped waiting, and asyncio would then log a
        # warning. `lost` reports the error in any case.
        motion.end.exception()
