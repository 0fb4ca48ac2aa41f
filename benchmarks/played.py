"""Runs `wallwright run` and returns the summary at its end."""

from __future__ import annotations

import json
import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from controller.cli import main as wallwright


def played(*options: str) -> dict[str, Any]:
    """Run `wallwright run` with these options; return its summary. Raises RuntimeError."""
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder) / "events.jsonl"
        with redirect_stdout(StringIO()):
            code = wallwright(["run", *options, "--events", str(events)])
        if code:
            command = " ".join(["wallwright run", *options])
            raise RuntimeError(f"`{command}` ended with exit code {code}; run it to see its error.")
        summary: dict[str, Any] = json.loads(events.read_text().splitlines()[-1])
        return summary
