"""What people do at the table: the steps that the machine has no module for, and the choices.

On a real table a guide is a screen with lamps and keys; on the simulated one it is the plant's
people. Either way a guided step is a `Step` of the rules, done by hand.
"""

from __future__ import annotations

from typing import Protocol

from config.staging import Staging
from rules.steps import Outcome, Step


class Guide(Protocol):
    """Someone at the table who does, or decides, what a step asks for."""

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """Ask for the step; return its outcome when the people say that it is done."""

    async def ready(self) -> None:
        """Say that the set-up is complete and the game may begin."""
