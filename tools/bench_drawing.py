"""Draws docs/images/first_drum.svg: the wiring of the table in docs/build/BENCH.md."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from config.loader import load_table
from config.schema import Table
from tools.wiring.svg import drawing_of

PAGE = Path(__file__).parent.parent / "docs" / "build" / "BENCH.md"


def drawing() -> str:
    """Return the text of docs/images/first_drum.svg."""
    return drawing_of(bench_table())


def bench_table() -> Table:
    """Return the table in BENCH.md; the loader requires a file that has the table's name."""
    (block,) = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "first_drum.yaml"
        file.write_text(block, encoding="utf-8")
        return load_table(file)
