"""Measures how long the service of a table takes from its start to its first answer."""

from __future__ import annotations

import os
import re
import signal
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from benchmarks import Row

TIMES = 10
ANSWER_S = 1.5
"""The goal: seconds from the start of the program to the first answered request."""
COMMAND = (
    str(Path(sys.executable).with_name("wallwright")),
    *("serve", "--sim", "25", "--listen", "127.0.0.1:0"),
)


def main() -> Iterator[Row]:
    """Start the service several times; yield the median times to the first answer."""
    starts = [_start() for _ in range(TIMES)]
    seconds = statistics.median(wall for wall, _ in starts)
    processor = statistics.median(used for _, used in starts)
    yield Row(
        "the service: from its start to the first answered request (median of 10)",
        f"{seconds:.2f} s, of which {processor:.2f} s of the processor",
        f"at most {ANSWER_S} s",
        seconds <= ANSWER_S,
    )


def _start() -> tuple[float, float]:
    """One start: seconds to the first answer, and processor seconds used until then."""
    begun = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - own command
        COMMAND, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        address = re.search(rb"http://[^ ]+/", process.stdout.readline())
        assert address is not None, "The service printed no address."
        with urllib.request.urlopen(address[0].decode(), timeout=30) as page:  # noqa: S310
            page.read()
        return time.perf_counter() - begun, _processor_seconds(process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)


def _processor_seconds(process: int) -> float:
    """Seconds of the processor that a running process has used."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
