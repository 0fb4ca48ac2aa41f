"""Computes a campaign in several processes of this computer."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from controller.proof.campaign.errors import CampaignError
from controller.proof.campaign.stopping import StopFlag, keep_stop, stop_flag

Result = TypeVar("Result")

STARTS = 3
"""How often the processes are started before a campaign gives up."""


def computed_in_processes(
    compute: Callable[[int], Result], seeds: Sequence[int], jobs: int
) -> Iterator[Result]:
    """Yield the results in the order of the seeds.

    If a process is lost, the processes are started again for the seeds whose results are missing.
    Raises CampaignError if that fails `STARTS` times.
    """
    done = 0
    for _ in range(STARTS):
        try:
            for result in _from_one_pool(compute, seeds[done:], jobs):
                done += 1
                yield result
        except BrokenProcessPool:
            continue
        return
    raise CampaignError(
        f"A process of the campaign ended unexpectedly {STARTS} times, last before seed"
        f" {seeds[done]} was done. The computer may have too little memory: use fewer `--jobs`."
    )


def _from_one_pool(
    compute: Callable[[int], Result], seeds: Sequence[int], jobs: int
) -> Iterator[Result]:
    pool = ProcessPoolExecutor(jobs, initializer=_begin_process, initargs=(stop_flag(),))
    with pool as processes:
        try:
            yield from processes.map(compute, seeds)
        finally:
            processes.shutdown(cancel_futures=True)


def _begin_process(stop: StopFlag | None) -> None:
    """Start a process of the pool. It ignores Ctrl-C, which the terminal sends to it as well."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_stop(stop)
