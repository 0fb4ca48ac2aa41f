"""The operator console: shows the questions of a run to operators and reads their answers.

Every question has a number. Only a line typed after a question was shown can answer it: when
another question becomes the current one, everything typed before is discarded. The current question
is the oldest urgent one (after an emergency stop or a light curtain), or else the oldest. A line
answers the current question, which is shown last; `#3 done` answers question 3.

`Keyboard` reads lines without blocking the event loop. While a live view draws the screen, echo and
line editing of the terminal are switched off: the keyboard edits the line, and the view shows the
unfinished line (`draft`). Otherwise the terminal echoes and edits lines itself.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import signal
import termios
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any, Generic, TypeVar

from rich.console import Console
from rich.text import Text

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


READ_SIZE = 4096
"""The largest number of bytes that one read takes."""
ERASE = ("\x7f", "\b")
ERASE_LINE, END_OF_INPUT, ESCAPE = "\x15", "\x04", "\x1b"
_LOCAL_FLAGS = 3
"""The index of the flags for echo and line editing in the result of `termios.tcgetattr`."""


class Keyboard:
    """Reads lines from a terminal, or from a pipe with prepared answers.

    `take` is called with every finished line, and with None at the end of the input; `changed` is
    called when the draft has changed. With `drawn` the caller shows the draft.
    """

    def __init__(
        self,
        descriptor: int,
        take: Callable[[str | None], None],
        changed: Callable[[], None],
        *,
        drawn: bool,
    ) -> None:
        self.draft = ""
        """The unfinished line; always empty without `drawn`."""
        self.is_terminal = os.isatty(descriptor)
        self.wants: Callable[[], bool] = lambda: True
        """Returns whether a line from a pipe can be taken now. A terminal's lines always are."""
        self._descriptor = descriptor
        self._take = take
        self._changed = changed
        self._drawn = drawn and self.is_terminal
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        """Characters that were read and not processed yet."""
        self._ended = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._modes: list[object] | None = None
        """The terminal's modes before this module changed them."""

    def open(self) -> None:
        """Begin to read. Raises OSError or ValueError for a file, which a loop cannot wait for."""
        if self._loop is not None:
            return
        loop = asyncio.get_running_loop()
        loop.add_reader(self._descriptor, self._read)
        self._loop = loop
        if self._drawn:
            self._switch_off_echo()
            # A shell that suspended this process can have changed the modes in the meantime.
            loop.add_signal_handler(signal.SIGCONT, self._switch_off_echo)

    def close(self) -> None:
        """Stop reading, and restore the terminal's modes."""
        if self._loop is None:
            return
        self._loop.remove_reader(self._descriptor)
        if self._drawn:
            self._loop.remove_signal_handler(signal.SIGCONT)
        self._loop = None
        if self._modes is not None:
            with suppress(termios.error):  # raised if the terminal was closed
                termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._modes)  # type: ignore[arg-type]
            self._modes = None

    def discard_input(self) -> None:
        """Discard everything typed at a terminal so far. Answers from a pipe are kept."""
        if not self.is_terminal:
            return
        self.draft = self._text = ""
        self._decoder.reset()
        with suppress(termios.error):  # raised if the terminal was closed
            termios.tcflush(self._descriptor, termios.TCIFLUSH)

    def take_waiting_lines(self) -> None:
        """Take the lines of a pipe that arrived before a question was open."""
        if not self.is_terminal:
            self._take_lines()

    def _switch_off_echo(self) -> None:
        """Switch off echo and line editing of the terminal; Ctrl-C still sends a signal."""
        if _in_background(self._descriptor):
            return  # the system suspends a background process that changes a terminal's modes
        with suppress(termios.error):
            modes = termios.tcgetattr(self._descriptor)
            if self._modes is None:
                self._modes = list(modes)
            modes[_LOCAL_FLAGS] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, modes)

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, READ_SIZE)
        except OSError:
            data = b""  # the terminal was closed
        self._text += self._decoder.decode(data)
        if not data and not self._ended:
            self._ended = True
            if self._loop is not None:
                self._loop.remove_reader(self._descriptor)
        if self._modes is None:
            self._take_lines()
        else:
            self._edit()

    def _take_lines(self) -> None:
        while self.is_terminal or self.wants():
            line, end, rest = self._text.partition("\n")
            if not end:
                break
            self._text = rest
            self._take(line)
        if self._ended and not self._text and (self.is_terminal or self.wants()):
            self._take(None)

    def _edit(self) -> None:
        """Process the characters one by one: `discard_input` can be called between two."""
        while self._text:
            character, self._text = self._text[0], self._text[1:]
            if character in "\r\n":
                line, self.draft = self.draft, ""
                self._take(line)
            elif character == END_OF_INPUT:
                if not self.draft:
                    self._take(None)
            elif character in ERASE:
                self.draft = self.draft[:-1]
            elif character == ERASE_LINE:
                self.draft = ""
            elif character == ESCAPE:
                self._text = _after_sequence(self._text)
            elif character.isprintable():
                self.draft += character
        if self._ended:
            self._take(None)
        self._changed()


def _in_background(terminal: int) -> bool:
    """Whether another process group is in the foreground of this process's terminal."""
    try:
        return os.tcgetpgrp(terminal) != os.getpgrp()
    except OSError:
        return False


def _after_sequence(text: str) -> str:
    """Remove the rest of a key's escape sequence, such as `[A` of an arrow key, from the text."""
    if not text.startswith(("[", "O")):
        return text
    for position, character in enumerate(text[1:], 1):
        if character.isalpha() or character == "~":
            return text[position + 1 :]
    return ""


def descriptor_of(stream: IO[str] | None) -> int | None:
    """The file descriptor of a stream; None if it has none."""
    if stream is None:
        return None
    try:
        return stream.fileno()
    except (OSError, ValueError):
        return None
