"""Measures the audit log: appending, verifying 1,000,000 events, sizes of proofs, memory.

Durations are of processor time, so that other programs on the computer do not count. The syncs of
an append are left out: the benchmark replaces them, and appends to a log in memory, because ext4
also writes to the disk when a file is renamed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from benchmarks import Row
from controller.records.audit.bundle import export_bundle
from controller.records.audit.log.audit_log import AuditLog, begun_log
from controller.records.audit.log.event_line import AuditEntry
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import LogReader, checked_log

EVENTS = 1_000_000
APPENDS, BATCH = 2000, 5000
APPEND_US, VERIFY_S, MEMORY_MB = 200, 20.0, 150
IN_MEMORY = "/dev/shm"  # noqa: S108 - a temporary folder of this process is made in it
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)

VERIFY = """
import sys
from controller.records.audit.bundle import verify_bundle
with open(sys.argv[1], "rb") as file:
    print(verify_bundle(file).size)
"""


def entry(number: int) -> AuditEntry:
    """Return a command of a player, as a service records it."""
    details = {"command": "answer", "prompt": f"p1-{number}", "state": "done", "value": "3,5"}
    wall = NOON + timedelta(seconds=number)
    return AuditEntry(
        "command", wall, number, number, f"Player {number % 7}", "player", "192.168.1.20", details
    )


def main() -> Iterator[Row]:
    """Append, export and verify 1,000,000 events."""
    with tempfile.TemporaryDirectory() as folder:
        yield _appending()
        log = begun_log(LogFolder(Path(folder) / "audit"), "pai_gow", entry(0))
        for begin in range(log.size, EVENTS, BATCH):
            log.append([entry(number) for number in range(begin, min(begin + BATCH, EVENTS))])
        log.close()
        reader = checked_log(log.folder)
        yield _proofs(reader)
        bundle = Path(folder) / "bundle"
        with bundle.open("wb") as file:
            export_bundle(reader, file)
        yield from _verification(bundle)


def _appending() -> Row:
    real, os.fdatasync = os.fdatasync, lambda file: None
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        try:
            return _append(begun_log(LogFolder(Path(folder) / "audit"), "pai_gow", entry(0)))
        finally:
            os.fdatasync = real


def _append(log: AuditLog) -> Row:
    entries = [[entry(number)] for number in range(1, APPENDS + 1)]
    durations = []
    for each in entries:
        begun = time.process_time()
        log.append(each)
        durations.append(time.process_time() - begun)
    took = median(durations) * 1e6
    log.close()
    return Row(
        f"append one event and sign a head, without a disk, median of {APPENDS:,}",
        f"{took:.0f} µs",
        f"at most {APPEND_US} µs",
        took <= APPEND_US,
    )


def _proofs(reader: LogReader) -> Row:
    inclusion = max(len(reader.nodes.inclusion(index, EVENTS)) for index in range(0, EVENTS, 9973))
    consistency = max(len(reader.nodes.consistency(old, EVENTS)) for old in range(1, EVENTS, 9973))
    return Row(
        f"the longest proofs of {EVENTS:,} events: inclusion, consistency",
        f"{inclusion} and {consistency} hashes",
        "at most 20 and 21",
        inclusion <= 20 and consistency <= 21,
    )


def _verification(bundle: Path) -> Iterator[Row]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(  # noqa: S603 - own program
        [sys.executable, "-c", VERIFY, str(bundle)], capture_output=True, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert int(done.stdout) == EVENTS
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    size = bundle.stat().st_size / 1e6
    yield Row(
        f"verify a bundle of {EVENTS:,} events ({size:.0f} MB)",
        f"{took:.1f} s",
        f"at most {VERIFY_S:.0f} s",
        took <= VERIFY_S,
    )
    memory = after.ru_maxrss / 1000
    yield Row(
        "memory of the same, whole process",
        f"{memory:.0f} MB",
        f"at most {MEMORY_MB} MB",
        memory <= MEMORY_MB,
    )


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
