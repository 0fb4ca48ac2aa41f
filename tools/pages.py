"""Writes every generated page and drawing: `make docs`, or `python -m tools.pages [FILE ...]`.

Each row of `GENERATED` is a file of the project and the function that returns its text. With
`--check` nothing is written; if a file is not current, stderr names it and the exit code is 1.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from config.judge_cases import example_case
from rules.games import GAMES, PLUGINS
from tools.api_page import page as api_page
from tools.bench_drawing import drawing
from tools.boards_page import page as boards_page
from tools.cases_page import page as cases_page
from tools.casino_page import page as casino_page
from tools.chip_header import chips
from tools.chip_header import header as chip_header
from tools.commands_page import page as commands_page
from tools.compatibility_page import page as compatibility_page
from tools.compliance_page import page as compliance_page
from tools.configuration_page import page as configuration_page
from tools.doctor_page import page as doctor_page
from tools.electrical_page import page as electrical_page
from tools.events_page import page as events_page
from tools.faults_page import page as faults_page
from tools.fit_matrices import tables_page
from tools.floor_messages_page import page as floor_messages_page
from tools.injected_faults_page import page as injected_faults_page
from tools.machine_page import page as machine_page
from tools.metrics_page import page as metrics_page
from tools.mixing_page import page as mixing_page
from tools.protocol_page import page as protocol_page
from tools.results_page import page as results_page
from tools.terminal_picture import portrait
from tools.threats_page import page as threats_page
from tools.wire_header import header

TOP = Path(__file__).parent.parent
CHECK = "--check"

GENERATED: Mapping[str, Callable[[], str]] = {
    "docs/reference/API.md": api_page,
    "docs/build/BOARDS.md": boards_page,
    "docs/operate/CASES.md": cases_page,
    "docs/floor/CASINO_HOST.md": casino_page,
    "docs/reference/COMMANDS.md": commands_page,
    "docs/reference/COMPATIBILITY.md": compatibility_page,
    "docs/regulate/COMPLIANCE.md": compliance_page,
    "docs/build/CONFIGURATION.md": configuration_page,
    "docs/operate/DOCTOR.md": doctor_page,
    "docs/reference/EVENTS.md": events_page,
    "docs/operate/FAULTS.md": faults_page,
    "docs/floor/FLOOR_MESSAGES.md": floor_messages_page,
    "docs/reference/MACHINE.md": machine_page,
    "docs/floor/METRICS.md": metrics_page,
    "docs/build/MIXING.md": mixing_page,
    "docs/build/INJECTED_FAULTS.md": injected_faults_page,
    "docs/reference/PROTOCOL.md": protocol_page,
    "docs/reference/RESULTS.md": results_page,
    "docs/build/RETROFIT.md": electrical_page,
    "docs/start/TABLES.md": tables_page,
    "docs/regulate/THREATS.md": threats_page,
    "docs/images/first_drum.svg": drawing,
    "docs/images/table.svg": portrait,
    "firmware_bridge/firmware/core/wire.h": header,
    **{f"firmware_bridge/firmware/chips/{name}.h": partial(chip_header, name) for name in chips()},
    **{
        f"examples/cases/{name}.yaml": partial(example_case, name)
        for name in GAMES
        if PLUGINS.is_own(name) and PLUGINS[name].judging is not None
    },
}
"""Every generated file, by its path from the project's folder."""


def stale(names: Sequence[str] = tuple(GENERATED)) -> list[str]:
    """Return the named files that differ from the text of their generator, or that are missing."""
    return [name for name in names if _text(name) != GENERATED[name]()]


def main(arguments: Sequence[str]) -> int:
    """Write the named files, or all; with `--check` only compare them. Return the exit code."""
    names = [name for name in arguments if name != CHECK] or list(GENERATED)
    unknown = [name for name in names if name not in GENERATED]
    if unknown:
        there = ", ".join(GENERATED)
        print(f"{', '.join(unknown)}: not a generated file; give one of {there}.", file=sys.stderr)
        return 2
    old = stale(names)
    if CHECK in arguments:
        for name in old:
            print(f"{name} is not current; run `make docs`.", file=sys.stderr)
        return 1 if old else 0
    for name in old:
        (TOP / name).parent.mkdir(parents=True, exist_ok=True)
        (TOP / name).write_text(GENERATED[name](), encoding="utf-8")
        print(f"{name}: written")
    return 0


def _text(name: str) -> str | None:
    file = TOP / name
    return file.read_text("utf-8") if file.exists() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
