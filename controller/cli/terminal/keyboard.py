"""Reads lines typed at a terminal without blocking the event loop.

While a live view draws the screen, echo and line editing of the terminal are switched off: this
module edits the line, and the view shows the unfinished line (`draft`). Otherwise the terminal
echoes and edits lines itself.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import signal
import termios
from collections.abc import Callable
from contextlib import suppress
from typing import IO

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
