"""Records the events of one simulated round, once for each game and table of a test run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

Events = tuple[dict[str, object], ...]


@cache
def recorded_round(game: str, table: str, *options: str) -> Events:
    """The events that `wallwright run` writes for one round."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "events.jsonl"
        subprocess.run(
            [
                Path(sys.executable).with_name("wallwright"),
                "run",
                *("--game", game, "--table", table, "--rounds", "1", "--seed", "7"),
                *("--events", file, *options),
            ],
            check=True,
            capture_output=True,
        )
        return tuple(json.loads(line) for line in file.read_text("utf-8").splitlines())
