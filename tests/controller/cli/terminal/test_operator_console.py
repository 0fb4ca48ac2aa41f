"""The operator console: only input that is typed after a question was shown answers it."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from rich.console import Console

from controller.cli.terminal.operator_console import OperatorConsole
from controller.cli.terminal.terminal_guide import TerminalGuide
from controller.run.faults.catalogue import CATALOGUE, Fault
from controller.run.faults.failures import TableFault
from firmware_bridge.guide import Ask
from tests.waiting import until

JAM = Ask(
    "JAM",
    "head 2",
    "head2_counter has been active for 3 s",
    "Clear the tile that is stuck at head 2.",
    ("done", "stop"),
)
EMERGENCY = Ask(
    "EMERGENCY", "emergency", "EMERGENCY_STOP", "Release it.", ("reset", "stop"), safety=True
)


@dataclass
class Desk:
    """A terminal with a keyboard, an operator console and its printed lines."""

    end: int
    console: OperatorConsole
    prompts: io.StringIO
    guide: TerminalGuide = field(init=False)

    def __post_init__(self) -> None:
        self.guide = TerminalGuide(self.console)

    def types(self, keys: str) -> None:
        os.write(self.end, keys.encode())

    @property
    def printed_lines(self) -> list[str]:
        return self.prompts.getvalue().splitlines()


@pytest.fixture(params=[False, True], ids=["plain", "live view"])
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    """A desk with a live view on the screen, and one without."""
    end, side = os.openpty()
    with os.fdopen(side) as typed:
        prompts = io.StringIO()
        screen = Console(file=prompts, width=500)
        console = OperatorConsole(screen, typed, drawn=request.param)
        yield Desk(end, console, prompts)
    os.close(end)


async def asked(desk: Desk, ask: Ask) -> asyncio.Future[str]:
    """Ask a question; returns its answer once the question is shown."""
    shown = len(desk.console.questions)
    answer = asyncio.ensure_future(desk.guide.help(ask))
    await until(lambda: len(desk.console.questions) > shown)
    return answer


async def not_answered_soon(answer: asyncio.Future[str]) -> bool:
    """Whether a question is still open after a moment in which earlier input could answer it."""
    await asyncio.sleep(0.05)
    return not answer.done()


def at(desk: Desk, scenario: Callable[[Desk], Awaitable[Any]]) -> Any:
    """Run a scenario at a desk, then restore the terminal."""

    async def run_scenario() -> Any:
        try:
            async with asyncio.timeout(60):
                return await scenario(desk)
        finally:
            desk.console.close()

    return asyncio.run(run_scenario())


def answer_to(desk: Desk, ask: Ask, *lines: str) -> str:
    """Ask a question, type these lines one after another, and return the answer."""

    async def scenario(desk: Desk) -> str:
        answer = await asked(desk, ask)
        for line in lines:
            desk.types(line)
            await asyncio.sleep(0.05)
        return await answer

    return str(at(desk, scenario))


@pytest.mark.parametrize(("typed", "answer"), [("done\n", "done"), ("Stop\n", "stop")])
def test_a_typed_answer_is_returned_as_it_is_offered(desk: Desk, typed: str, answer: str) -> None:
    assert answer_to(desk, JAM, typed) == answer


def test_a_question_has_a_number_and_names_every_answer(desk: Desk) -> None:
    async def scenario(desk: Desk) -> str:
        answer = await asked(desk, JAM)
        (question,) = desk.console.questions
        desk.types("done\n")
        await answer
        return f"[{question.number}] {question.text}"

    words = at(desk, scenario)
    assert words == (
        "[1] head 2: head2_counter has been active for 3 s. Clear the tile that is stuck at head 2."
        " Type 'done' when it is done, or 'stop'."
    )
    assert desk.printed_lines in ([], [words]), "it is printed once, or shown by a live view"


def test_an_enter_that_was_typed_before_the_question_is_discarded(desk: Desk) -> None:
    async def scenario(desk: Desk) -> tuple[bool, str]:
        desk.console.open()
        desk.types("\nreset\n")
        await asyncio.sleep(0.05)
        answer = await asked(desk, EMERGENCY)
        is_open = await not_answered_soon(answer)
        desk.types("stop\n")
        return is_open, await answer

    assert at(desk, scenario) == (True, "stop")


def test_input_that_waits_in_the_kernel_before_the_question_is_discarded(desk: Desk) -> None:
    async def scenario(desk: Desk) -> tuple[bool, str]:
        desk.types("reset\n")
        answer = await asked(desk, EMERGENCY)
        is_open = await not_answered_soon(answer)
        desk.types("stop\n")
        return is_open, await answer

    assert at(desk, scenario) == (True, "stop")


def test_enter_alone_never_clears_an_emergency_stop(desk: Desk) -> None:
    async def scenario(desk: Desk) -> str:
        answer = await asked(desk, EMERGENCY)
        (question,) = desk.console.questions
        desk.types("\n")
        await until(lambda: question.note)
        note = question.note
        desk.types("reset\n")
        assert await answer == "reset"
        return note

    assert at(desk, scenario) == (
        "Enter alone is not an answer to this question. Type 'reset' when it is done, or 'stop'."
    )


def test_an_answer_to_another_question_does_not_clear_the_emergency_stop(desk: Desk) -> None:
    """A person types `done` for a jam at the moment at which another one presses the stop."""

    async def scenario(desk: Desk) -> tuple[bool, bool, str, str]:
        jam = await asked(desk, JAM)
        desk.types("do")
        await asyncio.sleep(0.05)
        stop = await asked(desk, EMERGENCY)
        *_, current = desk.console.questions
        desk.types("ne\n")
        await until(lambda: "'ne'" in current.note)
        desk.types("done\n")
        await until(lambda: "'done'" in current.note)
        neither = (jam.done(), stop.done())
        desk.types("reset\ndone\n")
        await until(stop.done)
        assert await not_answered_soon(jam), "input before it became the current one is discarded"
        desk.types("done\n")
        return (*neither, await stop, await jam)

    assert at(desk, scenario) == (False, False, "reset", "done")


def test_a_question_that_is_not_current_is_answered_by_its_number(desk: Desk) -> None:
    async def scenario(desk: Desk) -> tuple[str, str]:
        first = await asked(desk, JAM)
        second = await asked(desk, JAM)
        desk.types("#2 stop\n")
        answer = await second
        desk.types("#7 stop\n")
        await until(lambda: desk.console.questions[0].note)
        assert desk.console.questions[0].note == "There is no open question 7; open questions: 1."
        desk.types("#1 done\n")
        return await first, answer

    assert at(desk, scenario) == ("done", "stop")


def test_a_withdrawn_question_accepts_no_answer(desk: Desk) -> None:
    async def scenario(desk: Desk) -> str:
        first = await asked(desk, EMERGENCY)
        first.cancel()
        await until(first.done)
        desk.types("reset\n")
        await asyncio.sleep(0.05)
        again = await asked(desk, EMERGENCY)
        assert await not_answered_soon(again)
        desk.types("stop\n")
        return await again

    assert at(desk, scenario) == "stop"


def test_an_answer_that_is_not_offered_is_refused(desk: Desk) -> None:
    async def scenario(desk: Desk) -> str:
        answer = await asked(desk, JAM)
        (question,) = desk.console.questions
        desk.types("maybe\n")
        await until(lambda: question.note)
        note = question.note
        desk.types("stop\n")
        await answer
        return note

    note = at(desk, scenario)
    assert note == (
        "'maybe' is not an answer to this question. Type 'done' when it is done, or 'stop'."
    )
    assert desk.printed_lines == [] or desk.printed_lines[-1] == note


def test_the_answer_that_lets_a_stopped_table_move_is_used_for_no_other_prompt() -> None:
    others = {row.answers[0] for row in CATALOGUE.values() if row.latched is None}
    others -= {row.answers[0] for row in CATALOGUE.values() if row.fault is Fault.BOARD}
    stopped = [row for row in CATALOGUE.values() if row.latched is not None]
    assert stopped and not [row.code for row in stopped if row.answers[0] in ("", *others)]
    assert CATALOGUE[Fault.EMERGENCY].answers == ("reset", "stop")


def test_backspace_and_the_arrows_edit_the_line_under_a_live_view() -> None:
    end, side = os.openpty()
    with os.fdopen(side) as typed:
        desk = Desk(end, OperatorConsole(Console(file=io.StringIO()), typed, drawn=True), None)  # type: ignore[arg-type]
        assert answer_to(desk, JAM, "dx\x7fo\x1b[Dn", "e", "\n") == "done"
    os.close(end)


def test_a_closed_terminal_is_a_fault(desk: Desk) -> None:
    with pytest.raises(TableFault, match="the terminal was closed before the answer"):
        answer_to(desk, JAM, "\x04")


def test_a_prompt_without_a_terminal_is_a_fault() -> None:
    for stream in (io.StringIO("done\n"), None):
        console = OperatorConsole(Console(file=io.StringIO()), stream, drawn=False)
        with pytest.raises(TableFault, match="no terminal is attached"):
            asyncio.run(TerminalGuide(console).help(JAM))


def test_a_pipe_does_not_count_as_a_terminal() -> None:
    end, side = os.pipe()
    os.write(side, b"done\n")
    with os.fdopen(end) as stream:
        console = OperatorConsole(Console(file=io.StringIO()), stream, drawn=False)
        with pytest.raises(TableFault, match="no terminal is attached"):
            asyncio.run(TerminalGuide(console).help(JAM))
    os.close(side)
