"""A disk whose syncs take virtual seconds, and which loses what was not synced when power fails.

It carries out file operations as `controller.journal.storage.Storage` describes: each one is done
to the real file when its sync ends, on the simulation's clock and without a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

SECTOR = 512
"""What a disk writes or loses as one piece, bytes."""

Job = Callable[[], None]
Done = Callable[[Sequence[Exception | None]], None]


class SlowDisk:
    """Every sync takes `sync_s` seconds of the running loop's time; 0: it is done at once.

    The time can be changed at any moment; a sync that is under way keeps its own.
    """

    def __init__(self, sync_s: float = 0.0) -> None:
        self.sync_s = sync_s
        self.syncs = 0
        """How many writes have been given so far, all copies of one together."""
        self._under_way: list[tuple[Sequence[Job], Done, asyncio.TimerHandle]] = []

    def carry_out(self, jobs: Sequence[Job], done: Done) -> None:
        """Do these jobs at the same time, each in `sync_s`; then call `done`."""
        self.syncs += 1
        if not self.sync_s:
            done([_outcome(job) for job in jobs])
            return
        timer = asyncio.get_running_loop().call_later(self.sync_s, self._first_ends)
        self._under_way.append((jobs, done, timer))

    def finish(self) -> None:
        """Do what is under way now, without waiting for its time."""
        while self._under_way:
            self._under_way[0][2].cancel()
            self._first_ends()

    def close(self) -> None:
        """Nothing is held."""

    def lose_power(self, chance: Random) -> None:
        """Power fails: of a write that is under way each copy keeps any of its sectors, or none."""
        while self._under_way:
            jobs, _, timer = self._under_way.pop(0)
            timer.cancel()
            for job in jobs:
                _keep_some(job, chance)

    def _first_ends(self) -> None:
        jobs, done, _ = self._under_way.pop(0)
        done([_outcome(job) for job in jobs])


def _outcome(job: Job) -> Exception | None:
    try:
        job()
    except Exception as error:  # noqa: BLE001 it is reported to whoever gave the job
        return error
    return None


def _keep_some(job: Any, chance: Random) -> None:
    """An append of which a random set of sectors has reached the file; other jobs are lost whole.

    What lies beyond the last sector that was kept is cut off; a lost one before it reads as zeros.
    """
    path, text = getattr(job, "path", None), getattr(job, "text", None)
    if not isinstance(path, Path) or not isinstance(text, bytes) or not path.exists():
        return
    begin = path.stat().st_size
    share = chance.choice((0.0, 0.3, 0.7, 1.0))
    with path.open("r+b") as file:
        at = begin
        while at < begin + len(text):
            end = min(begin + len(text), (at // SECTOR + 1) * SECTOR)
            if chance.random() < share:
                file.seek(at)
                file.write(text[at - begin : end - begin])
            at = end
