"""The refusal of a command of service mode: a sentence, the next step, and a code."""

from __future__ import annotations

from rules.errors import WallwrightError


class ServiceModeRefusalError(WallwrightError):
    """A command of service mode that is not executed.

    `code` is a short name of the refusal for programs; `next_step` says what a person can do.
    """

    def __init__(self, code: str, sentence: str, next_step: str) -> None:
        super().__init__(f"{sentence} {next_step}")
        self.code = code
        self.sentence = sentence
        self.next_step = next_step
