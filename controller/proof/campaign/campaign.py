"""A campaign: computes a function for each of a list of seeds, here or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from controller.proof.campaign.dask_cluster import computed_on_cluster
from controller.proof.campaign.process_pool import computed_in_processes

Result = TypeVar("Result")


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
