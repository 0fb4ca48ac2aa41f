"""The refusal of a command that the present state does not permit."""

from __future__ import annotations

from rules.errors import WallwrightError


class CommandRefusedError(WallwrightError, ValueError):
    """A command that the present state does not permit; `code` is short, for programs."""

    def __init__(self, code: str, sentence: str, next_step: str = "") -> None:
        super().__init__(sentence)
        self.code = code
        self.next_step = next_step
