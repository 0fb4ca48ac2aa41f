"""`python -m benchmarks [NAME ...]`: measure every claim, or those named, and print one table.

Exit code 1 if a goal was not reached, 2 for an unknown name or a missing package.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

import benchmarks
from benchmarks import Row

FILE_WIDTH = 120
"""Columns of the table if the output is not a terminal."""
VERDICT = {True: "yes", False: "[bold red]no[/]", None: ""}


def main(names: Sequence[str]) -> int:
    """Run the benchmarks of these names, or all; return the exit code."""
    found = _benchmarks()
    unknown = [name for name in names if name not in found]
    if unknown:
        known = ", ".join(found) or "none"
        print(
            f"{', '.join(unknown)} is not a benchmark; the benchmarks are: {known}.",
            file=sys.stderr,
        )
        return 2
    table = Table("benchmark", "claim", "measured", "goal", "reached")
    rows: list[Row] = []
    for name in names or found:
        print(f"measuring {name} ...", file=sys.stderr)
        try:
            measure = importlib.import_module(f"benchmarks.{name}").main
        except ModuleNotFoundError as missing:
            print(
                f"The benchmark {name} needs the package {missing.name}; `make bench` installs it.",
                file=sys.stderr,
            )
            return 2
        for row in measure():
            rows.append(row)
            table.add_row(name, row.claim, row.measured, row.goal, VERDICT[row.met])
        table.add_section()
    console = Console()
    if not console.is_terminal:
        console = Console(width=FILE_WIDTH)
    console.print(table)
    return 1 if any(row.met is False for row in rows) else 0


def _benchmarks() -> tuple[str, ...]:
    """Return the names of the benchmark files with a `main`, which are read but not imported."""
    folder = Path(benchmarks.__path__[0])
    names = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return tuple(
        name
        for name in names
        if "\ndef main(" in (folder / f"{name}.py").read_text("utf-8") and name[0] != "_"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
