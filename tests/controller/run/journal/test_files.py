"""A file that is replaced as a whole."""

from __future__ import annotations

import os
from pathlib import Path

from controller.run.journal.copies import replace_lines


def test_a_replaced_file_can_be_read_by_everybody_and_written_by_its_owner(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        replace_lines(tmp_path / "journal", [b"one", b"two"])
    finally:
        os.umask(before)
    assert (tmp_path / "journal").read_bytes() == b"one\ntwo\n"
    assert (tmp_path / "journal").stat().st_mode & 0o777 == 0o644
