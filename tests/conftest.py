"""How every test runs: the same way whatever the machine's speed, and in which order."""

from __future__ import annotations

import gc

import pytest
from hypothesis import HealthCheck, settings

# Derandomized: a test that passed passes again. `search` looks for what no run has tried yet.
settings.register_profile(
    "house",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", parent=settings.get_profile("house"), max_examples=20)
settings.register_profile("search", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile("house")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put slow tests first, and keep the quick tests of a file in one process (`loadgroup`).

    A slow test that starts last would keep one process busy while the others are idle. The tests
    of a file share simulated rounds, which each other process would have to play again.
    """
    items.sort(key=_patience, reverse=True)
    for item in items:
        if not _patience(item):
            item.add_marker(pytest.mark.xdist_group(item.location[0]))


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection: each full one took up to a second."""
    gc.collect()
    gc.freeze()


def _patience(item: pytest.Item) -> float:
    """How long a test may take, seconds: only slow ones say so."""
    if item.get_closest_marker("slow") is None:
        return 0.0
    timeout = item.get_closest_marker("timeout")
    return float(timeout.args[0]) if timeout is not None else 1.0
