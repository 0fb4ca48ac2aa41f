"""Runs a command that prints much, and shows what it does with a line every five seconds.

    python3 tools/progress.py "Installing the packages of the tests" pip install ...

The whole output is in `build/installation.log`. If the command fails, its last lines are printed.
Runs with the Python of the computer, before any package is installed.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

LOG = Path("build") / "installation.log"
EVERY = 5.0
"""Seconds between two lines."""
LAST = 30
"""Lines of a failed command that are printed."""
WIDTH = 100


def run(
    what: str,
    command: Sequence[str],
    log: Path = LOG,
    every: float = EVERY,
    show: Callable[[str], object] = print,
) -> int:
    """Run a command and return its exit code. `what` says what it does, in the shown lines."""
    log.parent.mkdir(parents=True, exist_ok=True)
    last: deque[str] = deque(maxlen=LAST)
    count = 0
    is_over = threading.Event()

    def show_progress() -> None:
        while not is_over.wait(every):
            line = last[-1] if last else "it has printed nothing yet"
            show(f"  {what}, step {count}: {line}"[:WIDTH])

    show(f"{what}.")
    reporter = threading.Thread(target=show_progress, daemon=True)
    with (
        log.open("a", encoding="utf-8") as file,
        subprocess.Popen(  # noqa: S603  it runs what the Makefile names
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        ) as process,
    ):
        assert process.stdout is not None
        reporter.start()
        for line in process.stdout:
            file.write(line)
            if line.strip():
                last.append(line.strip())
                count += 1
    is_over.set()
    reporter.join()
    if process.returncode:
        for line in last:
            show(line)
        show(f"{what} failed with the code {process.returncode}; {log} has all lines.")
    return process.returncode


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.exit(run(sys.argv[1], sys.argv[2:]))
