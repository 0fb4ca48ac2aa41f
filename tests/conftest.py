"""Settings for every test: fixed examples for property tests, and the order of the tests."""

from __future__ import annotations

import gc

import pytest
from hypothesis import HealthCheck, settings

# Derandomized, so that a test that has passed passes again. `search` tries new random examples.
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
    items.sort(key=_time_limit, reverse=True)
    for item in items:
        if not _time_limit(item):
            item.add_marker(pytest.mark.xdist_group(item.location[0]))


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection: each full one took up to a second."""
    gc.collect()
    gc.freeze()


def _time_limit(item: pytest.Item) -> float:
    """The time limit of a slow test, seconds; 0 for other tests."""
    if item.get_closest_marker("slow") is None:
        return 0.0
    timeout = item.get_closest_marker("timeout")
    return float(timeout.args[0]) if timeout is not None else 1.0
