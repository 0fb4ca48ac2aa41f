"""The console of standard output or standard error, with its width and its characters.

`LOOKALIKES` is an error handler for text streams: it replaces characters that the encoding of a
terminal lacks.
"""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from controller.cli.terminal.serial_console import SerialConsole


WIDE = 160
"""Columns without a terminal: wide enough that a row of a list stays one line, for `grep`."""


def screen(*, errors: bool = False) -> SerialConsole:
    """A console on standard output, or with `errors` on standard error."""
    from controller.cli.terminal.serial_console import SerialConsole

    stream = sys.stderr if errors else sys.stdout
    if stream.isatty():
        return SerialConsole(stderr=errors, file=cast(IO[str], _ClosableStream(stream)))
    return SerialConsole(stderr=errors, width=WIDE)


class _ClosableStream:
    """A terminal's stream that discards its output once the terminal is closed.

    A run whose terminal is closed still has to stop the table safely; an exception from an output
    would end the run before that.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError:
            self._discard()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            self._discard()

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def _discard(self) -> None:
        """Redirect the buffered output, and all later output, to the null device."""
        null_device = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null_device, self._stream.fileno())
        os.close(null_device)


LOOKALIKES = "wallwright.lookalikes"
"""The handler's name, for the argument `errors` of `str.encode` and of text streams."""

_ALIKE = {
    "\N{FULL BLOCK}": "#",
    "\N{LOWER HALF BLOCK}": "=",
    "\N{MEDIUM SHADE}": "%",
    "\N{MIDDLE DOT}": ".",
    "\N{BULLET}": "*",
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{RIGHTWARDS ARROW}": "->",
    "\N{GREATER-THAN OR EQUAL TO}": ">=",
    "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{MICRO SIGN}": "u",
    "\N{DEGREE SIGN}": " degrees",
    "\N{PLUS-MINUS SIGN}": "+-",
    "\N{BLACK CIRCLE}": "O",
    "\N{CIRCLE WITH LEFT HALF BLACK}": "o",
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
}
_BY_NAME = (
    ("BOX DRAWINGS LIGHT VERTICAL", "|"),
    ("BOX DRAWINGS HEAVY VERTICAL", "|"),
    ("HORIZONTAL", "-"),
    ("DASH", "-"),
    ("MINUS", "-"),
    ("BOX DRAWINGS", "+"),
)
"""Replacements for characters whose Unicode name contains these words; the first match applies."""


def _lookalike(error: UnicodeError) -> tuple[str, int]:
    """Return the replacement of the characters that cannot be encoded, and where to continue."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_plain(character) for character in missing), error.end


def _plain(character: str) -> str:
    """Return a similar ASCII character, a letter without its accent, or a question mark."""
    if character in _ALIKE:
        return _ALIKE[character]
    bare = unicodedata.normalize("NFKD", character)[0]
    if bare.isascii():
        return bare
    name = unicodedata.name(character, "")
    return next((plain for words, plain in _BY_NAME if words in name), "?")


codecs.register_error(LOOKALIKES, _lookalike)
