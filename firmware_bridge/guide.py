"""The `Guide` protocol: asks people for manual steps, for choices, and for help with faults.

On a real table a guide is a screen with lamps and keys; on the simulated table it is the simulated
people. A guided step is a `Step` of the rules that people do by hand, because the table has no
module for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from config.layout.staging import Staging
from rules.geometry import Place, Seat
from rules.play import Action, AnyRules, Reseated, Settlement
from rules.results import GameResults, Result, ResultForm
from rules.setup import Setup
from rules.steps import Outcome, Step


@dataclass(frozen=True)
class HandToPlay:
    """A game whose set-up is complete and whose play begins next, with its rules and its match."""

    rules: AnyRules
    setup: Setup
    match: Any
    staging: Staging


@dataclass(frozen=True)
class Ask:
    """A prompt that asks a person to remove a fault: its code, the part, a sentence, the answers.

    `seen` is the evidence; `answers` are the permitted answers, of which the first one confirms
    that the work is done. `safety`: the table is paused, and the first answer lets it move again.
    """

    code: str
    part: str
    seen: str
    please: str
    answers: tuple[str, ...] = ("done",)
    safety: bool = False


@dataclass(frozen=True)
class TakeBack:
    """Actions that were entered wrongly and are taken back, the last one first.

    `play` is the play before them. `drawn` are the tiles that the table has delivered since, each
    with its seat; people put them back into their places, face down.
    """

    actions: tuple[Action, ...]
    play: Any
    drawn: tuple[tuple[Seat, Place], ...]
    staging: Staging


@dataclass(frozen=True)
class HandToReport:
    """A hand that is over and that nobody followed: the form of its result, and its match."""

    results: GameResults
    form: ResultForm
    match: Any


class Guide(Protocol):
    """Asks the people at the table for steps and decisions, and returns their answers."""

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """Ask for the step; return its outcome when the people confirm that it is done."""

    async def ready(self) -> None:
        """Announce that the set-up is complete and the game may begin."""

    async def sit_down(self, dealt: HandToPlay) -> None:
        """Announce that the hand begins; from now on `act` asks for the players' actions."""

    async def act(self, play: Any) -> Action | None:
        """Return the next action of a player, or None if the dice are to be thrown next."""

    async def report(self, hand: HandToReport) -> Result | None:
        """Ask how a hand has ended; return its result, or None if nobody says it here."""

    async def settled(self, settlement: Settlement) -> None:
        """Announce that the hand is over, and the payments between the players."""

    async def move_seats(self, reseated: Reseated) -> None:
        """Announce the new seats; return when every player has taken theirs."""

    async def take_back(self, taken: TakeBack) -> None:
        """Announce actions that are taken back; return when people have put the tiles back."""

    async def help(self, ask: Ask) -> str:
        """Show a prompt to a person; return the answer."""
