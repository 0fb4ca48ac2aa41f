"""Pages of the journal for its readers: every line once, in order, while the run goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.run.journal import Journal
from controller.run.journal.history import PageReader
from controller.run.journal.lines import number_of


@pytest.mark.parametrize("on_disk", [True, False])
def test_two_readers_page_through_a_growing_journal(tmp_path: Path, on_disk: bool) -> None:
    path = tmp_path / "table.journal" if on_disk else None
    with Journal(path, "now", {}) as journal:
        seen: dict[str, list[str]] = {"fast": [], "slow": []}
        while len(seen["slow"]) < 100:
            if number_of_last(seen["fast"]) < 100:
                for _ in range(4):
                    journal.confirm(journal.intend("top", 0.0, {"step": "throw"}), 1.0, [1])
            for reader, limit in (("fast", 7), ("slow", 3)):
                seen[reader] += journal.page(number_of_last(seen[reader]), limit)()
        for lines in seen.values():
            numbers = [number_of(line.encode()) for line in lines]
            assert numbers == list(range(1, len(numbers) + 1))
        assert journal.page(10**6, 5)() == []


def number_of_last(lines: list[str]) -> int:
    return number_of(lines[-1].encode()) if lines else 0


def test_the_next_page_does_not_read_the_lines_before_it(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"".join(b'{"number":%d,"x":1}\n' % n for n in range(1, 1001)))
    reader = PageReader(path)
    assert [number_of(line) for line in reader.page(0, 500, 1000)] == list(range(1, 501))
    # Numbers that are overwritten show that the reader begins behind them.
    with path.open("r+b") as file:
        file.write(b"#" * 5000)
    assert [number_of(line) for line in reader.page(500, 400, 800)] == list(range(501, 801))
