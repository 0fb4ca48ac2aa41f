"""`python -m tools.wiring TABLE --svg FILE`: draws the wires to the pins of a table's boards."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from config.errors import ConfigErrors
from config.loader import load_table
from controller.upkeep.wiring import leads_of
from tools.wiring.svg import drawing_of


def main(arguments: Sequence[str]) -> int:
    """Draw the table named on the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.wiring", description="Draw the wiring of a table as SVG."
    )
    parser.add_argument("table", help="a table: a name, or a file of your own")
    parser.add_argument("--svg", required=True, help="the file to write; - is standard output")
    parser.add_argument("--board", help="draw this board only")
    given = parser.parse_args(arguments)
    try:
        table = load_table(given.table)
    except ConfigErrors as errors:
        print(errors, file=sys.stderr)
        return 2
    boards = [board for board in leads_of(table) if given.board in (None, board.name)]
    if not boards:
        there = ", ".join(table.boards)
        print(f"There is no board {given.board!r}; give one of {there}.", file=sys.stderr)
        return 2
    text = drawing_of(table, boards if given.board else None)
    if given.svg == "-":
        sys.stdout.write(text)
        return 0
    try:
        Path(given.svg).write_text(text, encoding="utf-8")
    except OSError as error:
        why = f"The drawing cannot be written to {given.svg!r} ({error.strerror})"
        print(f"{why}; name a writable file.", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
