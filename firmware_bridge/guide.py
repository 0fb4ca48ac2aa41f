"""What people do at the table: the steps that the machine has no module for, the choices, the help.

On a real table a guide is a screen with lamps and keys; on the simulated one it is the plant's
people. Either way a guided step is a `Step` of the rules, done by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from config.layout.staging import Staging
from rules.play import Action, AnyRules, Reseated, Settlement
from rules.setup import Setup
from rules.steps import Outcome, Step


@dataclass(frozen=True)
class Dealt:
    """A game that has been set up and is about to be played: by which rules, in which match."""

    rules: AnyRules
    setup: Setup
    match: Any
    staging: Staging


@dataclass(frozen=True)
class Ask:
    """What a person is asked to put right: the fault's code, the part, a sentence, the answers.

    `seen` is the evidence; `answers` are the words that may be given, the first one when it is
    done. `safety`: the table is paused, and the first answer lets it move again.
    """

    code: str
    part: str
    seen: str
    please: str
    answers: tuple[str, ...] = ("done",)
    safety: bool = False


class Guide(Protocol):
    """Someone at the table who does, or decides, what a step asks for."""

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """Ask for the step; return its outcome when the people say that it is done."""

    async def ready(self) -> None:
        """Say that the set-up is complete and the game may begin."""

    async def sit_down(self, dealt: Dealt) -> None:
        """The hand begins: from now on `act` asks what they do."""

    async def act(self, play: Any) -> Action | None:
        """What somebody at the table does next; None to have the dice thrown."""

    async def settled(self, settlement: Settlement) -> None:
        """The hand is over: say who pays whom."""

    async def move_seats(self, reseated: Reseated) -> None:
        """Say who sits where from now on; return when everybody does."""

    async def help(self, ask: Ask) -> str:
        """Ask a person to put something right; return the answer."""
