"""A small terminal emulator: the text on the screen after a program has written to it.

It supports the sequences that rich writes (lines, carriage returns, cursor up, erased lines,
colours) and fails on any other, so that a new sequence is not read as text.
"""

from __future__ import annotations

import re

_SEQUENCE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")
_IGNORED = "mhl"
"""Sequences for colours, and for a visible or hidden cursor."""


class Screen:
    """Rows of text, including those that have scrolled off the top."""

    def __init__(self, columns: int = 100, height: int = 30) -> None:
        self.columns = columns
        self.height = height
        self.rows: list[list[str]] = [[]]
        self._row = self._column = 0
        self._pending = ""

    def feed(self, text: str) -> None:
        """Process output of the program; an unfinished sequence waits for its end."""
        text = self._pending + text
        self._pending = ""
        position = 0
        while position < len(text):
            character = text[position]
            if character == "\x1b":
                found = _SEQUENCE.match(text, position)
                if found is None:
                    assert len(text) - position < 12, f"unknown: {text[position : position + 12]!r}"
                    self._pending = text[position:]
                    return
                self._execute(found[1], found[2])
                position = found.end()
                continue
            self._write(character)
            position += 1

    @property
    def lines(self) -> list[str]:
        """The visible lines, from the top."""
        return ["".join(row).rstrip() for row in self.rows[-self.height :]]

    @property
    def text(self) -> str:
        """The visible lines as one text."""
        return "\n".join(self.lines)

    @property
    def everything(self) -> str:
        """The visible lines and those that have scrolled off the top."""
        return "\n".join("".join(row).rstrip() for row in self.rows)

    def _write(self, character: str) -> None:
        if character == "\n":
            self._down()
        elif character == "\r":
            self._column = 0
        elif character >= " ":
            if self._column == self.columns:
                self._down()
                self._column = 0
            row = self.rows[self._row]
            row.extend(" " * (self._column + 1 - len(row)))
            row[self._column] = character
            self._column += 1

    def _down(self) -> None:
        self._row += 1
        if self._row == len(self.rows):
            self.rows.append([])

    def _execute(self, parameters: str, function: str) -> None:
        """Execute an escape sequence."""
        number = int(parameters) if parameters.isdecimal() else 1
        if function == "A":
            top = max(0, len(self.rows) - self.height)
            self._row = max(top, self._row - number)
        elif function == "K":
            assert parameters == "2", parameters
            self.rows[self._row] = []
        else:
            assert function in _IGNORED, (parameters, function)
