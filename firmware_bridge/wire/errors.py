"""What a board or its link reports to its caller as an exception."""

from __future__ import annotations

from firmware_bridge.wire.messages import Refusal
from rules.errors import WallwrightError


class BoardError(WallwrightError):
    """A board did not do as it was told."""


class BoardRefusedError(BoardError):
    """The board answered no: unknown channel, no lease, latched fault, value out of range.

    `why` is the board's own reason, None where the host refused by itself.
    """

    def __init__(self, sentence: str, why: Refusal | None = None) -> None:
        super().__init__(sentence)
        self.why = why


class BoardSilentError(BoardError):
    """The board did not answer within every retry."""


class StrangeBoardError(BoardError):
    """Another board answers than the one that was met, or that the table's file names."""
