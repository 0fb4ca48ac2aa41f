"""How every test runs: the same way whatever the machine's speed, and in which order."""

from __future__ import annotations

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins first, or the last process works on alone at the end."""
    items.sort(key=_patience, reverse=True)


def _patience(item: pytest.Item) -> float:
    """How long a test may take, seconds: only slow ones say so."""
    if item.get_closest_marker("slow") is None:
        return 0.0
    timeout = item.get_closest_marker("timeout")
    return float(timeout.args[0]) if timeout is not None else 1.0
