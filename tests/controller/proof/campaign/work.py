"""Functions of a seed that tests of campaigns compute in other processes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from random import Random


def drawn(seed: int) -> str:
    """Return a text that depends on the seed only."""
    return f"{seed}: {Random(seed).random():.12f}"


def drawn_slowly(seed: int) -> str:
    """Return the same text after a short time."""
    time.sleep(0.1)
    return drawn(seed)


def killing_its_process_once(folder: Path, seed: int) -> str:
    """Kill the process that computes seed 5 the first time."""
    if seed == 5 and not (folder / "killed").exists():
        (folder / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return drawn(seed)


def killing_its_process(seed: int) -> str:
    """Kill the process that computes seed 3, always."""
    if seed == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return drawn(seed)


def failing(seed: int) -> str:
    """Raise ValueError for seed 2."""
    if seed == 2:
        raise ValueError(f"seed {seed} fails")
    return drawn(seed)
