"""The guide of a real table: prompts at the operator console, answers from its keyboard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import islice
from typing import Any, TypeVar

from config.layout.staging import Staging
from controller.cli.operator_console import (
    BadAnswerError,
    NoTerminalError,
    OperatorConsole,
    TerminalClosedError,
)
from controller.faults.table_fault import Fault, TableFault
from firmware_bridge.guide import Ask, HandToPlay
from rules.dice import parse_throw
from rules.errors import NotationError
from rules.geometry import Place
from rules.play import Action, AnyRules, Reseated, Settlement
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

T = TypeVar("T")

LISTED = 2000
"""The most actions that are listed; a play with hidden hands may allow very many."""


class TerminalGuide:
    """Asks people through the operator console. Raises TableFault where nobody can answer."""

    def __init__(self, console: OperatorConsole) -> None:
        self._console = console
        self._rules: AnyRules | None = None

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """Ask until the answer can be the step's outcome."""
        return await self._ask(question(step), lambda line: step.check(answer(step, line)))

    async def ready(self) -> None:
        self._console.print_line("Ready to play.")

    async def sit_down(self, dealt: HandToPlay) -> None:
        self._rules = dealt.rules
        self._console.print_line("The hand is followed by the rules: type what each seat does.")

    async def act(self, play: Any) -> Action | None:
        """Ask until a legal action is typed; Enter alone has the dice thrown where that is next."""
        assert self._rules is not None
        rules = self._rules
        throw = rules.throw(play)
        seats = " or ".join(map(str, play.to_act))
        dice = "" if throw is None else " Enter throws the dice."

        def read(line: str) -> Action | None:
            if not line and throw is not None:
                return None
            if line == "?":
                raise BadAnswerError(_all_actions(play))
            return _legal(play, rules, line)

        return await self._ask(f"To act: seat {seats}.{dice} {_examples(play)}", read)

    async def settled(self, settlement: Settlement) -> None:
        self._console.print_line(f"The hand is over: {settlement.name}.")
        for payment in settlement.payments:
            facts = payment.facts()
            self._console.print_line(
                f"Seat {facts['from']} pays {facts['to']} {facts['amount']}: {facts['why']}"
            )

    async def move_seats(self, reseated: Reseated) -> None:
        """Name the seats as they were in the last hand, so that a repeated text means the same."""
        self._console.print_line("The seats are drawn anew.")
        for seat, to in enumerate(reseated.moves):
            deals = ", and deals" if to == reseated.match.dealer else ""
            self._console.print_line(
                f"Who had seat {seat} in the last hand sits at seat {to}{deals}."
            )
        await self._ask("Press Enter when everybody sits so.", lambda _: None)

    async def help(self, ask: Ask) -> str:
        """Say what is wrong and what to do, until one of the offered words is typed.

        Enter alone is no answer: after it parts of the table may move again.
        """
        first, *others = ask.answers
        offered = f"Type '{first}' when it is done" + "".join(f", or '{o}'" for o in others)

        def read(line: str) -> str:
            for answer in ask.answers:
                if line.lower() == answer.lower():
                    return answer
            typed = f"'{line}'" if line else "Enter alone"
            raise BadAnswerError(f"{typed} is no answer here. {offered}.")

        words = f"{ask.part}: {ask.seen}. {ask.please} {offered}."
        return await self._ask(words, read, urgent=ask.safety)

    async def _ask(self, words: str, read: Callable[[str], T], *, urgent: bool = False) -> T:
        return await answered(self._console.ask(words, read, urgent=urgent))


async def answered(asked: Awaitable[T]) -> T:
    """The answer, or a TableFault that says why nobody can give one."""
    try:
        return await asked
    except NoTerminalError:
        raise TableFault(
            Fault.NOBODY, "guide", "this step needs a person, and no terminal is attached"
        ) from None
    except TerminalClosedError:
        raise TableFault(
            Fault.NOBODY, "guide", "the terminal was closed before the answer"
        ) from None


def _legal(play: Any, rules: AnyRules, line: str) -> Action:
    """A typed line as an action that the play allows. Raises RulesError."""
    seat, _, words = line.partition(" ")
    if not (seat.isdecimal() and len(seat) < 3):
        raise NotationError(f"'{line}' begins with no seat. {_examples(play)}")
    action: Action = play.legal_actions.require(rules.parse(int(seat), words.strip()))
    return action


def _examples(play: Any) -> str:
    """One legal action of each kind, as a person types it."""
    kinds: dict[str, str] = {}
    for action in islice(play.legal_actions, LISTED):
        text = str(action)
        kinds.setdefault(text.partition(" ")[0], f"'{action.seat} {text}'")
    if not kinds:
        return "Nothing can be typed but '?'."
    return f"Type the seat and the action, as {' or '.join(kinds.values())}; '?' lists all."


def _all_actions(play: Any) -> str:
    """Every legal action, as a person types it."""
    actions = [f"{action.seat} {action}" for action in islice(play.legal_actions, LISTED + 1)]
    more = f"; and more than {LISTED} in all" if len(actions) > LISTED else ""
    return f"Legal now: {', '.join(actions[:LISTED])}{more}."


def question(step: Step) -> str:
    """A step as a person is asked for it; what has no outcome is done, and confirmed by Enter."""
    match step:
        case Throw():
            return f"Seat {step.by}, {step.why}: throw, and type the dice as 3,5."
        case Choose():
            offered = " or ".join(str(each) for each in step.among)
            return f"Seat {step.by}, {step.what}: {offered}? [{step.default}]"
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
            first, *_, last = step.boneyard
            return (
                f"Put the lots back at {_listed(step.places)} face down, then mix the whole"
                f" boneyard, {first} to {last}: Enter."
            )


def answer(step: Step, line: str) -> Outcome:
    """A typed line as an outcome. Raises NotationError for a throw that cannot be read."""
    match step:
        case Throw():
            return parse_throw(line)
        case Choose():
            if not line:
                return step.default
            return next((each for each in step.among if str(each) == line), line)
        case TurnUp() | DrawLot():
            return line or None
    return None


def _listed(places: tuple[Place, ...]) -> str:
    return " ".join(str(place) for place in places)
