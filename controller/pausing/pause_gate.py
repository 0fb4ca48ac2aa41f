"""The gate at which every order waits while the table is paused; one for all its boards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from firmware_bridge.board import BoardFault, FaultCode

SILENT = "SILENT"
"""Why a table is paused whose board does not answer."""
STRANGER = "STRANGER"
"""Why a table is paused where another board answers than before."""
FAULT = "FAULT"
"""Why it is paused while a board has a fault and has not said which yet."""


@dataclass(frozen=True)
class Trouble:
    """Why the table is paused, the board, the channel ('' for all).

    `why` is the name of a `FaultCode`, SILENT, STRANGER or FAULT.
    """

    why: str
    board: str
    channel: str = ""

    @classmethod
    def of(cls, fault: BoardFault) -> Trouble:
        return cls(fault.code.name, fault.board, fault.channel)

    @property
    def code(self) -> FaultCode | None:
        """The board's own code for it."""
        return FaultCode[self.why] if self.why in FaultCode.__members__ else None


class Gate:
    """Open, or shut by the first trouble until all of them are over.

    `told` hears every new trouble at once, in the call that brings it.
    """

    def __init__(self, told: Callable[[Trouble], None]) -> None:
        self.open = True
        self.pauses = 0
        """How often it has been shut: an order knows by it whether a pause began meanwhile."""
        self.troubles: list[Trouble] = []
        """What keeps it shut, oldest first."""
        self._told = told
        self._opened = asyncio.Event()
        self._opened.set()
        self._shut = asyncio.Event()
        self._given_up = False

    def shut(self, trouble: Trouble) -> None:
        """Let nothing through any more; the same trouble twice is told once."""
        if self.open:
            self.open = False
            self.pauses += 1
            if not self._given_up:
                self._opened.clear()
            self._shut.set()
        if trouble not in self.troubles:
            if trouble.why != FAULT:
                # Now it is known which fault it is.
                self.troubles = [
                    known
                    for known in self.troubles
                    if (known.why, known.board) != (FAULT, trouble.board)
                ]
            self.troubles.append(trouble)
            self._told(trouble)

    def let_through(self) -> None:
        """All is over: whoever waits goes on, in the order in which they came."""
        self.troubles.clear()
        self._shut.clear()
        self.open = True
        self._opened.set()

    async def passed(self) -> None:
        """Wait until it is open: told as an event by whoever shuts it, and bounded there."""
        await self._opened.wait()
        if not self.open:
            raise asyncio.CancelledError("the table stops: nobody opens the gate any more.")

    def give_up(self) -> None:
        """Nobody ends pauses any more: what waits, and whatever still comes, is over as well."""
        self._given_up = True
        self._opened.set()

    async def closed(self) -> None:
        """Wait until it is shut."""
        await self._shut.wait()
