"""Runs the suite of this folder against the firmware's host process, with wires and a hand.

The process has a pseudo-terminal like a board's port. Its hand is a relay card on another
pseudo-terminal, whose bytes this file carries to the process as commands.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from firmware_bridge.commissioning.device_keys import DeviceKeys
from hil_tests.harness import MEGA
from hil_tests.targets import FIRMWARE, _build

KEY = bytes(range(32))
SERIAL = "HOST0001"
WAIT = 120
ATTEMPTS = 3
"""A suite in real time is repeated against a new host process if the computer was too busy: a lease
of 2 s expires while neither process runs. Its times are not judged (`Target.is_program`)."""
RELAY = """
port: {port}
text: true
settle: 0.5
actions:
  emergency: {{press: pin 20 1, release: pin 20 0}}
  curtain: {{press: pin 21 1, release: pin 21 0}}
  reset: {{press: reset 3, release: nothing}}
  power: {{press: power, release: nothing}}
"""


@contextmanager
def wired_host(folder: Path, wires: dict[int, int]) -> Iterator[tuple[str, Path]]:
    """Start the host process with these wires; yield its port and the file of its relay card."""
    _build("host")
    program = FIRMWARE / "build" / "host" / "wallwright-host"
    options: list[str] = []
    for start, end in wires.items():
        options += ["--wire", f"{start}:{end}"]
    command = [str(program), "--pty", "--serial", SERIAL, "--key", KEY.hex(), *options]
    far, near = pty.openpty()
    tty.setraw(near)
    relay = folder / "relay.yaml"
    relay.write_text(RELAY.format(port=os.ttyname(near)), "utf-8")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as board:
        assert board.stdout is not None
        assert board.stdin is not None
        commands = board.stdin

        def carry() -> None:
            with suppress(OSError):  # the process has ended
                while data := _read(far):
                    commands.write(data.replace(b"nothing\n", b""))
                    commands.flush()

        carrier = threading.Thread(target=carry, daemon=True)
        carrier.start()
        try:
            yield board.stdout.readline().decode().strip(), relay
        finally:
            board.terminate()
            os.close(near)
            carrier.join(60.0)
            os.close(far)


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""  # the other end was closed


def run_suite(
    folder: Path, port: str, relay: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """Run the suite in a process of its own, with the key of the host process.

    A suite that takes longer than `WAIT` has failed. It ends with its first failed test.
    """
    settings = folder / "config"
    keys = DeviceKeys(settings / "wallwright" / "keys")
    keys.remember(SERIAL, KEY)
    command = (
        *(sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:xdist", "-p", "no:cacheprovider"),
        *("hil_tests/test_harness.py", "hil_tests/test_hand.py"),
        *("--target", f"serial:{port}", "--hand", str(relay), *options),
    )
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=WAIT,
            check=False,
            env={**os.environ, "XDG_CONFIG_HOME": str(settings)},
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, f"not ended within {WAIT} s", "")


@pytest.mark.slow
@pytest.mark.timeout(ATTEMPTS * (WAIT + 30))
def test_the_whole_suite_passes_against_the_wired_host_process(tmp_path: Path) -> None:
    report, frames = tmp_path / "report.html", tmp_path / "frames.jsonl"
    for _ in range(ATTEMPTS):
        frames.unlink(missing_ok=True)
        with wired_host(tmp_path, MEGA.loops) as (port, relay):
            run = run_suite(
                tmp_path,
                port,
                relay,
                *("--report", str(report), "--frames", str(frames), "--operator", "the test suite"),
                *("--deselect", STEPS),
            )
        if run.returncode == 0:
            break
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    page = report.read_text("utf-8")
    for text in (
        SERIAL,
        "the test suite",
        "standard deviation",
        "below the resolution of",
        "not judged",
    ):
        assert text in page
    logged = [json.loads(line) for line in frames.read_text("utf-8").splitlines()]
    assert {line["from"] for line in logged} == {"host", "board"}
    assert any("Configure" in frame for line in logged for frame in line["frames"])


STEPS = "hil_tests/test_harness.py::test_every_step_of_an_axis_is_counted_by_a_sensor"
"""The virtual processor of the host process makes no step pulses on its pins."""


@pytest.mark.slow
@pytest.mark.timeout(ATTEMPTS * (WAIT + 30))
@pytest.mark.parametrize(
    ("wires", "defect"),
    [
        (
            {**MEGA.loops, 5: 40},
            "lit (pin 37) is high while every output is off; its wire is missing",
        ),
        ({**MEGA.loops, 2: 23, 3: 22}, "pin 2 also reaches reverse (pin 23)"),
    ],
)
def test_a_wrong_harness_is_named_before_the_tests(
    wires: dict[int, int], defect: str, tmp_path: Path
) -> None:
    for _ in range(ATTEMPTS):
        with wired_host(tmp_path, wires) as (port, relay):
            run = run_suite(tmp_path, port, relay)
        if defect in run.stdout:
            break
    assert run.returncode == 1
    assert defect in run.stdout
    assert "the bench is broken" in run.stdout
    assert " passed" not in run.stdout.splitlines()[-1]
