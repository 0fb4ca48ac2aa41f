"""The operator console: shows the questions of a run to operators and reads their answers.

Every question has a number. Only a line typed after a question was shown can answer it: when
another question becomes the current one, everything typed before is discarded. The current question
is the oldest urgent one (after an emergency stop or a light curtain), or else the oldest. A line
answers the current question, which is shown last; `#3 done` answers question 3.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any, Generic, TypeVar

from rich.console import Console
from rich.text import Text

from controller.cli.terminal.keyboard import Keyboard, descriptor_of
from rules.errors import RulesError, WallwrightError

T = TypeVar("T")

_ADDRESSED = re.compile(r"#(\d+)(?:\s+(.*))?$")


class BadAnswerError(WallwrightError, ValueError):
    """A typed line does not answer the question; the text names the possible answers."""


class NoTerminalError(WallwrightError):
    """No terminal is attached, so no operator can answer."""


class TerminalClosedError(WallwrightError):
    """The terminal was closed before the answer."""


@dataclass(eq=False)
class Question(Generic[T]):
    """One open question. `read` converts a line to the answer, or raises BadAnswerError."""

    number: int
    text: str
    read: Callable[[str], T]
    urgent: bool
    answer: asyncio.Future[T]
    note: str = ""
    """The error for the last line that was not an answer."""

    def take(self, line: str) -> bool:
        """Answer the question with a line; returns whether the line was an answer."""
        try:
            answer = self.read(line.strip())
        except (BadAnswerError, RulesError) as error:
            self.note = str(error)
            return False
        self.answer.set_result(answer)
        return True


class OperatorConsole:
    """Asks questions on a screen and reads the answers from a keyboard.

    With `drawn`, a live view shows the open questions and the unfinished line, and `redraw` updates
    it; otherwise every question is printed once. With `scripted`, a pipe can answer instead of a
    person.
    """

    def __init__(
        self, screen: Console, stream: IO[str] | None, *, drawn: bool, scripted: bool = False
    ) -> None:
        self.screen = screen
        self.redraw: Callable[[], None] = _nothing
        self._drawn = drawn
        self._open: list[Question[Any]] = []
        self._shown: Question[Any] | None = None
        self._number = 0
        self._keyboard: Keyboard | None = None
        descriptor = descriptor_of(stream)
        if descriptor is not None:
            keyboard = Keyboard(descriptor, self._take, self._changed, drawn=drawn)
            if keyboard.is_terminal or scripted:
                keyboard.wants = lambda: self.current is not None
                self._keyboard = keyboard

    def open(self) -> None:
        """Begin to read the keyboard. With a live view, the terminal stops its own echo."""
        if self._keyboard is not None and self._keyboard.is_terminal:
            self._keyboard.open()

    def close(self) -> None:
        """Stop reading the keyboard, and restore the terminal's modes."""
        if self._keyboard is not None:
            self._keyboard.close()

    @property
    def questions(self) -> tuple[Question[Any], ...]:
        """The open questions; the current one is last."""
        current = self.current
        others = [each for each in self._open if each is not current and not each.answer.done()]
        return (*others, *((current,) if current is not None else ()))

    @property
    def current(self) -> Question[Any] | None:
        """The question that the next line answers: the oldest urgent one, or else the oldest."""
        unanswered = [each for each in self._open if not each.answer.done()]
        return min(unanswered, key=lambda each: (not each.urgent, each.number), default=None)

    @property
    def draft(self) -> str:
        """The unfinished line."""
        return self._keyboard.draft if self._keyboard is not None else ""

    def print_line(self, text: str) -> None:
        """Print a line that stays on the screen."""
        # soft_wrap: without inserted line breaks, the output can be searched for a sentence.
        self.screen.print(Text(text), soft_wrap=not self._drawn)

    async def ask(self, text: str, read: Callable[[str], T], *, urgent: bool = False) -> T:
        """Show a question until a line typed after it answers it; returns the answer.

        Raises NoTerminalError or TerminalClosedError. Cancellation withdraws the question.
        """
        if self._keyboard is None:
            raise NoTerminalError
        try:
            self._keyboard.open()
        except (OSError, ValueError) as error:
            raise NoTerminalError from error
        self._number += 1
        loop = asyncio.get_running_loop()
        question = Question(self._number, text, read, urgent, loop.create_future())
        self._open.append(question)
        try:
            if not self._drawn:
                self._print(question)
            self._show_current(printed=question)
            answer: T = await question.answer
        finally:
            self._open.remove(question)
            self._show_current()
        return answer

    def _print(self, question: Question[T]) -> None:
        """Print a question as a line; one that is not current gets a hint with its number."""
        hint = "" if self.current is question else f" (answer it as '#{question.number} ...')"
        self.print_line(f"[{question.number}] {question.text}{hint}")

    def _show_current(self, printed: Question[T] | None = None) -> None:
        """Show the current question, and discard what was typed before it became current.

        The question `printed` is on the screen already.
        """
        current = self.current
        if current is self._shown or self._keyboard is None:
            self.redraw()
            return
        self._shown = current
        if current is not None and current is not printed and not self._drawn:
            self._print(current)
        self.redraw()
        self._keyboard.discard_input()
        if current is not None:
            asyncio.get_running_loop().call_soon(self._keyboard.take_waiting_lines)

    def _take(self, line: str | None) -> None:
        """Answer the current or the numbered question; None closes all open questions."""
        if line is None:
            for question in self._open:
                if not question.answer.done():
                    question.answer.set_exception(TerminalClosedError())
            return
        current = self.current
        if current is None:
            return
        question = current
        if addressed := _ADDRESSED.match(line.strip()):
            named = [each for each in self.questions if str(each.number) == addressed[1]]
            if not named:
                numbers = ", ".join(str(each.number) for each in self.questions)
                current.note = (
                    f"There is no open question {addressed[1]}; open questions: {numbers}."
                )
                self._show_note(current)
                return
            question = named[0]
            line = addressed[2] or ""
        if question.take(line):
            self._show_current()
        else:
            self._show_note(question)

    def _show_note(self, question: Question[Any]) -> None:
        if self._drawn:
            self.redraw()
        else:
            self.print_line(question.note)

    def _changed(self) -> None:
        self.redraw()


def _nothing() -> None:
    """The default of `OperatorConsole.redraw`, used without a live view."""
