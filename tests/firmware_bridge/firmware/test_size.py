"""Tests that the firmware and its deepest stack fit into the memory that they may use."""

from __future__ import annotations

import re
import subprocess
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import pytest

from tests.firmware_bridge.firmware.firmware_build import build
from tests.firmware_bridge.firmware.virtual_chip import FIRMWARE


def program_of(calls: dict[str, str]) -> Any:
    """Return a program for `stack.py`: functions of 10 bytes each, and the functions they call."""
    spec = spec_from_file_location("stack", FIRMWARE / "stack.py")
    assert spec is not None and spec.loader is not None
    stack = module_from_spec(spec)
    spec.loader.exec_module(stack)
    stack._stack_usage = lambda _: dict.fromkeys(calls, 10)
    places = {name: 16 * number for number, name in enumerate(calls)}
    stack._disassembly = lambda _: [
        line
        for name, called in calls.items()
        for line in (
            f"{places[name]:08x} <{name}>:",
            *(f"\tcall\t0x0\t; 0x{places[each]:x} <{each}>" for each in called),
            "\tret",
        )
    ]
    return stack.Program(FIRMWARE, FIRMWARE)


def test_the_deepest_stack_is_that_of_the_longest_path_of_calls() -> None:
    program = program_of({"a": "bc", "b": "d", "c": "bd", "d": "e", "e": ""})
    assert [program.deepest(name) for name in "edbca"] == [10, 20, 30, 40, 50]


def test_a_function_that_already_runs_returns_before_it_calls_another_one() -> None:
    program = program_of({"a": "bc", "b": "d", "c": "", "d": "e", "e": ""})
    assert program.deepest("a", "b") == 20
    assert program.deepest("a") == 40


def test_a_recursion_is_an_error_that_names_its_path() -> None:
    program = program_of({"a": "bc", "b": "c", "c": "d", "d": "b"})
    with pytest.raises(SystemExit, match=re.escape("a -> b -> c -> d -> b is a recursive call")):
        program.deepest("a")


@pytest.mark.slow
def test_flash_static_data_and_the_deepest_stack_fit_their_limits() -> None:
    build()
    command = ["make", "-s", "-C", str(FIRMWARE), "size"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "of 98304 bytes" in done.stdout
    assert "of 7296 bytes" in done.stdout
    assert "of 8064 bytes" in done.stdout
