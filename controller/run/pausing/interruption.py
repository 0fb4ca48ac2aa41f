"""Decides whether a pause interrupted a command, and begins the pause if it is a new one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from controller.run.pausing.pause_gate import FAULT, PROTOCOL, SILENT, PauseCause, PauseGate
from firmware_bridge.board import Ended, FaultCode, Reason
from firmware_bridge.wire.errors import (
    BoardError,
    BoardProtocolError,
    BoardRefusedError,
    BoardSilentError,
)
from firmware_bridge.wire.messages import Refusal

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
