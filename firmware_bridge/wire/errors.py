"""Exceptions that a board or its link raises to its caller."""

from __future__ import annotations

from firmware_bridge.wire.codes import Refusal
from rules.errors import WallwrightError


class BoardError(WallwrightError):
    """A board did not execute a command."""


class BoardRefusedError(BoardError):
    """The board refused a command: unknown channel, no lease, latched fault, value out of range.

    `why` is the reason in the board's reply, or None if the host refused without asking the board.
    """

    def __init__(self, sentence: str, why: Refusal | None = None) -> None:
        super().__init__(sentence)
        self.why = why


class BoardSilentError(BoardError):
    """The board did not answer within every retry."""


class BoardProtocolError(BoardError):
    """The board's answer broke the protocol, so it is unknown what the board did."""


class StrangeBoardError(BoardError):
    """Another board answers than the one identified before, or named by the table's file."""
