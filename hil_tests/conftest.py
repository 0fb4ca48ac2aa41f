"""Targets, what they need, measurements and the report."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hil_tests.report import Measurement, Result, page
from hil_tests.targets import Bench, Target
from hil_tests.targets import target as target_of

BY_DEFAULT = ("sim", "emulated")
MEASURED = "measured"
LACKING, BOARDS = "lacking", "boards"
_broken: dict[str, str] = {}
"""Targets whose link does not work at all, and why."""
_sound: set[str] = set()
_boards: dict[str, str] = {}
"""Each target's board: its serial number, firmware and build, as it has said itself."""
_results: list[Result] = []
_lacking: list[str] = []

Measure = Callable[..., None]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hardware in the loop")
    group.addoption(
        "--target", help="what hil_tests drive: sim, emulated or serial:PORT; both of the first two"
    )
    group.addoption("--report", type=Path, help="write a page of all measurements to this file")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*features): what a target must have for a test")
    if asked := config.getoption("--target"):
        try:
            target_of(asked)
        except ValueError as reason:
            raise pytest.UsageError(str(reason)) from reason


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "target" in metafunc.fixturenames:
        asked = metafunc.config.getoption("--target")
        metafunc.parametrize("target", [asked] if asked else BY_DEFAULT, indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test whose target lacks something is deselected, and the report says so."""
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
    for why in _lacking:
        terminalreporter.write_line(f"left out: {why}")


@pytest.fixture
def target(request: pytest.FixtureRequest) -> Target:
    """What is driven; its link has been proved once, or nothing else is tried."""
    found = target_of(request.param)
    if found.name in _broken:
        pytest.skip(f"the bench is broken: {_broken[found.name]}")
    if found.name not in _sound:
        try:
            found.run(partial(_smoke, found.name))
        except Exception as reason:
            _broken[found.name] = f"{type(reason).__name__}: {reason}"
            raise
        _sound.add(found.name)
    return found


async def _smoke(name: str, bench: Bench) -> None:
    said = bench.identity
    _boards[name] = f"{said.serial}, firmware {said.firmware}, build {said.build}"
    assert await bench.board.self_test() == 0


@pytest.fixture
def measure(request: pytest.FixtureRequest) -> Measure:
    """`measure(what, value, unit, most=..., least=...)`: kept for the report, and asserted."""

    def measured(
        what: str,
        value: float,
        unit: str,
        most: float | None = None,
        least: float | None = None,
    ) -> None:
        found = Measurement(what, value, unit, most, least)
        request.node.user_properties.append((MEASURED, json.dumps(asdict(found))))
        assert found.holds, f"{what}: {value:g} {unit}, allowed is {found.limits}"

    return measured


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if "hil_tests" not in report.nodeid or (report.when != "call" and report.passed):
        return
    found = [
        Measurement(**json.loads(str(told)))
        for name, told in report.user_properties
        if name == MEASURED
    ]
    why = "" if report.passed else report.longreprtext
    _results.append(Result(report.nodeid, report.outcome, why, tuple(found)))


def pytest_sessionfinish(session: pytest.Session) -> None:
    told = getattr(session.config, "workeroutput", None)
    if told is not None:
        told[LACKING] = _lacking
        told[BOARDS] = _boards
        return
    file = session.config.getoption("--report")
    if file is not None:
        target = session.config.getoption("--target") or " and ".join(BY_DEFAULT)
        file.write_text(page(_results, _lacking, _about(target)), "utf-8")


def _about(target: str) -> dict[str, str]:
    """When and where this ran, and on which boards."""
    system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": f"{platform.node()} ({system})",
        "target": target,
        **{f"board of {name}": said for name, said in sorted(_boards.items())},
    }


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """What another process has left out (all of them leave out the same)."""
    output = getattr(node, "workeroutput", {})
    _boards.update(output.get(BOARDS, {}))
    told = output.get(LACKING, [])
    _lacking.extend(why for why in told if why not in _lacking)
