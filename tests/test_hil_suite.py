"""Tests that hil_tests reports left-out tests, broken benches and measurements."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from hil_tests.report import Measurement, Result, page, plot
from hil_tests.targets import target

HOUSE = Path(__file__).parents[1]


def run(*arguments: str) -> str:
    command = [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", *arguments]
    ended = subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, check=False)
    return ended.stdout + ended.stderr


@pytest.mark.slow
def test_a_missing_board_fails_once_and_the_other_tests_are_skipped_with_the_reason() -> None:
    printed = run("hil_tests/test_harness.py", "--target", "serial:/dev/no_such_port")
    assert "1 error" in printed
    reason = "BoardSilentError: port /dev/no_such_port cannot be opened"
    assert f"the bench is broken: {reason}" in printed
    assert "passed" not in printed.splitlines()[-1]
    assert "left out: test_the_emergency_stop_cuts_the_power_and_is_latched" in printed
    assert "its target has no button" in printed


@pytest.mark.slow
def test_every_measurement_is_in_the_page_with_its_limit_and_a_plot(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    options = ("--target", "sim", "--report", str(file), "-k", "pulse")
    assert "3 passed" in run("hil_tests/test_harness.py", *options)
    written = file.read_text("utf-8")
    assert written.count("<svg") == 3
    assert "error of a pulse of 40 ms" in written
    assert "at most 1000 us" in written


@pytest.mark.slow
def test_the_report_contains_date_host_target_and_boards(tmp_path: Path) -> None:
    html, junit = tmp_path / "report.html", tmp_path / "junit.xml"
    options = ("--target", "sim", "--report", str(html), "--junitxml", str(junit), "-k", "pulse")
    today = datetime.now(UTC).date().isoformat()
    assert "3 passed" in run("hil_tests/test_harness.py", *options)
    written = html.read_text("utf-8")
    if f"<td>{today}" not in written:
        today = datetime.now(UTC).date().isoformat()  # it is midnight
    for name, value in (
        ("date", today),
        ("host", platform.node()),
        ("target", "sim"),
        ("board of sim", "SIM00000, firmware 2, build sim"),
    ):
        assert f"<tr><th>{name}</th><td>{value}" in written
    suite = ET.parse(junit).getroot()  # noqa: S314 pytest has just written it
    properties = [each.attrib["value"] for each in suite.iter("property")]
    assert len(properties) == 3
    assert {json.loads(each)["unit"] for each in properties} == {"us"}


def test_a_measurement_beyond_its_limit_is_red_and_in_the_report() -> None:
    late = Measurement("edge to motor off", 300, "us", most=250)
    assert not late.is_within_limits
    assert Measurement("edge to motor off", 250, "us", most=250).is_within_limits
    assert not Measurement("on-time", 1.9, "s", least=1.99).is_within_limits
    assert "#b3261e" in plot(late)
    shown = page([Result("a <test>", "failed", "why & how", (late,))], ["no <hand>"])
    assert "a &lt;test&gt;" in shown
    assert "why &amp; how" in shown
    assert "no &lt;hand&gt;" in shown


@pytest.mark.parametrize("name", ["", "gpio", "serial", "serial:"])
def test_an_unknown_target_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="give sim, emulated, rp2040, serial:PORT or"):
        target(name)


@pytest.mark.slow
def test_an_unknown_target_ends_the_suite_before_its_first_test() -> None:
    printed = run("hil_tests/test_harness.py", "--target", "serial:")
    assert "ERROR: 'serial:' is not a target; give sim, emulated, rp2040" in printed
