"""A run of the command line, and the summary that it ends with."""

from __future__ import annotations

import json
import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from controller.cli import main as wallwright


def played(*options: str) -> dict[str, Any]:
    """`wallwright run` with these options; RuntimeError if it ends in a fault."""
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder) / "events.jsonl"
        with redirect_stdout(StringIO()):
            code = wallwright(["run", *options, "--events", str(events)])
        if code:
            raise RuntimeError(f"the run ended with exit code {code}; run it by hand to see why.")
        summary: dict[str, Any] = json.loads(events.read_text().splitlines()[-1])
        return summary
