"""The guide of a real table: asks for steps, actions and help at the operator console."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from config.layout.staging import Staging
from controller.cli.terminal.operator_console import (
    BadAnswerError,
    NoTerminalError,
    OperatorConsole,
    TerminalClosedError,
)
from controller.run.faults.failures import Fault, TableFault
from controller.run.operator.questions import (
    all_actions,
    answer,
    example_actions,
    legal_action,
    question,
    result_question,
    result_value,
    take_back_request,
)
from firmware_bridge.guide import Ask, HandToPlay, HandToReport, TakeBack
from rules.errors import RulesError
from rules.play import Action, AnyRules, Reseated, Settlement
from rules.results import Result, ResultField
from rules.steps import (
    Outcome,
    Step,
)

T = TypeVar("T")


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
                raise BadAnswerError(all_actions(play))
            return legal_action(play, rules, line)

        return await self._ask(f"To act: seat {seats}.{dice} {example_actions(play)}", read)

    async def report(self, hand: HandToReport) -> Result | None:
        """Ask for the fields of the result `who`; None if the hand is not reported."""
        given: dict[str, Any] = {}
        for each in hand.form.fields:
            asked = all(given.get(name) in values for name, values in each.when)
            if each.depth != "who" or each.known is not None or not asked:
                continue

            def read(line: str, each: ResultField = each) -> Any:
                value = result_value(each, line)
                if value is None and each.needed == "who":
                    raise BadAnswerError(f"The result needs {each.words}.")
                if value is not None:
                    hand.form.require(each, value)
                return value

            value = await self._ask(result_question(each), read)
            if value is not None:
                given[each.name] = value
        try:
            return hand.form.checked(given)
        except RulesError as error:
            self._console.print_line(str(error))
            return await self.report(hand)

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

    async def take_back(self, taken: TakeBack) -> None:
        """Print which actions are taken back and what goes where, and wait for Enter."""
        text = f"{take_back_request(taken)} Press Enter when this is done."
        await self._ask(text, lambda _: None)

    async def help(self, ask: Ask) -> str:
        """Show a fault and the request, until one of the offered answers is typed.

        Enter alone is not an answer, because parts of the table can move after the answer.
        """
        first, *others = ask.answers
        offered = f"Type '{first}' when it is done" + "".join(f", or '{o}'" for o in others)

        def read(line: str) -> str:
            for permitted in ask.answers:
                if line.lower() == permitted.lower():
                    return permitted
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
