"""Motions in progress on one board, each identified by its ticket (its command's sequence number).

A motion is registered before its command is sent, so that its end is matched even if it arrives
before the command's reply.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from firmware_bridge.board import Ended
from firmware_bridge.wire.errors import BoardError
from firmware_bridge.wire.link import Link
from firmware_bridge.wire.messages import NONE, Message
from firmware_bridge.wire.sliding_window import Command

End = Ended | tuple[int, ...]
"""How a motion ended, or the faces of the dice."""


@dataclass(eq=False, slots=True)
class PendingMotion:
    """One motion: the command that begins it, and its end."""

    command: Command
    channel: int
    end: asyncio.Future[End]


class Motions:
    """All motions whose end is awaited."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._loop = asyncio.get_running_loop()
        self._motions: list[PendingMotion] = []

    @contextmanager
    def begun(self, order: Message, channel: int) -> Iterator[PendingMotion]:
        """Send a motion's command and await its end until the context is left."""
        motion = PendingMotion(self._link.ask(order), channel, self._loop.create_future())
        self._motions.append(motion)
        try:
            yield motion
        finally:
            self._motions.remove(motion)

    def ended(self, ticket: int, channel: int, end: End) -> None:
        """Record how a motion ended; motions are matched by ticket and, if it is reported, channel.

        The ticket alone is not sufficient, because tickets repeat after 256 commands.
        """
        for motion in self._motions:
            matches = motion.command.sequence == ticket and channel in (motion.channel, NONE)
            if matches and not motion.end.done():
                motion.end.set_result(end)
                return

    def fail(self, error: BoardError) -> None:
        """Fail every awaited motion with this error."""
        for motion in self._motions:
            if not motion.end.done():
                motion.end.set_exception(error)
                # Retrieved here: the motion's caller may have stopped waiting, and asyncio would
                # then log a warning. `lost` reports the error in any case.
                motion.end.exception()
