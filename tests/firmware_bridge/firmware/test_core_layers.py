"""Tests that the files of the firmware's core use lower layers only, by the table in its README."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.firmware_bridge.firmware.virtual_chip import FIRMWARE, built

CORE = FIRMWARE / "core"
ROW = re.compile(r"^\| (\d+) \| ((?:`\w+` ?)+)\|", re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
BELOW_ALL = "../port.h"

Uses = dict[str, set[str]]
"""For each file, without its suffix, the files that it uses."""


def layers() -> dict[str, int]:
    """Return the layer of each file, from the table in the core's README."""
    rows = ROW.findall((CORE / "README.md").read_text("utf-8"))
    assert [int(number) for number, _ in rows] == list(range(1, len(rows) + 1))
    return {name: int(number) for number, names in rows for name in re.findall(r"\w+", names)}


def included(folder: Path = CORE) -> Uses:
    """Return which files include which, header and source taken together."""
    uses: Uses = {}
    for file in sorted(folder.glob("*.[ch]")):
        headers = set(INCLUDE.findall(file.read_text("utf-8"))) - {BELOW_ALL}
        assert all(re.fullmatch(r"\w+\.h", each) for each in headers), f"{file.name}: {headers}"
        uses.setdefault(file.stem, set()).update(each.removesuffix(".h") for each in headers)
    return {name: used - {name} for name, used in uses.items()}


def linked() -> Uses:
    """Return which files refer to functions or variables of which, from the host's object files."""
    folder = built().parent / "core"
    objects = [folder / f"{file.name}.o" for file in sorted(CORE.glob("*.c"))]
    listed = subprocess.run(
        ["nm", "-A", "-P", *objects], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    symbols = [(Path(line.partition(":")[0]).name.partition(".")[0], line) for line in listed]
    rows = [(file, *line.partition(": ")[2].split()[:2]) for file, line in symbols]
    homes = {symbol: file for file, symbol, kind in rows if kind in "TDBRC"}
    uses: Uses = {file: set() for file, _, _ in rows}
    for file, symbol, kind in rows:
        if kind == "U" and symbol in homes:
            uses[file].add(homes[symbol])
    return {file: used - {file} for file, used in uses.items()}


def faults_in(uses: Uses, levels: dict[str, int]) -> list[str]:
    """Return a sentence for each use of a higher layer, and for each circle."""
    upward = [
        f"{name} (layer {levels[name]}) uses {other} (layer {levels[other]})"
        for name, used in uses.items()
        for other in sorted(used)
        if levels[other] > levels[name]
    ]
    left = dict(uses)
    while free := {name for name, used in left.items() if not used & left.keys()}:
        left = {name: used for name, used in left.items() if name not in free}
    return upward + ([f"a circle among {sorted(left)}"] if left else [])


def test_every_file_of_the_core_has_one_place_in_the_table_of_layers() -> None:
    names = {file.stem for file in CORE.glob("*.[ch]")}
    assert layers().keys() == names
    table = (CORE / "README.md").read_text("utf-8")
    assert all(len(re.findall(f"`{name}`", table)) == 1 for name in names)


def test_headers_and_sources_include_lower_layers_only() -> None:
    assert faults_in(included(), layers()) == []


def test_functions_and_variables_of_lower_layers_only_are_used() -> None:
    assert faults_in(linked(), layers()) == []


def test_a_use_of_a_higher_layer_and_a_circle_are_found() -> None:
    levels = {"clock": 1, "crc": 1, "events": 2}
    assert faults_in({"clock": {"events"}, "events": set()}, levels) == [
        "clock (layer 1) uses events (layer 2)"
    ]
    assert faults_in({"clock": {"crc"}, "crc": {"clock"}, "events": {"crc"}}, levels) == [
        "a circle among ['clock', 'crc', 'events']"
    ]
