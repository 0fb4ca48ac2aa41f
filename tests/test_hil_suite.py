"""Tests that hil_tests reports left-out tests, broken benches and measurements."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from hil_tests.calibration import TIMES, PairCalibration, calibrated, shared_stamp, while_punctual
from hil_tests.harness import MEGA, PICO
from hil_tests.report import Measurement, Result, page, plot
from hil_tests.targets import Bench, target

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
        ("board of sim", "SIM00000, firmware 3, build sim"),
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


def test_a_figure_below_the_resolution_is_not_reported_as_a_number() -> None:
    """The board's reaction was once reported as 0 us, though a wire alone delays 20 us."""
    none = Measurement("edge to motor off", 0, "us", most=100, resolution=25)
    assert none.shown == "below the resolution of 25 us"
    shown = page([Result("a test", "passed", "", (none,))], [])
    assert "below the resolution of 25 us" in shown
    assert ">0 us" not in shown
    assert Measurement("edge to motor off", 41, "us", resolution=25).shown == "41 us"


def test_two_sensors_with_one_time_stamp_are_refused() -> None:
    """A Mega has a stamp for each port; pins 22 to 29 are port A. A Pico has one for all pins."""
    of_port_a = replace(MEGA, inputs=(22, 23, 24, 25, 26, 27, 28))
    refused = shared_stamp(of_port_a, "lit", "forward")
    assert refused is not None
    assert refused.startswith("lit (pin 25) and forward (pin 22) of a mega2560 have one time stamp")
    assert shared_stamp(MEGA, "lit", "forward") is None
    assert shared_stamp(PICO, "lit", "forward") is not None


def test_a_time_that_a_late_computer_has_measured_is_measured_again() -> None:
    """One run of three failed on a busy computer, because its own delay was taken for the board's.

    The board answers within a moment; the computer sleeps in the first two measurements.
    """
    done: list[float] = []

    async def round_trip() -> float:
        begun = time.monotonic()
        await asyncio.sleep(0.001)
        if len(done) < 2:
            time.sleep(0.05)  # noqa: ASYNC251 as a computer that is busy with other programs
        done.append(time.monotonic() - begun)
        return done[-1]

    taken = asyncio.run(while_punctual(round_trip, tries=2000))
    assert len(done) >= 3
    assert done[0] >= 0.05
    assert taken == done[-1]

    async def never() -> float:
        time.sleep(0.05)  # noqa: ASYNC251
        return 0.0

    with pytest.raises(AssertionError, match="was late by more than 3 ms in 4 measurements"):
        asyncio.run(while_punctual(never, tries=4))


def test_limits_of_time_are_not_judged_for_a_program_of_this_computer() -> None:
    end, side = os.openpty()
    assert target(f"serial:{os.ttyname(side)}").is_program
    os.close(side)
    os.close(end)
    assert not target("serial:/dev/ttyACM0").is_program
    late = Measurement("round trip", 45, "ms", most=20, not_judged="it is a program")
    assert late.is_within_limits
    assert late.limits == "at most 20 ms (not judged: it is a program)"
    assert not Measurement("round trip", 45, "ms", most=20).is_within_limits


@pytest.mark.slow
def test_the_resolution_of_the_emulated_board_is_measured_on_its_harness() -> None:
    """Outputs that become safe at once are seen some microseconds apart, or one sample of 20 us.

    The latter happens if a sample lies between them.
    """
    found: list[PairCalibration] = []

    async def scenario(bench: Bench) -> None:
        await bench.board.hold_lease()
        found.append(await calibrated(bench, "lit", "forward"))
        same_port = replace(bench, harness=replace(MEGA, inputs=(22, 23, 24, 25, 26, 27, 28)))
        with pytest.raises(ValueError, match="have one time stamp"):
            await calibrated(same_port, "lit", "forward")

    target("emulated").run(scenario)
    (calibration,) = found
    assert len(calibration.errors) == TIMES
    assert max(map(abs, calibration.errors)) < 25
    assert 21 <= calibration.resolution < 46


@pytest.mark.parametrize("name", ["", "gpio", "serial", "serial:"])
def test_an_unknown_target_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="give sim, emulated, rp2040, serial:PORT or"):
        target(name)


@pytest.mark.slow
def test_an_unknown_target_ends_the_suite_before_its_first_test() -> None:
    printed = run("hil_tests/test_harness.py", "--target", "serial:")
    assert "ERROR: 'serial:' is not a target; give sim, emulated, rp2040" in printed
