"""Runs the firmware's core with sanitizers: in every session, and with arbitrary bytes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.firmware_bridge.firmware.firmware_build import build
from tests.firmware_bridge.firmware.virtual_chip import FIRMWARE, built
from tests.quick import EVIDENCE_ONLY

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
INPUTS = ("-runs=800", "-seed=1")
"""Inputs of the line's fuzzers in this test; `make evidence` fuzzes for ten minutes."""
STORAGE_INPUTS = ("-runs=300", "-seed=1")
USB_INPUTS = ("-runs=15000", "-seed=1")
LONGEST_INPUT = 1024


def sanitizer() -> str:
    """Return the path of gcc's libasan, to be loaded before the interpreter allocates memory."""
    command = ["gcc", "-print-file-name=libasan.so"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_session_makes_the_firmware_access_memory_out_of_bounds() -> None:
    files = [HERE / "test_vectors.py", HERE / "test_sessions.py", HERE / "test_memory.py"]
    built("host-asan")  # Here, because a compiler with the preloaded library takes much longer.
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *files],
        env={
            **os.environ,
            "FIRMWARE_TARGET": "host-asan",
            "LD_PRELOAD": sanitizer(),
            # The interpreter itself does not free all its memory; only the firmware is tested.
            # No stack is kept for each allocation of the interpreter; it would take seconds.
            "ASAN_OPTIONS": "detect_leaks=0:malloc_context_size=0",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        },
        cwd=HERE.parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def fuzz(tmp_path: Path, name: str, longest: int, *limits: str) -> str:
    """Build a fuzzer if its sources have changed, run it, and return what it has printed."""
    found = tmp_path / "corpus"
    found.mkdir()
    build(f"build/{name}")
    run = subprocess.run(
        [
            FIRMWARE / "build" / name,
            *limits,
            f"-max_len={longest}",
            "-len_control=0",
            "-rss_limit_mb=1024",
            f"-artifact_prefix={tmp_path}/",
            found,
            CORPUS,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return run.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["fuzz_frames", pytest.param("fuzz_frames_rp2040", marks=EVIDENCE_ONLY)]
)
def test_arbitrary_bytes_cause_no_error(tmp_path: Path, name: str) -> None:
    printed = fuzz(tmp_path, name, LONGEST_INPUT, *INPUTS)
    ((frames, replies),) = re.findall(r"fuzzed frames: (\d+), replies: (\d+)", printed)
    assert int(frames) > 1000, "the fuzzer sends frames with arbitrary payloads"
    assert int(replies) > int(frames) / 2, "the board executes or refuses them"


@pytest.mark.slow
def test_the_picos_storage_keeps_a_state_that_it_had_when_the_supply_fails(
    tmp_path: Path,
) -> None:
    printed = fuzz(tmp_path, "fuzz_storage_rp2040", 60, *STORAGE_INPUTS)
    ((changes, failures),) = re.findall(r"storage: (\d+) changes, (\d+) failed", printed)
    assert int(changes) > 10_000 and int(failures) > 100


@pytest.mark.slow
def test_the_picos_usb_port_works_after_whatever_a_host_has_sent(tmp_path: Path) -> None:
    printed = fuzz(tmp_path, "fuzz_usb_rp2040", 600, *USB_INPUTS)
    ((setups, packets),) = re.findall(r"USB: (\d+) setup packets, (\d+) other packets", printed)
    assert int(setups) > 100_000 and int(packets) > 100_000
