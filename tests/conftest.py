"""How every test runs: the same way each time, whatever the machine's speed."""

from __future__ import annotations

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
