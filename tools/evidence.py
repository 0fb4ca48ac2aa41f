"""Evidence that takes hours: `make evidence`, or `python -m tools.evidence [NAME ...]`.

The tests play fixed seeds. This plays new ones, drawn from the system's source of randomness, and
prints each command with its seed before it starts, so that a failure can be played again. The exit
code is 1 if one of the runs failed, 2 for a name that no row of `EVIDENCE` has, 130 after Ctrl-C.
A new kind of evidence is a new row.
"""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

WALLWRIGHT = (sys.executable, "-m", "controller.cli")
SEEDS = 1_000_000
"""Seeds are drawn below this number."""
ROUNDS = 10_000
RUNS = 2
"""Seeds of random rounds, each of so many rounds."""
KILLS = 250
INTERRUPTED = 130
Command = tuple[str, ...]


def chaos(seed: int, jobs: int, reports: Path) -> Command:
    """Random rounds under random faults, with their report as a page."""
    report = reports / f"chaos-{seed}.md"
    return (
        *("chaos", "--rounds", str(ROUNDS), "--seed", str(seed)),
        *("--jobs", str(jobs), "--report", str(report)),
    )


def kills(seed: int, jobs: int, reports: Path) -> Command:
    """Host processes that are killed for real."""
    return ("chaos", "--kill", "--kills", str(KILLS), "--seed", str(seed))


EVIDENCE: Mapping[str, tuple[Callable[[int, int, Path], Command], int]] = {
    "chaos": (chaos, RUNS),
    "kills": (kills, 1),
}
"""By name: the command for one seed, and how many seeds are taken."""


def main(arguments: Sequence[str]) -> int:
    """Collect the evidence that is named, or all of it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.evidence", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(EVIDENCE)}")
    parser.add_argument("--jobs", type=int, default=2, help="processes that play at once")
    parser.add_argument("--seed", type=int, help="the first seed, instead of new ones")
    parser.add_argument("--reports", type=Path, default=Path("build/evidence"))
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.names if name not in EVIDENCE]:
        print(
            f"'{unknown[0]}' is no evidence; give {' or '.join(EVIDENCE)}, or nothing for all.",
            file=sys.stderr,
        )
        return 2
    given.reports.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in given.names or EVIDENCE:
        command_of, times = EVIDENCE[name]
        for number in range(times):
            seed = secrets.randbelow(SEEDS) if given.seed is None else given.seed + number
            code = _run(name, seed, command_of(seed, given.jobs, given.reports))
            if code == INTERRUPTED:
                return INTERRUPTED
            failed += code != 0
    return 1 if failed else 0


def _run(name: str, seed: int, command: Command) -> int:
    """One run, its output passed on; its exit code."""
    print(f"{name}, seed {seed}: wallwright {' '.join(command)}", flush=True)
    began = time.perf_counter()
    # This very program, with arguments of this file.
    code = subprocess.run((*WALLWRIGHT, *command), check=False).returncode  # noqa: S603
    result = "passed" if code == 0 else f"FAILED with exit code {code}"
    print(f"{name}, seed {seed}: {result} after {time.perf_counter() - began:.0f} s", flush=True)
    return code


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
