"""The pause gate: all commands wait at it while the table is paused; one gate for all boards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from firmware_bridge.board import BoardFault, FaultCode

SILENT = "SILENT"
"""The cause of a pause whose board does not answer."""
STRANGER = "STRANGER"
"""The cause of a pause in which a different board answers than before."""
FAULT = "FAULT"
"""The cause while a board has latched a fault and has not yet reported which."""


@dataclass(frozen=True)
class PauseCause:
    """Why the table is paused, the board, the channel ('' for all).

    `why` is the name of a `FaultCode`, SILENT, STRANGER or FAULT.
    """

    why: str
    board: str
    channel: str = ""

    @classmethod
    def of(cls, fault: BoardFault) -> PauseCause:
        return cls(fault.code.name, fault.board, fault.channel)

    @property
    def code(self) -> FaultCode | None:
        """The board's own code for it."""
        return FaultCode[self.why] if self.why in FaultCode.__members__ else None


class PauseGate:
    """Open, or shut by the first cause until all of them are over.

    `paused` is called with every new cause, in the call that shuts the gate.
    """

    def __init__(self, paused: Callable[[PauseCause], None]) -> None:
        self.open = True
        self.pauses = 0
        """Number of times the gate was shut: a command detects by it that a pause began meanwhile.
        """
        self.causes: list[PauseCause] = []
        """Causes that keep the gate shut, oldest first."""
        self._paused = paused
        self._opened = asyncio.Event()
        self._opened.set()
        self._shut = asyncio.Event()
        self._given_up = False

    def shut(self, cause: PauseCause) -> None:
        """Shut the gate: no further command goes out. Duplicate causes are ignored."""
        if self.open:
            self.open = False
            self.pauses += 1
            if not self._given_up:
                self._opened.clear()
            self._shut.set()
        if cause not in self.causes:
            if cause.why != FAULT:
                # The board has now reported which fault it is.
                self.causes = [
                    known
                    for known in self.causes
                    if (known.why, known.board) != (FAULT, cause.board)
                ]
            self.causes.append(cause)
            self._paused(cause)

    def let_through(self) -> None:
        """Open the gate after the last cause: waiting commands go on in order of arrival."""
        self.causes.clear()
        self._shut.clear()
        self.open = True
        self._opened.set()

    async def passed(self) -> None:
        """Wait until the gate is open. Raises CancelledError if it is never opened again."""
        await self._opened.wait()
        if not self.open:
            raise asyncio.CancelledError("the table stops: the gate stays shut.")

    def give_up(self) -> None:
        """Shutdown: cancel every order that waits for the pause to end, or comes to wait."""
        self._given_up = True
        self._opened.set()

    async def closed(self) -> None:
        """Wait until the gate is shut."""
        await self._shut.wait()
