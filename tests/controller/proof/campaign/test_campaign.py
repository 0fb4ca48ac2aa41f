from __future__ import annotations

import gc
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import dask
import distributed
import pytest

from controller.cli import main
from controller.proof.campaign import Campaign, CampaignError, computed_on_cluster
from tests.controller.proof.campaign.work import (
    drawn,
    drawn_slowly,
    failing,
    killing_its_process,
    killing_its_process_once,
)

SEEDS = range(20, 0, -1)


def report(compute: Callable[[int], str], jobs: int = 1, cluster: str | None = None) -> bytes:
    """Return a report of all results, as bytes."""
    return json.dumps(list(Campaign(compute, SEEDS, jobs, cluster).results())).encode()


def test_two_processes_give_the_same_report_as_one() -> None:
    assert report(drawn, jobs=2) == report(drawn)


def test_a_lost_process_is_replaced_and_the_report_stays_the_same(tmp_path: Path) -> None:
    assert report(partial(killing_its_process_once, tmp_path), jobs=2) == report(drawn)
    assert (tmp_path / "killed").exists()


def test_a_process_that_is_lost_every_time_ends_the_campaign_with_its_seed() -> None:
    with pytest.raises(CampaignError, match=r"3 times, last before seed \d+ was done"):
        report(killing_its_process, jobs=2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_a_seed_reaches_the_caller(jobs: int) -> None:
    with pytest.raises(ValueError, match="seed 2 fails"):
        report(failing, jobs=jobs)


@pytest.fixture
def _busy_computer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the cluster answer late, and collect what it leaves, whose warnings no test expects."""
    monkeypatch.setattr("controller.proof.campaign.CONNECTING", 120.0)
    yield
    gc.collect()


@pytest.mark.usefixtures("_busy_computer")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::Warning")
def test_a_cluster_with_a_killed_worker_gives_the_same_report_as_one_process() -> None:
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        scheduler_port=0,
    ) as cluster:
        victim = next(iter(cluster.workers.values())).pid
        killed = threading.Thread(target=_kill_soon, args=(victim,))
        killed.start()
        from_cluster = report(drawn_slowly, cluster=cluster.scheduler_address)
        killed.join()
    assert from_cluster == report(drawn)


@pytest.mark.usefixtures("_busy_computer")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::Warning")
def test_a_seed_that_ends_every_worker_of_a_cluster_is_one_sentence() -> None:
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=None, scheduler_port=0
        ) as cluster,
        pytest.raises(CampaignError, match="lost every worker that computed seed 3"),
    ):
        list(Campaign(killing_its_process, [3], cluster=cluster.scheduler_address).results())


def _kill_soon(process: int) -> None:
    time.sleep(0.5)
    os.kill(process, signal.SIGKILL)


def test_a_scheduler_that_does_not_answer_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.proof.campaign.CONNECTING", 0.5)
    with pytest.raises(CampaignError, match=r"No Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        list(computed_on_cluster(drawn, SEEDS, "tcp://127.0.0.1:9"))


def test_an_address_that_is_none_is_one_sentence() -> None:
    with pytest.raises(CampaignError, match="No Dask scheduler answers at 'nonsense://x'"):
        list(computed_on_cluster(drawn, SEEDS, "nonsense://x"))


def test_a_missing_extra_is_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    command = ["chaos", "--rounds", "3", "--cluster", "tcp://127.0.0.1:9"]
    assert main(command) == 2
    assert "pip install 'wallwright[cluster]'" in capsys.readouterr().err
