"""The guide of a real table: asks for steps, actions and help at the operator console."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import islice
from typing import Any, TypeVar

from config.layout.staging import Staging
from controller.cli.terminal.operator_console import (
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
"""The largest number of actions that are listed; a play with hidden hands can allow very many."""


class TerminalGuide:
    """Asks people at the operator console. Raises TableFault if no person can answer."""

    def __init__(self, console: OperatorConsole) -> None:
        self._console = console
        self._rules: AnyRules | None = None

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """Ask for a step until the answer is a valid outcome of the step."""
        return await self._ask(question(step), lambda line: step.check(answer(step, line)))

    async def ready(self) -> None:
        self._console.print_line("Ready to play.")

    async def sit_down(self, dealt: HandToPlay) -> None:
        self._rules = dealt.rules
        self._console.print_line("The hand begins; type the action of each seat.")

    async def act(self, play: Any) -> Action | None:
        """Ask until a legal action is typed; Enter alone throws the dice if a throw is next."""
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
        """Print the new seat of each player, by the seat in the last hand, and wait for Enter.

        The text has the same meaning if a resumed run repeats it.
        """
        self._console.print_line("New seats were drawn.")
        for seat, to in enumerate(reseated.moves):
            deals = " and deals" if to == reseated.match.dealer else ""
            self._console.print_line(
                f"The player of seat {seat} in the last hand moves to seat {to}{deals}."
            )
        await self._ask("Press Enter when every player has the new seat.", lambda _: None)

    async def help(self, ask: Ask) -> str:
        """Show a fault and the request, until one of the offered answers is typed.

        Enter alone is not an answer, because parts of the table can move after the answer.
        """
        first, *others = ask.answers
        offered = f"Type '{first}' when it is done" + "".join(f", or '{o}'" for o in others)

        def read(line: str) -> str:
            for answer in ask.answers:
                if line.lower() == answer.lower():
                    return answer
            typed = f"'{line}'" if line else "Enter alone"
            raise BadAnswerError(f"{typed} is not an answer to this question. {offered}.")

        text = f"{ask.part}: {ask.seen}. {ask.please} {offered}."
        return await self._ask(text, read, urgent=ask.safety)

    async def _ask(self, text: str, read: Callable[[str], T], *, urgent: bool = False) -> T:
        return await answered(self._console.ask(text, read, urgent=urgent))


async def answered(question: Awaitable[T]) -> T:
    """Wait for the answer. Raises TableFault if no terminal is attached or it was closed."""
    try:
        return await question
    except NoTerminalError:
        raise TableFault(
            Fault.NOBODY, "guide", "this step needs a person, and no terminal is attached"
        ) from None
    except TerminalClosedError:
        raise TableFault(
            Fault.NOBODY, "guide", "the terminal was closed before the answer"
        ) from None


def _legal(play: Any, rules: AnyRules, line: str) -> Action:
    """Convert a typed line to a legal action. Raises RulesError."""
    seat, _, text = line.partition(" ")
    if not (seat.isdecimal() and len(seat) < 3):
        raise NotationError(f"'{line}' does not begin with a seat. {_examples(play)}")
    action: Action = play.legal_actions.require(rules.parse(int(seat), text.strip()))
    return action


def _examples(play: Any) -> str:
    """An example of each kind of legal action, as it is typed."""
    kinds: dict[str, str] = {}
    for action in islice(play.legal_actions, LISTED):
        text = str(action)
        kinds.setdefault(text.partition(" ")[0], f"'{action.seat} {text}'")
    if not kinds:
        return "No action is legal now; '?' lists all legal actions."
    return f"Type the seat and the action, as {' or '.join(kinds.values())}; '?' lists all."


def _all_actions(play: Any) -> str:
    """The list of all legal actions, as they are typed."""
    actions = [f"{action.seat} {action}" for action in islice(play.legal_actions, LISTED + 1)]
    more = f"; and more than {LISTED} in all" if len(actions) > LISTED else ""
    return f"Legal now: {', '.join(actions[:LISTED])}{more}."


def question(step: Step) -> str:
    """The question for a step; a step without an outcome is confirmed with Enter."""
    match step:
        case Throw():
            return f"Seat {step.by}, {step.why}: throw, and type the dice as 3,5."
        case Choose():
            offered = " or ".join(str(each) for each in step.among)
            return f"Seat {step.by}, {step.what}: {offered}? [{step.default}]"
        case TurnUp():
            return f"Turn up {step.place} and type its face, or press Enter to leave it unknown."
        case DrawLot():
            return (
                f"Seat {step.seat} draws {step.place}: type its face, or press Enter to leave it"
                " unknown."
            )
        case Build():
            return f"Build {step.layout.count} tiles, then press Enter."
        case Arrange():
            places = " ".join(step.to)
            return f"{step.verb.capitalize()} {_listed(step.tiles)} to {places}, then press Enter."
        case Packet():
            return f"Give {_listed(step.places)} to seat {step.seat}, then press Enter."
        case Replace():
            return f"Give {step.place} in exchange to seat {step.seat}, then press Enter."
        case ReturnLots():
            first, *_, last = step.boneyard
            return (
                f"Put the drawn tiles back at {_listed(step.places)} face down, mix the whole"
                f" boneyard, {first} to {last}, then press Enter."
            )


def answer(step: Step, line: str) -> Outcome:
    """Convert a typed line to the outcome of a step. Raises NotationError for an invalid throw."""
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
