"""Where pages for people are shown: a terminal as wide as it is, or a file as wide as it takes."""

from __future__ import annotations

from rich.console import Console

WIDE = 160
"""Columns where no terminal sets a limit, so that a line of a list stays a line for `grep`."""


def screen(*, errors: bool = False) -> Console:
    """Standard output, or standard error where standard output carries something else."""
    console = Console(stderr=errors)
    return console if console.is_terminal else Console(stderr=errors, width=WIDE)
