"""Faults of the host of a simulated run: power cut, full disk, slow disk, corrupt journal file.

Only faults that a process can inject into itself are simulated. A jump of the wall clock is
recorded without an effect: no duration is measured with that clock.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

from firmware_bridge.sim.faults.injected_fault import InjectedFault
from firmware_bridge.sim.slow_disk import SlowDisk

_CORRUPT_BYTES = b"\xa5" * 512


def host_fault_injector(journal: Path | None, disk: SlowDisk) -> Callable[[InjectedFault], None]:
    """Return a function that injects a fault into this process, its disk or its journal."""

    def inject(injected: InjectedFault) -> None:
        match injected.kind:
            case "power_cut":
                # As in a power cut, no file is closed or flushed and no message is written.
                os.kill(os.getpid(), signal.SIGKILL)
            case "full_disk":
                # A file size limit of 0: no file of this process can grow.
                _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
                resource.setrlimit(resource.RLIMIT_FSIZE, (0, most))
            case "slow_disk":
                disk.sync_s = injected.amount
            case "corrupt_journal" if journal is not None:
                _corrupt(journal)

    return inject


def _corrupt(file: Path) -> None:
    """Overwrite 512 bytes in the middle of the file."""
    with file.open("r+b") as opened:
        opened.seek(file.stat().st_size // 2)
        opened.write(_CORRUPT_BYTES)
