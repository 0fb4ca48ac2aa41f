"""Finds the modules that read each key of a table's file, by running the packaged tables.

`python -m tools.configuration_readers` runs every packaged table, and an example for the keys that
no packaged table has, in the simulation, its self-test and its list of wires, and records which
module reads which field of which part. It prints the result as JSON: `{"Drum.mix":
["controller.run.rounds.under_cycle", ...]}`. It needs a process of its own, because values that the
process has read before can be cached and would not be read again.
"""

from __future__ import annotations

import inspect
import io
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from config import schema
from config.loader import game_names, table_names
from config.schema import Part
from controller.cli import main as wallwright

TOP = Path(__file__).parent.parent
EXAMPLES = (str(TOP / "examples/table_sorted/pai_gow_sorted.yaml"),)
"""Tables for keys that no packaged table has."""
GAMES: Mapping[str, str] = {
    "pai_gow": "pai_gow",
    "pai_gow_sorted": "pai_gow",
    "robotic": "wenzhou",
    "auto_deal": "wenzhou",
}
"""The game that is played on a table; `block` on any other."""
FAULTS: Mapping[str, Sequence[str]] = {
    "bench": ("--fault", "emergency_stop:table@30~4"),
    "changed": ("--fault", "jam:head2#30~9"),
}
"""Injected faults, so that relay, lamps, buzzer and the limits of recovery are used."""
CHANGES = {
    "modules:\n": (
        "      drum_current: {kind: analog, pin: 68}\n\n"
        "recovery: {JAM: {retries: 2, asks: 1, patience: 600}}\n\nmodules:\n"
    ),
    "drum: {motor: drum,": "drum: {motor: drum, current: drum_current,",
    "head0_full: {kind: sensor, pin: 56,": (
        "head0_full: {kind: sensor, pin: 56, threshold: {low_mv: 1500, high_mv: 3000},"
    ),
}
"""Replacements in the file of the table `classic`, for keys that no packaged table has."""


@cache
def readers() -> Mapping[str, tuple[str, ...]]:
    """Return the modules that read each field, by `Part.field`, in alphabetical order."""
    command = [sys.executable, "-m", "tools.configuration_readers"]
    run = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=True)  # noqa: S603 - this project
    return {key: tuple(modules) for key, modules in json.loads(run.stdout).items()}


def main() -> None:
    """Trace every read of a field, and print the modules that read each field."""
    found: dict[str, set[str]] = defaultdict(set)
    fields = {name for part in parts() for name in part.model_fields}

    def traced(part: Part, name: str) -> Any:
        if name in fields:
            found[f"{type(part).__name__}.{name}"].add(_reader())
        return object.__getattribute__(part, name)

    Part.__getattribute__ = traced  # type: ignore[method-assign,assignment]
    ignored = io.StringIO()
    with TemporaryDirectory() as folder, redirect_stdout(ignored), redirect_stderr(ignored):
        for table in (*table_names(), *EXAMPLES, _changed(Path(folder))):
            _use(table)
    print(json.dumps({key: sorted(found[key] - {""}) for key in sorted(found)}))


def parts() -> tuple[type[Part], ...]:
    """Return every public class of the schema that is a part of a table's file."""
    named = (getattr(schema, name) for name in schema.__all__)
    return tuple(each for each in named if isinstance(each, type) and issubclass(each, Part))


def _use(table: str) -> None:
    game = GAMES.get(Path(table).stem, "block")
    assert game in game_names()
    faults = FAULTS.get(Path(table).stem, ())
    for command in (
        ["run", "--table", table, "--game", game, *faults],
        ["selftest", "--sim", "--yes", "--table", table],
        ["wiring", table],
        ["tables"],
    ):
        assert wallwright(command) == 0, command


def _changed(folder: Path) -> str:
    text = (TOP / "config" / "tables" / "classic.yaml").read_text("utf-8")
    for old, new in CHANGES.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    file = folder / "changed.yaml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def _reader() -> str:
    """Return the module that reads the field, or "" if pydantic or the schema itself reads it."""
    frame, name = inspect.currentframe(), __name__
    while frame is not None and (name == __name__ or name.startswith("config.schema")):
        frame = frame.f_back
        name = "" if frame is None else str(frame.f_globals.get("__name__", ""))
    return name if name.partition(".")[0] in ("config", "firmware_bridge", "controller") else ""


if __name__ == "__main__":
    main()
