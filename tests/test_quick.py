"""The list of tests that `make test-quick` leaves out because of their cost."""

from __future__ import annotations

from pathlib import Path

from tests.quick import COSTLY

HOUSE = Path(__file__).parents[1]


def test_every_test_that_is_left_out_by_its_cost_exists() -> None:
    missing = []
    for name in sorted(COSTLY):
        file, _, function = name.partition("::")
        text = (HOUSE / file).read_text("utf-8") if (HOUSE / file).is_file() else ""
        if f"def {function.rpartition('::')[2]}(" not in text:
            missing.append(name)
    assert missing == [], "Remove these from tests/costly.txt, or correct their names."
