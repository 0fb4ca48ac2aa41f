"""The simulated host computer: a disk whose syncs take virtual seconds, and repeatable chance."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

SECTOR = 512
"""Sector size, bytes: a disk writes or loses a whole sector."""
Job = Callable[[], None]
Done = Callable[[Sequence[Exception | None]], None]


class SlowDisk:
    """A disk that implements `controller.run.journal.storage.Storage`, without a thread.

    Each file operation is applied to the real file when its sync ends, on the simulation's clock.
    Unsynced data can be lost. Every sync takes `sync_s` seconds of the running loop's time; with 0
    it ends at once.

    A change of the time does not affect a sync in progress. Without `durable` appended text is not
    synced to the real disk: the files then survive this process, but no power cut of this computer.
    """

    def __init__(self, sync_s: float = 0.0, *, durable: bool = True) -> None:
        self.sync_s = sync_s
        self._durable = durable
        self.syncs = 0
        """The number of writes so far; all copies of a write count as one."""
        self._under_way: list[tuple[Sequence[Job], Done, asyncio.TimerHandle]] = []

    def carry_out(self, jobs: Sequence[Job], done: Done) -> None:
        """Start these jobs together, each taking `sync_s`; then call `done`."""
        self.syncs += 1
        if not self.sync_s:
            done([self._outcome(job) for job in jobs])
            return
        timer = asyncio.get_running_loop().call_later(self.sync_s, self._first_ends)
        self._under_way.append((jobs, done, timer))

    def finish(self) -> None:
        """Complete the jobs in progress now."""
        while self._under_way:
            self._under_way[0][2].cancel()
            self._first_ends()

    def close(self) -> None:
        """Do nothing: the disk holds no resources."""

    def lose_power(self, chance: Random) -> None:
        """Simulate a power failure: each copy of a pending write keeps a random set of sectors."""
        while self._under_way:
            jobs, _, timer = self._under_way.pop(0)
            timer.cancel()
            for job in jobs:
                _keep_some(job, chance)

    def _first_ends(self) -> None:
        jobs, done, _ = self._under_way.pop(0)
        done([self._outcome(job) for job in jobs])

    def _outcome(self, job: Job) -> Exception | None:
        try:
            if self._durable:
                job()
            else:
                getattr(job, "unsynced", job)()
        except Exception as error:  # noqa: BLE001 it is reported to the caller
            return error
        return None


def _keep_some(job: Any, chance: Random) -> None:
    """Apply a random set of the sectors of an append; other jobs are lost completely.

    The file ends after the last sector that was kept; lost sectors before it read as zeros.
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


class SeededChance:
    """Random shares of a simulated table: repeatable, and of no use for a real one.

    Gives for each context the same share of 32 bytes, by the seed and the device's name. Implements
    `controller.run.chance.source.ChanceSource`.
    """

    def __init__(self, seed: int | str, device: str) -> None:
        self._key = f"simulated chance {seed} {device}".encode()

    def share(self, context: str) -> bytes:
        """The share for this context; another context gives an unrelated share."""
        return hmac.digest(self._key, context.encode(), "sha256")
