"""The table with a magazine among the examples, and changed copies of it, for tests."""

from __future__ import annotations

from pathlib import Path

from config.loader import table_of_text
from config.schema import Table

SORTED = Path(__file__).parents[1] / "examples" / "table_sorted" / "pai_gow_sorted.yaml"
TILES = 32


def changed(*edits: tuple[str, str]) -> Table:
    """Return the table of the example after these edits: old text, new text."""
    text = SORTED.read_text("utf-8")
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return table_of_text(text, "table.yaml")
