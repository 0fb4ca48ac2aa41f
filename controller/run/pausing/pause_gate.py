"""The pause gate: one gate for all boards of a table, at which commands wait during a pause.

`Interruption` decides for one board whether a pause interrupted a command, and shuts the gate if
the pause is a new one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from firmware_bridge.board import AnyFault, Ended, FaultCode, ProtocolFault, Reason
from firmware_bridge.wire.codes import Refusal
from firmware_bridge.wire.errors import (
    BoardError,
    BoardProtocolError,
    BoardRefusedError,
    BoardSilentError,
)

SILENT = "SILENT"
"""The cause of a pause during which a board does not answer."""
STRANGER = "STRANGER"
"""The cause of a pause in which a different board answers than before."""
FAULT = "FAULT"
"""The cause while a board has latched a fault but has not yet reported its code."""

COMMAND = "COMMAND"
"""The cause of a pause that a person has commanded; it has no board."""
PROTOCOL = "PROTOCOL"
"""The cause of a pause in which a board sent a message that breaks the protocol."""


@dataclass(frozen=True)
class PauseCause:
    """One cause of a pause: its code, its board, and its channel ('' for the whole board).

    `why` is the name of a `FaultCode`, or SILENT, STRANGER, FAULT, PROTOCOL or COMMAND. `seen` is a
    sentence with the evidence; causes that differ only in it are equal.
    """

    why: str
    board: str
    channel: str = ""
    seen: str = field(default="", compare=False)

    @classmethod
    def of(cls, fault: AnyFault) -> PauseCause:
        """The cause that corresponds to a fault reported by a board."""
        if isinstance(fault, ProtocolFault):
            return cls(PROTOCOL, fault.board, seen=fault.sentence)
        return cls(fault.code.name, fault.board, fault.channel)

    @property
    def code(self) -> FaultCode | None:
        """The board's code for this cause; None for a cause without one."""
        return FaultCode[self.why] if self.why in FaultCode.__members__ else None


class PauseGate:
    """A gate that the first cause of a pause shuts and that stays shut until `reopen`.

    `on_cause` is called once for every new cause, within the call of `shut` that reports it.
    """

    def __init__(self, on_cause: Callable[[PauseCause], None]) -> None:
        self.open = True
        self.pauses = 0
        """How often the gate has been shut. A command that finds another number after its reply
        than before it was sent has been overtaken by a pause."""
        self.causes: list[PauseCause] = []
        """Causes of the present pause, oldest first."""
        self.cleared: set[PauseCause] = set()
        """Causes of the present pause that boards have cleared and not reported again since."""
        self._on_cause = on_cause
        self._opened = asyncio.Event()
        self._opened.set()
        self._shut = asyncio.Event()
        self._cancelled = False

    def shut(self, cause: PauseCause) -> None:
        """Shut the gate, so that no further command is sent.

        A duplicate cause is ignored, except that it is no longer in `cleared`.
        """
        if self.open:
            self.open = False
            self.pauses += 1
            if not self._cancelled:
                self._opened.clear()
            self._shut.set()
        self.cleared.discard(cause)
        if cause not in self.causes:
            if cause.why != FAULT:
                # The board has now reported the code of its fault, which replaces FAULT.
                self.causes = [
                    earlier
                    for earlier in self.causes
                    if (earlier.why, earlier.board) != (FAULT, cause.board)
                ]
            self.causes.append(cause)
            self._on_cause(cause)

    def reopen(self) -> None:
        """Forget all causes and open the gate; waiting commands continue in order of arrival."""
        self.causes.clear()
        self.cleared.clear()
        self._shut.clear()
        self.open = True
        self._opened.set()

    async def wait_until_open(self) -> None:
        """Wait until the gate is open. Raises CancelledError after `cancel_waiting`."""
        # The gate can have been shut again before this task runs.
        while not (self.open or self._cancelled):
            await self._opened.wait()
        if not self.open:
            raise asyncio.CancelledError("the table is stopping, so the pause gate stays shut.")

    def cancel_waiting(self) -> None:
        """Shutdown: cancel every command that waits at the shut gate, now or later."""
        self._cancelled = True
        self._opened.set()

    async def wait_until_shut(self) -> None:
        """Wait until the gate is shut."""
        await self._shut.wait()


T = TypeVar("T")

CUT_SHORT = (Reason.HELD, Reason.FAULT, Reason.STOPPED)
"""Reasons with which a motion ends if a pause interrupts it; STOPPED can also mean a stop
command."""
_REFUSED = {
    Refusal.NO_LEASE: FaultCode.LEASE_EXPIRED,
    Refusal.FAULT_LATCHED: None,
    Refusal.NOT_CONFIGURED: FaultCode.BROWN_OUT,
    Refusal.NOT_HOMED: FaultCode.BROWN_OUT,
}
"""Refusals that mean a pause, and its cause; None where the board reports the fault by itself."""


class Interruption:
    """Distinguishes, for one board, pauses from ordinary ends and errors of commands.

    `is_unexpected` returns whether a refusal that can mean a pause does mean one. For example, a
    board whose lease no work holds refuses a command with NO_LEASE, and that is the caller's error.
    """

    def __init__(
        self, board: str, gate: PauseGate, is_unexpected: Callable[[Refusal], bool]
    ) -> None:
        self._board = board
        self._gate = gate
        self._is_unexpected = is_unexpected

    @property
    def paused(self) -> bool:
        """Whether the gate is shut."""
        return not self._gate.open

    @property
    def pauses(self) -> int:
        """Number of pauses so far; a command compares it before and after."""
        return self._gate.pauses

    async def wait_until_over(self) -> None:
        """Wait until the table is not paused."""
        if not self._gate.open:
            await self._gate.wait_until_open()

    async def repeat(self, command: Callable[[], Awaitable[T]]) -> T:
        """Send a command that can be repeated, again after every pause that interrupts it."""
        while True:
            await self.wait_until_over()
            pauses = self.pauses
            try:
                result = await command()
            except BoardError as error:
                if not self.caused(error, pauses):
                    raise
            else:
                if not isinstance(result, Ended) or not self.ended(result, pauses):
                    return result

    def ended(self, ended: Ended, pauses: int) -> bool:
        """Whether a pause ended this motion; shuts the gate if the pause is not known yet.

        `pauses` is the number of pauses when the command was sent.
        """
        if ended.reason not in CUT_SHORT:
            return False
        since = self._gate.pauses != pauses
        if ended.reason is Reason.STOPPED:
            return since
        if not since:
            self._shut(FaultCode.LEASE_EXPIRED if ended.reason is Reason.HELD else None)
        return True

    def caused(self, error: BoardError, pauses: int) -> bool:
        """Whether a pause caused this error; shuts the gate if the pause is not known yet.

        `pauses` is the number of pauses when the command was sent.
        """
        if self._gate.pauses != pauses:
            return True
        if isinstance(error, BoardSilentError):
            self._gate.shut(PauseCause(SILENT, self._board))
            return True
        if isinstance(error, BoardProtocolError):
            self._gate.shut(PauseCause(PROTOCOL, self._board, seen=str(error)))
            return True
        why = error.why if isinstance(error, BoardRefusedError) else None
        if why is None or why not in _REFUSED or not self._is_unexpected(why):
            return False
        self._shut(_REFUSED[why])
        return True

    def _shut(self, code: FaultCode | None) -> None:
        """Pause because of this code; without one, the board is about to report its fault."""
        if code is not None or self._gate.open:
            self._gate.shut(PauseCause(code.name if code else FAULT, self._board))
