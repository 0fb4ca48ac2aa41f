"""Computes a campaign on a Dask cluster. Needs the extra `cluster`.

The workers must have the same version of Wallwright installed. Dask computes a seed again on
another worker if its worker is lost. Every wait for the cluster has a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from controller.proof.campaign.errors import CampaignError

Result = TypeVar("Result")

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
