"""`wallwright lab chance` prints every test of the source with its p value."""

from __future__ import annotations

import json
from typing import Any

import pytest

from controller.cli import main
from controller.run.chance import laboratory
from controller.run.chance.bit_tests import StreamTest
from controller.run.chance.laboratory import Results
from controller.run.chance.source import EntropyFailureError, OperatingSystemChance


def test_the_report_has_every_test_with_its_corrected_p_value(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OperatingSystemChance, "share", _counted())
    assert main(["lab", "chance", "--cycles", "1000", "--tiles", "16", "--json"]) == 1
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (report["cycles"], report["tiles"], report["passed"]) == (1000, 16, False)
    assert len(report["tests"]) == 22
    assert all(test["corrected_p"] >= test["p"] for test in report["tests"])
    failed = {test["name"] for test in report["tests"] if test["corrected_p"] < 0.01}
    assert {"frequency", "bytes"} <= failed
    assert report["failed"] == [test["name"] for test in report["tests"] if test["name"] in failed]
    assert report["false_alarm_rate"] == pytest.approx(1 / 9901, rel=1e-3)
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


@pytest.mark.parametrize(
    ("first", "second", "code", "sentence"),
    [
        (0.5, None, 0, "All tests pass."),
        (1e-4, 0.5, 0, "what failed in the first sample passes in a second one"),
        (1e-4, 1e-3, 1, "is bad; these tests fail: bytes"),
        (1e-9, None, 1, "is bad; these tests fail: bytes"),
    ],
)
def test_the_verdict_is_in_words_with_the_rate_of_false_alarms(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    first: float,
    second: float | None,
    code: int,
    sentence: str,
) -> None:
    def samples(draw: object) -> tuple[Results, Results]:
        return _failing_with(first), Results() if second is None else _failing_with(second)

    monkeypatch.setattr(laboratory, "examine_samples", samples)
    assert main(["lab", "chance", "--cycles", "1000"]) == code
    printed = " ".join(capsys.readouterr().out.split())
    assert sentence in printed
    assert "An ideal source fails this command at most once in 9,900 runs." in printed
    assert ("second sample of the same size" in printed) == (second is not None)


def _failing_with(p: float) -> Results:
    return Results.of((StreamTest("bytes", "every byte equally often", 1.0, p),))
