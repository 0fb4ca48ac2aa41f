"""Errors of the command line, reported before anything moves."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TextIO

from rules.errors import WallwrightError


class BadInputError(WallwrightError, ValueError):
    """A command line that cannot be executed. The text has the value, the rule and a next step."""


def unknown_name(kind: str, given: str, known: Iterable[str]) -> str:
    """The error for an unknown name: it names the most similar known name, or all known names."""
    names = list(known)
    close = get_close_matches(given.lower(), names, n=1)
    if close:
        return f"There is no {kind} '{given}'; did you mean '{close[0]}'?"
    return f"There is no {kind} '{given}'; there are {', '.join(names)}."


def as_sentence(error: Exception) -> str:
    """The text of an error, with a capital letter at its beginning."""
    text = str(error)
    return text[:1].upper() + text[1:]


def no_journal(journal: Path) -> str:
    """The error for a journal of which no copy exists."""
    return f"There is no journal {journal}; name a file that 'run --journal FILE' has written."


ERROR_LEVEL = "<3>"
"""The beginning of a line that the journal of systemd stores with the level `err`."""


def print_error(message: str) -> None:
    """Print a message to standard error; a closed standard error is ignored.

    If standard error goes to the journal of systemd, every line begins with its level.
    """
    with suppress(OSError):
        if _is_system_journal(sys.stderr):
            message = "\n".join(f"{ERROR_LEVEL}{line}" for line in message.splitlines())
        print(message, file=sys.stderr, flush=True)


def _is_system_journal(stream: TextIO) -> bool:
    """Whether a stream is the one that systemd names in JOURNAL_STREAM: DEVICE:INODE."""
    named = os.environ.get("JOURNAL_STREAM")
    if not named:
        return False
    try:
        state = os.fstat(stream.fileno())
    except (OSError, ValueError):  # a stream without a file, as in tests
        return False
    return named == f"{state.st_dev}:{state.st_ino}"
