"""Measures how long commands take to start, compared with Python alone."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import Row

TIMES = 7
VERSION_S, OTHER_S = 0.15, 0.4
"""The goals for the start of a command, in seconds."""
WALLWRIGHT = (str(Path(sys.executable).with_name("wallwright")),)
COMMANDS = (
    (("version",), VERSION_S),
    (("plan", "wenzhou", "--throw", "3,5", "--throw", "2,4", "--json"), OTHER_S),
    (("plan", "wenzhou", "--throw", "3,7"), OTHER_S),
    (("plan", "whist"), OTHER_S),
    (("pln",), OTHER_S),
    (("run", "--rounds", "0"), OTHER_S),
    (("run", "--port", "/dev/no-such-port", "--speed", "20"), OTHER_S),
    (("board", "--sim", "robotics", "--pty"), OTHER_S),
    (("replay", "no-such.jsonl"), OTHER_S),
    (("explain", "JAMM"), OTHER_S),
    (("scan", "/dev/no-such-port"), OTHER_S),
)


def main() -> Iterator[Row]:
    """Start each command several times; yield its shortest duration in seconds."""
    bare = _seconds((sys.executable, "-c", "pass"))
    yield Row("python -c pass", f"{bare:.3f} s")
    for words, most in COMMANDS:
        took = _seconds((*WALLWRIGHT, *words))
        yield Row(
            f"wallwright {' '.join(words)}",
            f"{took:.3f} s, {took - bare:.3f} s more than Python alone",
            f"at most {most} s",
            took <= most,
        )


def _seconds(command: Sequence[str]) -> float:
    took = []
    for _ in range(TIMES):
        begun = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - own command
        took.append(time.perf_counter() - begun)
    return min(took)


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
