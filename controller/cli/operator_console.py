"""The operator console: the one place where a run asks people and reads what they type.

Every question has a number. Only what is typed after a question was shown can answer it: when the
question that is answered next changes, everything typed before is discarded. Urgent questions
(after an emergency stop or behind a light curtain) come before all others. A line answers the
question that is shown last; `#3 done` answers question 3.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any, Generic, TypeVar

from rich.console import Console
from rich.text import Text

from controller.cli.keyboard import Keyboard, descriptor_of
from rules.errors import RulesError, WallwrightError

T = TypeVar("T")

_ADDRESSED = re.compile(r"#(\d+)(?:\s+(.*))?$")


class BadAnswerError(WallwrightError, ValueError):
    """What was typed cannot answer the question; a sentence says what can."""


class NoTerminalError(WallwrightError):
    """There is no terminal at which a person could answer."""


class TerminalClosedError(WallwrightError):
    """The terminal was closed before the answer."""


@dataclass(eq=False)
class Question(Generic[T]):
    """One open question. `read` turns a line into the answer, or raises BadAnswerError."""

    number: int
    words: str
    read: Callable[[str], T]
    urgent: bool
    answer: asyncio.Future[T]
    note: str = ""
    """Why the last line was not an answer."""

    def take(self, line: str) -> bool:
        """Answer with a line; returns whether it was an answer."""
        try:
            answer = self.read(line.strip())
        except (BadAnswerError, RulesError) as error:
            self.note = str(error)
            return False
        self.answer.set_result(answer)
        return True


class OperatorConsole:
    """Questions to people, on a screen that a live view may share.

    `drawn`: a live view shows the open questions and the draft, and is called by `redraw`.
    Otherwise every question is printed once. `scripted`: a pipe may answer in place of a person.
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
        """Begin to read the keyboard: what is typed from here on is not echoed under the view."""
        if self._keyboard is not None and self._keyboard.is_terminal:
            self._keyboard.open()

    def close(self) -> None:
        """Give the keyboard back."""
        if self._keyboard is not None:
            self._keyboard.close()

    @property
    def questions(self) -> tuple[Question[Any], ...]:
        """The open questions, the one that is answered next last."""
        current = self.current
        others = [each for each in self._open if each is not current and not each.answer.done()]
        return (*others, *((current,) if current is not None else ()))

    @property
    def current(self) -> Question[Any] | None:
        """The question that a line answers: the oldest urgent one, or the oldest."""
        unanswered = [each for each in self._open if not each.answer.done()]
        return min(unanswered, key=lambda each: (not each.urgent, each.number), default=None)

    @property
    def draft(self) -> str:
        """The unfinished line."""
        return self._keyboard.draft if self._keyboard is not None else ""

    def print_line(self, words: str) -> None:
        """Write a line that stays on the screen."""
        # soft_wrap: no line breaks of our own in a sentence that somebody may search for.
        self.screen.print(Text(words), soft_wrap=not self._drawn)

    async def ask(self, words: str, read: Callable[[str], T], *, urgent: bool = False) -> T:
        """Show a question until a line typed after it answers it.

        Raises NoTerminalError or TerminalClosedError. Cancelling withdraws the question.
        """
        if self._keyboard is None:
            raise NoTerminalError
        try:
            self._keyboard.open()
        except (OSError, ValueError) as error:
            raise NoTerminalError from error
        self._number += 1
        loop = asyncio.get_running_loop()
        question = Question(self._number, words, read, urgent, loop.create_future())
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
        """Write a question as a line; one that has to wait is answered by its number."""
        later = "" if self.current is question else f" (answer it as '#{question.number} ...')"
        self.print_line(f"[{question.number}] {question.words}{later}")

    def _show_current(self, printed: Question[T] | None = None) -> None:
        """Discard what was typed before the question that is answered next was shown.

        `printed` is on the screen already.
        """
        current = self.current
        if current is self._shown or self._keyboard is None:
            self.redraw()
            return
        self._shown = current
        if current is not None and current is not printed and not self._drawn:
            self._print(current)
        self.redraw()
        self._keyboard.forget()
        if current is not None:
            asyncio.get_running_loop().call_soon(self._keyboard.pump)

    def _take(self, line: str | None) -> None:
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
                current.note = f"There is no open question {addressed[1]}."
                self._noted(current)
                return
            question = named[0]
            line = addressed[2] or ""
        if question.take(line):
            self._show_current()
        else:
            self._noted(question)

    def _noted(self, question: Question[Any]) -> None:
        if self._drawn:
            self.redraw()
        else:
            self.print_line(question.note)

    def _changed(self) -> None:
        self.redraw()


def _nothing() -> None:
    """No view shares the screen."""
