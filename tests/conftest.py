"""Sets fixed examples for property tests, the order of all tests, and their processes."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, settings

from tests.event_keys import check_emitted_keys
from tests.longest import LONGEST
from tests.processes import Processes
from tests.quick import COSTLY, EVIDENCE_ONLY, VARIANTS
from tests.time_record import TimeRecord

# On small arrays a second thread mostly waits, with a processor that another process could use.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Derandomized, so that a test that has passed passes again. `search` tries new random examples.
settings.register_profile(
    "house",
    deadline=None,
    derandomize=True,
    max_examples=20,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", parent=settings.get_profile("house"), max_examples=12)
settings.register_profile(
    "evidence",
    parent=settings.get_profile("house"),
    derandomize=False,
    max_examples=100,
    database=None,
)
settings.register_profile("search", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile("house")
check_emitted_keys()

# A collection of garbage has to look at every test that was found so far: 1 s in each process.
gc.disable()

GARBAGE = 10_000
"""New objects after which garbage is collected; with Python's 700, rounds take 6 % longer."""

IN_MEMORY, ROOM = "/dev/shm", 2 << 30  # noqa: S108 pytest makes a folder of this user in it
"""A file system in memory, where journals are synced fast, and the bytes to be free on it."""
with suppress(OSError):
    if os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", IN_MEMORY)


# A program in the background, or after nohup, ignores these signals, and so do its children: the
# programs that tests start and stop would never end. With a function, children have the default.
for ignorable in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(ignorable) is signal.SIG_IGN:
        signal.signal(ignorable, lambda *_: None)

DOUBLED = "test_a_table_deals_the_game_and_follows_two_hands"
"""A test of the conformance suite that `tests/controller/run/rounds` repeats with more checks."""
DOUBLED_GAMES = VARIANTS | {"backgammon", "da_san", "filipino", "matador", "pai_gow", "sniff"}
"""Games for which only `make evidence` runs `DOUBLED`; for the others `make test` runs it too."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--processes`."""
    parser.addoption(
        *("--processes",),
        type=int,
        default=1,
        metavar="N",
        help="run the tests in N copies of this process, which searches for them once",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let `build/test_times.csv` record what each test costs, and start the processes."""
    config.pluginmanager.register(TimeRecord(), "time-record")
    if config.getoption("--processes") > 1:
        config.pluginmanager.register(Processes(config.getoption("--processes")), "processes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests for `make evidence` only, and put the longest files and slow tests first.

    A slow test that starts last would leave the other processes idle.
    """
    doubled = {f"{DOUBLED}[{game}]" for game in DOUBLED_GAMES}
    for item in items:
        if item.name in doubled:
            item.add_marker(EVIDENCE_ONLY)
    if settings.get_current_profile_name() != "evidence":
        left_out = [item for item in items if _is_for_evidence_only(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not _is_for_evidence_only(item)]
    for item in items:
        if item.nodeid.partition("[")[0] in COSTLY:
            item.add_marker(pytest.mark.costly)
        if item.name.startswith(DOUBLED) or _is_for_a_variant(item):
            item.add_marker(pytest.mark.slow)
    items.sort(key=_start)


def _is_for_evidence_only(item: pytest.Item) -> bool:
    return any(mark.kwargs.get("only", False) for mark in item.iter_markers("evidence"))


def _is_for_a_variant(item: pytest.Item) -> bool:
    """Whether the test has a game as parameter, and that game is one of `VARIANTS`."""
    if not isinstance(item, pytest.Function) or "rules/dominoes" in item.nodeid:
        return False
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    games = [parameters.get(name) for name in ("game", "plugin", "played", "judged")]
    names = [getattr(game, "name", game) for game in games]
    return any(isinstance(name, str) and name in VARIANTS for name in names)


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection: each collection took up to 1 s."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE)
    gc.enable()


def _start(item: pytest.Item) -> tuple[int, float]:
    """Return the key by which tests are sorted: the place in `LONGEST`, then minus `_time_limit`.

    The processes take whole files in the order of the first test of each.
    """
    file = item.nodeid.partition("::")[0]
    place = LONGEST.index(file) if file in LONGEST else len(LONGEST)
    return place, -_time_limit(item)


def _time_limit(item: pytest.Item) -> float:
    """Return the time limit of a slow test in seconds, and 0 for any other test."""
    if item.get_closest_marker("slow") is None:
        return 0.0
    timeout = item.get_closest_marker("timeout")
    return float(timeout.args[0]) if timeout is not None else 1.0
