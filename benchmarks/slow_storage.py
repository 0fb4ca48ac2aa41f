"""Measures how much longer a round takes on a slow SD card, and how late leases are renewed.

The round runs in virtual time with the simulated disk, and in real time with a virtual board in its
own process, `wallwright run` on its port, and a delay added to `os.fdatasync`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import Row
from benchmarks.played import played

SYNC_S = 0.1
"""Duration of a sync on a worn card; cards in use take 0.02 to 0.2 s."""
MOST = 1.10
LATEST_MS = 20.0
ROUNDS = 5
WALLWRIGHT = (sys.executable, "-m", "controller.cli")

HOST = """
import json, os, sys, time
from controller.cli import main
from firmware_bridge.boards.lease import Lease

delay, sync, renew, late, syncs = float(sys.argv[1]), os.fdatasync, Lease._renew, [], 0

def delayed_sync(file):
    global syncs
    syncs += 1
    time.sleep(delay)
    sync(file)

def timed_renewal(lease):
    if lease._renewal is not None:
        late.append(lease._loop.time() - lease._renewal.when())
    renew(lease)

os.fdatasync, Lease._renew = delayed_sync, timed_renewal
code = main(sys.argv[3:])
with open(sys.argv[2], "w") as file:
    json.dump({"code": code, "late": late, "syncs": syncs}, file)
"""


def main() -> Iterator[Row]:
    """Measure the `top` cycle on a fast and on a slow disk, and the latest renewal of a lease."""
    yield from _virtual()
    with tempfile.TemporaryDirectory() as folder:
        fast, slow = (_real(Path(folder) / f"{delay}", delay) for delay in (0.0, SYNC_S))
    ratio = slow["top"] / fast["top"]
    yield Row(
        f"cycle top in real time with {SYNC_S * 1000:.0f} ms a sync, compared with no delay",
        f"{slow['top']:.2f} s and {fast['top']:.2f} s: {ratio:.3f} x, {slow['syncs']:.0f} syncs,"
        f" {slow['pauses']:.0f} pauses",
        f"at most {MOST} x, no pause",
        ratio <= MOST and not slow["pauses"],
    )
    yield Row(
        f"a lease's latest renewal in that round, of {slow['renewals']:.0f}",
        f"{slow['late'] * 1000:.1f} ms late; {fast['late'] * 1000:.1f} ms without the delay",
        f"at most {LATEST_MS:.0f} ms",
        slow["late"] * 1000 <= LATEST_MS,
    )


def _virtual() -> Iterator[Row]:
    fast = played("--rounds", str(ROUNDS), "--seed", "7")["cycle_s"]["top"]
    for sync_s in (SYNC_S, 0.25):
        fault = f"slow_disk:host@0~{sync_s}"
        slow = played("--rounds", str(ROUNDS), "--seed", "7", "--fault", fault)["cycle_s"]["top"]
        yield Row(
            f"cycle top in virtual time with {sync_s * 1000:.0f} ms a sync, {ROUNDS} rounds",
            f"{slow:.2f} s and {fast:.2f} s: {slow / fast:.3f} x",
            f"at most {MOST} x",
            slow <= MOST * fast,
        )


def _real(folder: Path, delay: float) -> dict[str, float]:
    """Play one round until ready, with `delay` seconds added to each sync; return its figures."""
    folder.mkdir()
    measured, events = folder / "measured", folder / "events"
    with _board() as port:
        subprocess.run(  # noqa: S603 - the project's own program
            (
                *(sys.executable, "-c", HOST, str(delay), str(measured)),
                *("run", "--port", port, "--allow-simulated", "--until", "ready"),
                *("--journal", str(folder / "journal"), "--events", str(events)),
            ),
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    log = [json.loads(line) for line in events.read_text("utf-8").splitlines()]
    host = json.loads(measured.read_text("utf-8"))
    return {
        "top": log[-1]["cycle_s"]["top"],
        "pauses": sum(event["event"] == "paused" for event in log),
        "late": max(host["late"]),
        "renewals": len(host["late"]),
        "syncs": host["syncs"],
    }


@contextmanager
def _board() -> Iterator[str]:
    """Run a virtual board in its own process; yields its port."""
    command = (*WALLWRIGHT, "board", "--sim", "robotic", "--pty", "--seed", "7")
    with subprocess.Popen(  # noqa: S603 - the project's own program
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as board:
        assert board.stdout is not None
        yield board.stdout.readline().strip()
        board.terminate()


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
