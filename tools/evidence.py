"""Runs measurements that take hours: `make evidence`, or `python -m tools.evidence [NAME ...]`.

The tests use fixed seeds. This tool draws new seeds from the system's source of randomness. It
prints each command with its seed before it starts, so that a failure can be repeated. The exit code
is 1 if a run failed, 2 for a name that no row of `EVIDENCE` has, 130 after Ctrl-C. A new
measurement is a new row.
"""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

HOUSE = Path(__file__).parent.parent
WALLWRIGHT = (sys.executable, "-m", "controller.cli")
SEEDS = 1_000_000
"""Seeds are drawn below this number."""
ROUNDS = 10_000
RUNS = 2
"""Number of seeds for random rounds; each seed plays `ROUNDS` rounds."""
KILLS = 250
FUZZ_SECONDS = 600
FALSE_MESSAGES = 1_000_000
"""Wrong messages to the host, and as many to whole rounds."""
PHASES = 10_000
"""Presses of the emergency stop for each kind of command."""
BOOTS = 20
"""Rounds on emulated boards that boot through the Mega's bootloader."""
INTERRUPTED = 130
Command = tuple[str, ...]


def chaos(seed: int, jobs: int, reports: Path) -> Command:
    """Return the command that plays random rounds with faults and writes a report as a page."""
    report = reports / f"chaos-{seed}.md"
    return (
        *(*WALLWRIGHT, "chaos", "--rounds", str(ROUNDS), "--seed", str(seed), "--audit"),
        *("--jobs", str(jobs), "--report", str(report)),
    )


def kills(seed: int, jobs: int, reports: Path) -> Command:
    """Return the command that plays rounds while it kills real host processes."""
    return (*WALLWRIGHT, "chaos", "--kill", "--kills", str(KILLS), "--seed", str(seed))


def fuzz(seed: int, jobs: int, reports: Path) -> Command:
    """Return the command that sends arbitrary bytes to the firmware's core, with sanitizers."""
    return _fuzz("fuzz_frames", seed)


def fuzz_pico(seed: int, jobs: int, reports: Path) -> Command:
    """Return the command that sends arbitrary bytes to the Pico's firmware, with sanitizers."""
    return _fuzz("fuzz_frames_rp2040", seed)


def fuzz_storage(seed: int, jobs: int, reports: Path) -> Command:
    """Return the command that cuts the supply of the Pico's storage at arbitrary moments."""
    return _fuzz("fuzz_storage_rp2040", seed)


def fuzz_usb(seed: int, jobs: int, reports: Path) -> Command:
    """Return the command that sends arbitrary packets to the Pico's USB port, with sanitizers."""
    return _fuzz("fuzz_usb_rp2040", seed)


def _fuzz(fuzzer: str, seed: int) -> Command:
    times = (f"FUZZ_SECONDS={FUZZ_SECONDS}", f"FUZZ_SEED={seed}", f"FUZZER={fuzzer}")
    return ("make", "-s", "-C", "firmware_bridge/firmware", "fuzz", *times)


def pico_round(seed: int, jobs: int, reports: Path) -> Command:
    """Return the command that deals a Wenzhou round on four emulated Picos and on two Megas."""
    return (
        *(sys.executable, "-m", "tests.firmware_bridge.firmware.pico_round"),
        *("--seed", str(seed)),
    )


def emergency(seed: int, jobs: int, reports: Path) -> Command:
    """Return the command that presses the emergency stop at 10,000 phases of each command."""
    return (
        *(sys.executable, "-m", "benchmarks.emergency_phases"),
        *("--phases", str(PHASES), "--seed", str(seed), "--jobs", str(jobs)),
    )


def sweep(seed: int, jobs: int, reports: Path) -> Command:
    """Return the command that breaks the beam and presses the stop at every instruction."""
    return (*(sys.executable, "-m", "benchmarks.safety_sweep"), *("--jobs", str(jobs)))


def sweep_pico(seed: int, jobs: int, reports: Path) -> Command:
    """Return the command that does the same on the Pico, at every microsecond."""
    return (*sweep(seed, jobs, reports), "--chip", "pico")


def boots(seed: int, jobs: int, reports: Path) -> Command:
    """Return the command that deals rounds on stock boards that are reset at random moments."""
    return (
        *(sys.executable, "-m", "tests.firmware_bridge.firmware.stock_rounds"),
        *("--rounds", str(BOOTS), "--seed", str(seed)),
    )


def false_messages(seed: int, jobs: int, reports: Path) -> Command:
    """Return the command that sends false messages to the host and to whole rounds."""
    return (
        *(sys.executable, "-m", "tools.false_messages", "--messages", str(FALSE_MESSAGES)),
        *("--real-seconds", "60"),
        *("--seed", str(seed)),
    )


def more_cases(seed: int, jobs: int, reports: Path) -> Command:
    """Return the command that runs the tests of `make test` that try more cases here."""
    return (
        *(sys.executable, "-m", "pytest", "-q", "-n", str(jobs), "-m", "evidence"),
        *("--timeout", "3600", "--hypothesis-profile", "evidence"),
        *("--hypothesis-seed", str(seed)),
    )


EVIDENCE: Mapping[str, tuple[Callable[[int, int, Path], Command], int]] = {
    "chaos": (chaos, RUNS),
    "kills": (kills, 1),
    "fuzz": (fuzz, 1),
    "emergency": (emergency, 1),
    "boots": (boots, 1),
    "false_messages": (false_messages, 1),
    "fuzz_pico": (fuzz_pico, 1),
    "fuzz_storage": (fuzz_storage, 1),
    "pico_round": (pico_round, 1),
    "cases": (more_cases, 1),
    "sweep": (sweep, 1),
    "sweep_pico": (sweep_pico, 1),
    "fuzz_usb": (fuzz_usb, 1),
}
"""By name: the function that returns the command for one seed, and the number of seeds."""


def main(arguments: Sequence[str]) -> int:
    """Run the named measurements, or all if none is named; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.evidence", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"one of {', '.join(EVIDENCE)}; default: all"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes that play in parallel")
    parser.add_argument("--seed", type=int, help="the first seed, instead of new ones")
    parser.add_argument("--reports", type=Path, default=Path("build/evidence"))
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.names if name not in EVIDENCE]:
        print(
            f"There is no measurement '{unknown[0]}'; give {', '.join(EVIDENCE)}, or no name"
            " for all.",
            file=sys.stderr,
        )
        return 2
    given.reports.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in given.names or EVIDENCE:
        command_of, times = EVIDENCE[name]
        for number in range(times):
            seed = secrets.randbelow(SEEDS) if given.seed is None else given.seed + number
            code = _run(name, seed, command_of(seed, given.jobs, given.reports.absolute()))
            if code == INTERRUPTED:
                return INTERRUPTED
            failed += code != 0
    return 1 if failed else 0


def _run(name: str, seed: int, command: Command) -> int:
    """Run one command, pass its output on, and return its exit code."""
    program = command[: len(WALLWRIGHT)]
    words = ("wallwright", *command[len(WALLWRIGHT) :]) if program == WALLWRIGHT else command
    print(f"{name}, seed {seed}: {' '.join(words)}", flush=True)
    began = time.perf_counter()
    # The command is this project's own program or its Makefile, with arguments from this file.
    code = subprocess.run(command, cwd=HOUSE, check=False).returncode  # noqa: S603
    result = "passed" if code == 0 else f"FAILED with exit code {code}"
    print(f"{name}, seed {seed}: {result} after {time.perf_counter() - began:.0f} s", flush=True)
    return code


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
