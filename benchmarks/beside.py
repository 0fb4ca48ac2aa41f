"""Runs a measurement on this tree and on an earlier commit, alternately, on the same machine."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BEFORE = "4cb9a42da9"
"""The last commit before the rules were optimised for speed."""
TURNS = 3
ROOT = Path(__file__).parent.parent


def rates(module: str, *options: str, commit: str = BEFORE) -> tuple[float, float | None]:
    """Return the rates that `benchmarks/MODULE.py --measure` prints for this tree and a commit.

    Each rate is the highest of several runs. The second is None if the commit is missing, as in
    an unpacked release. Only the commit's `rules` are used.
    """
    with _tree(commit) as before:
        here = there = 0.0
        for _ in range(TURNS):
            here = max(here, _measured(ROOT, module, *options))
            if before is not None:
                there = max(there, _measured(before, module, *options))
        return here, there if before is not None else None


def compared(here: float, there: float | None) -> str:
    """Return the rates of this tree and of the commit, and their ratio, as text for a row."""
    if there is None:
        return f"{here:,.0f}"
    return f"{here:,.0f}; before {there:,.0f} ({here / there:.1f} x)"


@contextmanager
def _tree(commit: str) -> Iterator[Path | None]:
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(  # noqa: S603 - only the commit varies
            ["git", "archive", commit, "rules"],  # noqa: S607 - the one of this machine
            cwd=ROOT,
            capture_output=True,
            check=False,
        )
        if archive.returncode:
            yield None
            return
        subprocess.run(  # noqa: S603 - only the folder varies
            ["tar", "-x", "-C", folder],  # noqa: S607 - the one of this machine
            input=archive.stdout,
            check=True,
        )
        yield Path(folder)


def _measured(tree: Path, module: str, *options: str) -> float:
    # The file is run by its path, because an earlier commit has no such benchmark.
    script = ROOT / "benchmarks" / f"{module}.py"
    done = subprocess.run(  # noqa: S603 - a file of this folder
        [sys.executable, "-P", str(script), "--measure", *options],
        env={**os.environ, "PYTHONPATH": str(tree)},
        cwd=tree,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)
