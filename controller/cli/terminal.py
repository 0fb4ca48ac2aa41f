"""The guide of a real table: prompts on the screen, answers from the keyboard."""

from __future__ import annotations

import asyncio
import sys

from config.staging import Staging
from controller.faults import Fault, TableFault
from rules.dice import parse_throw
from rules.errors import RulesError
from rules.steps import Choose, DrawLot, Outcome, Step, Throw, TurnUp


class Terminal:
    """Asks on standard output and reads lines from standard input without holding the loop up."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        self._reading = False

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """Ask until the answer can be the step's outcome. Raises TableFault if nobody is there."""
        while True:
            print(question(step), flush=True)
            try:
                return step.check(answer(step, await self._line()))
            except RulesError as error:
                print(error, flush=True)

    async def ready(self) -> None:
        print("Ready to play.", flush=True)

    async def _line(self) -> str:
        if not sys.stdin.isatty():
            raise TableFault(
                Fault.NOBODY, "guide", "this step needs a person, and no terminal is attached"
            )
        if not self._reading:
            loop = asyncio.get_running_loop()
            loop.add_reader(sys.stdin, lambda: self._lines.put_nowait(sys.stdin.readline()))
            self._reading = True
        return (await self._lines.get()).strip()


def question(step: Step) -> str:
    """A step as a person is asked for it."""
    match step:
        case Throw():
            return f"Seat {step.by}, {step.why}: throw, and type the dice as 3,5."
        case Choose():
            return f"Seat {step.by}, {step.what}? [{step.default}]"
        case TurnUp():
            return f"Turn up {step.place} and type what it shows (or nothing)."
        case DrawLot():
            return f"Seat {step.seat} draws {step.place}: type what it shows (or nothing)."
    told = step.facts()
    where = " ".join(str(place) for place in told.get("from", ()) or ())  # type: ignore[attr-defined]
    return f"{told['step']} {where}".strip() + f" for seat {told['seat']}." * ("seat" in told)


def answer(step: Step, line: str) -> Outcome:
    """A typed line as an outcome. Raises NotationError for dice that are none."""
    match step:
        case Throw():
            return parse_throw(line)
        case Choose():
            if not line:
                return step.default
            return int(line) if line.lstrip("-").isdecimal() else line
        case TurnUp() | DrawLot():
            return line or None
    return None
