"""What the command line refuses before anything moves."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches

from rules.errors import WallwrightError


class BadInputError(WallwrightError, ValueError):
    """A command line that cannot be obeyed: one sentence, and what to do."""


def unknown_name(kind: str, given: str, known: Iterable[str]) -> str:
    """A sentence that leads from a misspelt name to the one that was meant, or to all there are."""
    names = list(known)
    close = get_close_matches(given.lower(), names, n=1)
    if close:
        return f"There is no {kind} '{given}'; did you mean '{close[0]}'?"
    return f"There is no {kind} '{given}'; there are {', '.join(names)}."


def print_error(words: str) -> None:
    """Write a sentence to standard error; where that is gone, nobody reads it."""
    with suppress(OSError):
        print(words, file=sys.stderr, flush=True)
