"""The suite for hardware in the loop says what it left out, and what is broken."""

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
    told = subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, check=False)
    return told.stdout + told.stderr


@pytest.mark.slow
def test_a_board_that_is_not_there_fails_once_and_the_rest_is_skipped_with_the_reason() -> None:
    told = run("hil_tests/test_harness.py", "--target", "serial:/dev/no_such_port")
    assert "1 error" in told
    assert "the bench is broken: BoardSilentError: port /dev/no_such_port cannot be opened" in told
    assert "passed" not in told.splitlines()[-1]
    assert "left out: test_the_emergency_stop_takes_the_power_and_is_latched" in told
    assert "its target has no hand" in told


@pytest.mark.slow
def test_every_measurement_is_in_the_page_with_its_limit_and_a_plot(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    told = run("hil_tests/test_harness.py", "--target", "sim", "--report", str(file), "-k", "pulse")
    assert "3 passed" in told
    written = file.read_text("utf-8")
    assert written.count("<svg") == 3
    assert "a pulse of 40 ms is wrong by" in written
    assert "at most 1000 us" in written


def test_the_report_says_when_where_and_on_which_board_it_was_made(tmp_path: Path) -> None:
    html, junit = tmp_path / "report.html", tmp_path / "junit.xml"
    options = ("--target", "sim", "--report", str(html), "--junitxml", str(junit), "-k", "pulse")
    assert "3 passed" in run("hil_tests/test_harness.py", *options)
    written = html.read_text("utf-8")
    today = datetime.now(UTC).date().isoformat()
    for what, value in (
        ("date", today),
        ("host", platform.node()),
        ("target", "sim"),
        ("board of sim", "SIM00000, firmware 1, build sim"),
    ):
        assert f"<tr><th>{what}</th><td>{value}" in written
    suite = ET.parse(junit).getroot()  # noqa: S314 pytest has just written it
    properties = [each.attrib["value"] for each in suite.iter("property")]
    assert len(properties) == 3
    assert {json.loads(each)["unit"] for each in properties} == {"us"}


def test_a_measurement_beyond_its_limit_is_red_and_told() -> None:
    late = Measurement("edge to motor off", 300, "us", most=250)
    assert not late.holds
    assert Measurement("edge to motor off", 250, "us", most=250).holds
    assert not Measurement("it was on", 1.9, "s", least=1.99).holds
    assert "#b3261e" in plot(late)
    shown = page([Result("a <test>", "failed", "why & how", (late,))], ["no <hand>"])
    assert "a &lt;test&gt;" in shown
    assert "why &amp; how" in shown
    assert "no &lt;hand&gt;" in shown


@pytest.mark.parametrize("name", ["", "gpio", "serial", "serial:"])
def test_a_target_that_there_is_not_is_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(ValueError, match="give sim, emulated or serial:PORT"):
        target(name)


def test_a_target_that_there_is_not_ends_the_suite_before_it_begins() -> None:
    told = run("hil_tests/test_harness.py", "--target", "serial:")
    assert "ERROR: there is no target 'serial:'; give sim, emulated or serial:PORT." in told
