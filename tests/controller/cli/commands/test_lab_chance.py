"""`wallwright lab chance` prints every test of the source with its p value."""

from __future__ import annotations

import json
from typing import Any

import pytest

from controller.chance.health_tests import EntropyFailureError
from controller.chance.source import OperatingSystemChance
from controller.cli import main


def test_the_report_has_every_test_with_its_corrected_p_value(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OperatingSystemChance, "share", _counted())
    assert main(["lab", "chance", "--cycles", "1000", "--tiles", "16", "--json"]) == 1
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (report["cycles"], report["tiles"], report["passed"]) == (1000, 16, False)
    assert len(report["tests"]) == 20
    assert all(test["corrected_p"] >= test["p"] for test in report["tests"])
    failed = {test["name"] for test in report["tests"] if test["corrected_p"] < 0.01}
    assert {"frequency", "bytes"} <= failed
    assert not [name for name in failed if name.startswith(("dice", "permutations"))]


def test_a_source_that_fails_its_health_tests_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: OperatingSystemChance, context: str) -> bytes:
        raise EntropyFailureError("repetition count: the byte 0 came 6 times in a row")

    monkeypatch.setattr(OperatingSystemChance, "share", fail)
    assert main(["lab", "chance", "--cycles", "1000"]) == 1
    assert "The random source failed: repetition count" in capsys.readouterr().err


def _counted() -> Any:
    """Shares that are consecutive numbers: a bad stream, of which good choices are made."""
    given = 0

    def share(self: OperatingSystemChance, context: str) -> bytes:
        nonlocal given
        given += 1
        return given.to_bytes(32, "big")

    return share
