"""Adds to pytest the options, targets, features, measurements and report of hil_tests."""

from __future__ import annotations

import asyncio
import json
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hil_tests.hands import hand_named
from hil_tests.harness import harness_in
from hil_tests.report import Measurement, Result, page, repeated
from hil_tests.targets import Bench, Target, settings
from hil_tests.targets import target as target_of

BY_DEFAULT = ("sim", "emulated", "rp2040")
SLOW = frozenset({"rp2040"})
"""Targets whose tests are slow."""
MEASURED = "measured"
LACKING, BOARDS = "lacking", "boards"
_broken: dict[str, str] = {}
"""Targets whose link does not work, and the reason."""
_sound: set[str] = set()
_boards: dict[str, str] = {}
"""Each target's board: the serial number, firmware and build that it has reported."""
_results: list[Result] = []
_lacking: list[str] = []

Measure = Callable[..., None]
TIMES = ("us", "ms", "s")
"""Units of times."""
OF_A_PROGRAM = "the board is a program of this computer, which runs it late when it is busy"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hardware in the loop")
    group.addoption(
        "--target",
        help="target of hil_tests: sim, emulated, rp2040 or serial:PORT; default: the first three",
    )
    group.addoption(
        "--hand",
        help="who presses the contacts of a board on a port: person, or the YAML file of a relay",
    )
    group.addoption("--harness", type=Path, help="the YAML file of another loop-back harness")
    group.addoption("--frames", type=Path, help="write every frame with its time to this file")
    group.addoption("--operator", default="", help="who runs the suite, for the report")
    group.addoption("--report", type=Path, help="write a page of all measurements to this file")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*features): features that a test's target must have")
    try:
        if hand := config.getoption("--hand"):
            settings.hand = hand_named(hand)
        if harness := config.getoption("--harness"):
            settings.harness = harness_in(harness)
        if frames := config.getoption("--frames"):
            settings.frames = frames.open("w", encoding="utf-8")
        if name := config.getoption("--target"):
            target_of(name)
    except (ValueError, OSError) as reason:
        raise pytest.UsageError(str(reason)) from reason


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "target" in metafunc.fixturenames:
        name = metafunc.config.getoption("--target")
        names = [name] if name else BY_DEFAULT
        slow = [pytest.mark.slow]
        targets = [pytest.param(each, marks=slow if each in SLOW else []) for each in names]
        metafunc.parametrize("target", targets, indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests whose target lacks a feature that they need; the report states the reason."""
    lacking = {item: missing for item in items if (missing := _missing(item))}
    _lacking.extend(
        f"{item.name}: its target has no {missing}" for item, missing in lacking.items()
    )
    if lacking:
        config.hook.pytest_deselected(items=list(lacking))
        items[:] = [item for item in items if item not in lacking]


def _missing(item: pytest.Item) -> str:
    calls = getattr(item, "callspec", None)
    marker = item.get_closest_marker("needs")
    if calls is None or marker is None or "target" not in calls.params:
        return ""
    has = target_of(calls.params["target"]).features
    return " and no ".join(sorted(set(marker.args) - has))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for reason in _lacking:
        terminalreporter.write_line(f"left out: {reason}")


@pytest.fixture
def target(request: pytest.FixtureRequest) -> Target:
    """Return a test's target. If its first link check fails, all other tests are skipped."""
    found = target_of(request.param)
    if found.name in _broken:
        pytest.skip(f"the bench is broken: {_broken[found.name]}")
    if found.name not in _sound:
        try:
            found.run(partial(_check_link, found.name))
            if not found.virtual:
                wrong = asyncio.run(found.check_wires())
                assert not wrong, "the harness is wrong: " + "; ".join(wrong)
        except Exception as reason:
            _broken[found.name] = f"{type(reason).__name__}: {reason}"
            raise
        _sound.add(found.name)
    return found


async def _check_link(name: str, bench: Bench) -> None:
    identity = bench.identity
    _boards[name] = f"{identity.serial}, firmware {identity.firmware}, build {identity.build}"
    assert await bench.board.self_test() == 0


@pytest.fixture
def measure(request: pytest.FixtureRequest) -> Measure:
    """Return a function that records a value with its unit and asserts its limits.

    A time of a board that is a program on this computer is recorded and not judged.
    """
    fixture = "target" in request.fixturenames
    tested: Target | None = request.getfixturevalue("target") if fixture else None

    def measured(
        name: str,
        value: float | Sequence[float],
        unit: str,
        most: float | None = None,
        least: float | None = None,
        resolution: float = 0.0,
    ) -> None:
        values = (value,) if isinstance(value, int | float) else tuple(value)
        found = repeated(name, values, unit, most, least, resolution)
        if unit in TIMES and tested is not None and tested.is_program:
            found = replace(found, not_judged=OF_A_PROGRAM)
        request.node.user_properties.append((MEASURED, json.dumps(asdict(found))))
        assert found.is_within_limits, (
            f"{name} is {found.value:g} {unit}; the limit is {found.limits}."
        )

    return measured


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if "hil_tests" not in report.nodeid or (report.when != "call" and report.passed):
        return
    found = [
        Measurement(**json.loads(str(measured)))
        for name, measured in report.user_properties
        if name == MEASURED
    ]
    reason = "" if report.passed else report.longreprtext
    _results.append(Result(report.nodeid, report.outcome, reason, tuple(found)))


def pytest_sessionfinish(session: pytest.Session) -> None:
    worker_output = getattr(session.config, "workeroutput", None)
    if worker_output is not None:
        worker_output[LACKING] = _lacking
        worker_output[BOARDS] = _boards
        return
    file = session.config.getoption("--report")
    if file is not None:
        target = session.config.getoption("--target") or " and ".join(BY_DEFAULT)
        about = _about(target, session.config.getoption("--operator"))
        file.write_text(page(_results, _lacking, about), "utf-8")


def _about(target: str, operator: str) -> dict[str, str]:
    """Return the date, host, target and boards of this run, for the report."""
    system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": f"{platform.node()} ({system})",
        "operator": operator or "not given",
        "target": target,
        **{f"board of {name}": board for name, board in sorted(_boards.items())},
    }


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add the boards and deselected tests of a worker process to those of the main process."""
    output = getattr(node, "workeroutput", {})
    _boards.update(output.get(BOARDS, {}))
    lacking = output.get(LACKING, [])
    _lacking.extend(reason for reason in lacking if reason not in _lacking)
