"""Lines typed at a terminal, read without blocking the event loop.

While a live view draws the screen, the terminal neither echoes nor edits: this module does both,
and the view shows the unfinished line (`draft`). Otherwise the terminal edits lines itself.
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

PIECE = 4096
ERASE = ("\x7f", "\b")
ERASE_LINE, END_OF_INPUT, ESCAPE = "\x15", "\x04", "\x1b"
_LOCAL_FLAGS = 3
"""Where `termios.tcgetattr` keeps the flags of echo and line editing."""


class Keyboard:
    """One source of lines: a terminal, or a pipe that carries prepared answers.

    `take` gets every finished line, and None at the end of the input; `changed` is called when
    the draft has changed. With `drawn` the caller shows the draft.
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
        """The line that is being typed, as far as it has come; only where it is `drawn`."""
        self.is_terminal = os.isatty(descriptor)
        self.wants: Callable[[], bool] = lambda: True
        """Whether a line from a pipe may be taken now. A terminal's lines always are."""
        self._descriptor = descriptor
        self._take = take
        self._changed = changed
        self._drawn = drawn and self.is_terminal
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        """What was read and not taken yet."""
        self._ended = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._modes: list[object] | None = None
        """The terminal's modes before this module changed them."""

    def open(self) -> None:
        """Begin to read. Raises OSError or ValueError for a file, which cannot be waited for."""
        if self._loop is not None:
            return
        loop = asyncio.get_running_loop()
        loop.add_reader(self._descriptor, self._read)
        self._loop = loop
        if self._drawn:
            self._take_over()
            # A shell that suspended this process may have changed the modes meanwhile.
            loop.add_signal_handler(signal.SIGCONT, self._take_over)

    def close(self) -> None:
        """Stop reading; the terminal echoes and edits again."""
        if self._loop is None:
            return
        self._loop.remove_reader(self._descriptor)
        if self._drawn:
            self._loop.remove_signal_handler(signal.SIGCONT)
        self._loop = None
        if self._modes is not None:
            with suppress(termios.error):  # the terminal may be gone
                termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._modes)  # type: ignore[arg-type]
            self._modes = None

    def forget(self) -> None:
        """Discard what a person has typed up to now. Answers from a pipe are kept."""
        if not self.is_terminal:
            return
        self.draft = self._text = ""
        self._decoder.reset()
        with suppress(termios.error):  # the terminal may be gone
            termios.tcflush(self._descriptor, termios.TCIFLUSH)

    def pump(self) -> None:
        """Take the lines of a pipe that came before they were wanted."""
        if not self.is_terminal:
            self._take_lines()

    def _take_over(self) -> None:
        """Switch off echo and line editing; Ctrl-C keeps its meaning."""
        if _in_background(self._descriptor):
            return  # a process in the background that changes modes would be suspended
        with suppress(termios.error):
            modes = termios.tcgetattr(self._descriptor)
            if self._modes is None:
                self._modes = list(modes)
            modes[_LOCAL_FLAGS] &= ~(termios.ECHO | termios.ICANON)
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, modes)

    def _read(self) -> None:
        try:
            piece = os.read(self._descriptor, PIECE)
        except OSError:
            piece = b""  # the terminal was closed
        self._text += self._decoder.decode(piece)
        if not piece and not self._ended:
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
        """Every character by itself: `forget` may be called in between."""
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
    """Whether another process group has this terminal, if it is the controlling one at all."""
    try:
        return os.tcgetpgrp(terminal) != os.getpgrp()
    except OSError:
        return False


def _after_sequence(text: str) -> str:
    """The text without the rest of a key's escape sequence, such as an arrow's `[A`."""
    if not text.startswith(("[", "O")):
        return text
    for position, character in enumerate(text[1:], 1):
        if character.isalpha() or character == "~":
            return text[position + 1 :]
    return ""


def descriptor_of(stream: IO[str] | None) -> int | None:
    """The file descriptor behind a stream; None where there is none."""
    if stream is None:
        return None
    try:
        return stream.fileno()
    except (OSError, ValueError):
        return None
