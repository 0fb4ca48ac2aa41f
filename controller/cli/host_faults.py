"""What befalls the host of a simulated run: its power, its disk, its journal's file.

As far as a process can have it happen to itself. Its wall clock it cannot set; nothing here takes
a duration from it, so that a jump only goes on record.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

from firmware_bridge.sim.faults.injection import InjectedFault
from firmware_bridge.sim.slow_disk import SlowDisk

_RUBBISH = b"\xa5" * 512


def host_fault_injector(journal: Path | None, disk: SlowDisk) -> Callable[[InjectedFault], None]:
    """Brings faults of the host about, for a run that keeps this journal on this disk."""

    def befalls(injected: InjectedFault) -> None:
        match injected.kind:
            case "power_cut":
                # Nothing is closed, flushed or said: that is what a power cut is.
                os.kill(os.getpid(), signal.SIGKILL)
            case "full_disk":
                # No file of this process grows any more, as on a disk without room.
                _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
                resource.setrlimit(resource.RLIMIT_FSIZE, (0, most))
            case "slow_disk":
                disk.sync_s = injected.amount
            case "corrupt_journal" if journal is not None:
                _spoil(journal)

    return befalls


def _spoil(file: Path) -> None:
    """Rubbish over the middle of the file, where its pages are."""
    with file.open("r+b") as opened:
        opened.seek(file.stat().st_size // 2)
        opened.write(_RUBBISH)
