"""The guide of a real table: prompts on the screen, answers from the keyboard."""

from __future__ import annotations

import asyncio
import sys
from typing import IO, Any

from config.layout.staging import Staging
from controller.faults.table_fault import Fault, TableFault
from firmware_bridge.guide import Ask, Dealt
from rules.dice import parse_throw
from rules.errors import NotationError, RulesError
from rules.geometry import Place
from rules.play import Action, Reseated, Rules, Settlement
from rules.steps import (
    Arrange,
    Build,
    Choose,
    DrawLot,
    Outcome,
    Packet,
    Replace,
    ReturnLots,
    Step,
    Throw,
    TurnUp,
)


class Terminal:
    """Asks on a stream and reads lines from standard input without holding the loop up."""

    def __init__(self, prompts: IO[str]) -> None:
        self._prompts = prompts
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        self._reading = False
        self._rules: Rules | None = None

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """Ask until the answer can be the step's outcome. Raises TableFault if nobody is there."""
        while True:
            self._say(question(step))
            try:
                return step.check(answer(step, await self._line()))
            except RulesError as error:
                self._say(str(error))

    async def ready(self) -> None:
        self._say("Ready to play.")

    async def sit_down(self, dealt: Dealt) -> None:
        self._rules = dealt.rules
        self._say("The hand is followed: type who does what, as '1 discard 5m'.")

    async def act(self, play: Any) -> Action | None:
        """Ask until somebody may do what is typed; nothing typed has the dice thrown."""
        assert self._rules is not None
        throw = self._rules.throw(play)
        seats = " or ".join(map(str, play.to_act))
        self._say(f"To act: seat {seats}{'' if throw is None else ' (Enter throws the dice)'}.")
        while True:
            line = await self._line()
            if not line and throw is not None:
                return None
            try:
                return _legal(play, self._rules, line)
            except RulesError as error:
                self._say(str(error))

    async def settled(self, settlement: Settlement) -> None:
        self._say(f"The hand is over: {settlement.name}.")
        for payment in settlement.payments:
            facts = payment.facts()
            self._say(f"Seat {facts['from']} pays {facts['to']} {facts['amount']}: {facts['why']}")

    async def move_seats(self, reseated: Reseated) -> None:
        """Name the seats as they were in the last hand: told twice, it still means the same."""
        self._say("The seats are drawn anew.")
        for seat, to in enumerate(reseated.moves):
            deals = ", and deals" if to == reseated.match.dealer else ""
            self._say(f"Who had seat {seat} in the last hand sits at seat {to}{deals}.")
        self._say("Press Enter when everybody sits so.")
        await self._line()

    async def help(self, ask: Ask) -> str:
        """Tell what is wrong and what to do, until one of the answers that are offered is typed.

        Enter alone is the first of them: it is done. Raises TableFault if nobody is there.
        """
        first, *others = ask.answers
        offered = f"Enter or '{first}' when it is done" + "".join(f", or '{o}'" for o in others)
        self._say(f"{ask.part}: {ask.seen}. {ask.please} Type {offered}.")
        while True:
            line = (await self._line()).lower()
            if not line:
                return first
            for answer in ask.answers:
                if line == answer.lower():
                    return answer
            self._say(f"'{line}' is no answer here; type {offered}.")

    def _say(self, words: str) -> None:
        print(words, file=self._prompts, flush=True)

    async def _line(self) -> str:
        if not sys.stdin.isatty():
            raise TableFault(
                Fault.NOBODY, "guide", "this step needs a person, and no terminal is attached"
            )
        if not self._reading:
            loop = asyncio.get_running_loop()
            loop.add_reader(sys.stdin, lambda: self._lines.put_nowait(sys.stdin.readline()))
            self._reading = True
        line = await self._lines.get()
        if not line:
            raise TableFault(Fault.NOBODY, "guide", "the terminal was closed before the answer")
        return line.strip()


def _legal(play: Any, rules: Rules, line: str) -> Action:
    """A typed line as an action that the play allows. Raises RulesError."""
    seat, _, words = line.partition(" ")
    if not seat.isdecimal():
        raise NotationError(f"'{line}' begins with no seat; write it as '1 discard 5m'.")
    action: Action = play.legal_actions.require(rules.parse(int(seat), words.strip()))
    return action


def question(step: Step) -> str:
    """A step as a person is asked for it; what has no outcome is done, and confirmed by Enter."""
    match step:
        case Throw():
            return f"Seat {step.by}, {step.why}: throw, and type the dice as 3,5."
        case Choose():
            return f"Seat {step.by}, {step.what}? [{step.default}]"
        case TurnUp():
            return f"Turn up {step.place} and type what it shows (or nothing)."
        case DrawLot():
            return f"Seat {step.seat} draws {step.place}: type what it shows (or nothing)."
        case Build():
            return f"Build {step.layout.count} tiles, then press Enter."
        case Arrange():
            return f"{step.verb.capitalize()} {_listed(step.tiles)} to {' '.join(step.to)}: Enter."
        case Packet():
            return f"Give seat {step.seat} {_listed(step.places)}: Enter."
        case Replace():
            return f"Give seat {step.seat} {step.place} in exchange: Enter."
        case ReturnLots():
            return f"Put the lots back at {_listed(step.places)} and mix what lies there: Enter."


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


def _listed(places: tuple[Place, ...]) -> str:
    return " ".join(str(place) for place in places)
