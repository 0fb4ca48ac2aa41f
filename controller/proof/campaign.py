"""Campaigns: one function of a seed, computed for a list of independent seeds.

The seeds are computed in this process, in several processes of this computer, or on a Dask cluster
(extra `cluster`). The results come in the order of the seeds in every case, so a report of them is
always the same. Ctrl-C sets a flag that every process of this computer sees.

The workers of a cluster must have the same version of Wallwright installed. Dask computes a seed
again on another worker if its worker is lost. Every wait for the cluster has a limit.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from ctypes import c_bool
from dataclasses import dataclass
from multiprocessing.sharedctypes import RawValue
from typing import Generic, TypeVar

from rules.errors import WallwrightError

Result = TypeVar("Result")


class CampaignError(WallwrightError, RuntimeError):
    """Raised if the computers of a campaign cannot be used; the message gives the next step."""


class StopFlag:
    """A flag in memory that this process shares with those that it starts.

    An event of `multiprocessing` has a lock. A signal that arrives while the process looks at the
    event would block on the lock that the process itself holds. This flag has no lock.
    """

    def __init__(self) -> None:
        self._value = RawValue(c_bool, False)

    def set(self) -> None:
        """Set the flag; a signal handler can do it at any time."""
        self._value.value = True

    def is_set(self) -> bool:
        """Whether the flag was set, by this process or another one."""
        return bool(self._value.value)


_STOP: list[StopFlag] = []
"""The flag that Ctrl-C sets; empty in a process that no campaign uses, as on a cluster."""


def is_stopped() -> bool:
    """Whether Ctrl-C was pressed. A long computation calls this function and then ends early.

    On a cluster it is always False: there a campaign cancels the computations that have not begun.
    """
    return bool(_STOP) and _STOP[0].is_set()


@contextmanager
def until_interrupted() -> Iterator[StopFlag]:
    """Yield a flag that the first Ctrl-C sets; a second Ctrl-C raises KeyboardInterrupt."""
    stop = StopFlag()

    def interrupt(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop.set()

    before = signal.signal(signal.SIGINT, interrupt)
    keep_stop(stop)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
        _STOP.clear()


def stop_flag() -> StopFlag | None:
    """The flag of this process, None outside `until_interrupted`."""
    return _STOP[0] if _STOP else None


def keep_stop(stop: StopFlag | None) -> None:
    """Store the flag in this process."""
    _STOP[:] = [] if stop is None else [stop]


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


CONNECTING = 10.0
"""Time limit for the connection to the scheduler and for its first worker, seconds."""
COMPUTING = 3600.0
"""Time limit for the next result, seconds: a lost cluster ends a campaign, a long seed does not."""
RETRIES = 3
"""How often a seed is computed again after an error of its worker."""


def computed_on_cluster(
    compute: Callable[[int], Result],
    seeds: Sequence[int],
    address: str,
    *,
    limit: float = COMPUTING,
) -> Iterator[Result]:
    """Yield the results in the order of the seeds.

    Raises CampaignError if the scheduler or its workers do not answer in time, and if every worker
    that computes a seed is lost; ModuleNotFoundError without the extra.
    """
    from distributed import CancelledError, Client  # noqa: PLC0415 it takes 0.7 s and an extra
    from distributed.scheduler import KilledWorker  # noqa: PLC0415

    try:
        client = Client(address, timeout=CONNECTING, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError) as unreachable:
        raise CampaignError(
            f"No Dask scheduler answers at '{address}' within {CONNECTING:.0f} s"
            f" ({unreachable}). Give the address that `dask scheduler` prints, for example"
            " tcp://192.168.1.5:8786."
        ) from unreachable
    with client:
        try:
            client.wait_for_workers(1, timeout=CONNECTING)
        except TimeoutError as none:
            raise CampaignError(
                f"The Dask scheduler at '{address}' has no worker; start one on each computer:"
                f" dask worker {address}."
            ) from none
        futures = client.map(compute, seeds, pure=False, retries=RETRIES)
        try:
            for seed, future in zip(seeds, futures, strict=True):
                try:
                    result = future.result(timeout=limit)
                except TimeoutError as late:
                    raise CampaignError(
                        f"The cluster at '{address}' gave no result of seed {seed} within"
                        f" {limit:.0f} s. Check its workers, and run the campaign again."
                    ) from late
                except (KilledWorker, CancelledError) as lost:
                    raise CampaignError(
                        f"The cluster at '{address}' lost every worker that computed seed {seed}."
                        " Check the memory and the connection of its workers, and run the campaign"
                        " again."
                    ) from lost
                yield result
                future.release()
        finally:
            client.cancel(futures)


@dataclass(frozen=True)
class Campaign(Generic[Result]):
    """A list of independent seeds and the function that computes the result of each.

    `compute` must be a function of a module, or a `functools.partial` of one, and depend on its
    seed only: it can be computed in any process, and again after its process was lost. `jobs` is
    the number of processes of this computer; 1 computes here. `cluster` is the address of a Dask
    scheduler, which is used instead.
    """

    compute: Callable[[int], Result]
    seeds: Sequence[int]
    jobs: int = 1
    cluster: str | None = None

    def results(self) -> Generator[Result, None, None]:
        """Yield the result of each seed, in the order of the seeds.

        Raises what `compute` raises, and CampaignError if a process or a cluster is lost. The
        iterator must be closed (`contextlib.closing`) if it is not read to its end.
        """
        if self.cluster is not None:
            yield from computed_on_cluster(self.compute, self.seeds, self.cluster)
        elif self.jobs == 1:
            yield from map(self.compute, self.seeds)
        else:
            yield from computed_in_processes(self.compute, self.seeds, self.jobs)
