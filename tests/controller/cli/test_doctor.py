"""`wallwright doctor`: what it says of a journal that is whole, damaged, locked, or in use."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from tempfile import mkdtemp

import pytest

from controller.journal import Journal
from controller.journal.copies import paths_of
from tests.controller.cli.conftest import Wallwright

MEMORY = Path("/dev/shm")  # noqa: S108
NOON = "2030-01-01T12:00:00+00:00"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A journal whose run ended well."""
    file = tmp_path / "table.journal"
    with Journal(file, NOON, {"table": "robotic"}) as journal:
        journal.confirm(journal.intend("top", 1.0, {"step": "throw"}), 2.0, [3, 5])
        journal.end()
    return file


def test_a_whole_journal_is_well_and_is_told_with_its_copies(
    kept: Path, wallwright: Wallwright
) -> None:
    said = wallwright(f"doctor --journal {kept}")
    assert (said.code, said.err) == (0, "")
    for words in ("whole, 4 records", f"copy         {kept}.3", "unfinished   nothing"):
        assert words in said.out


def test_for_programs_the_same_comes_as_json(kept: Path, wallwright: Wallwright) -> None:
    events = wallwright(f"doctor --journal {kept} --json").json
    assert list(events) == ["python", "ports", "directories", "journal", "wrong"]
    assert events["wrong"] == []
    journal = events["journal"]
    assert (journal["state"], journal["records"], journal["unfinished"]) == ("whole", 4, None)
    (directory,) = events["directories"]
    assert (directory["directory"], directory["writable"]) == (str(kept.parent), True)


def test_copies_on_one_device_are_told_to_be_lost_together(
    kept: Path, wallwright: Wallwright
) -> None:
    assert "one: all copies are lost with it" in wallwright(f"doctor --journal {kept}").out


def test_copies_on_two_devices_are_counted(wallwright: Wallwright, tmp_path: Path) -> None:
    if not os.access(MEMORY, os.W_OK) or MEMORY.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("needs a second file system")
    memory = Path(mkdtemp(dir=MEMORY))
    file = tmp_path / "table.journal"
    try:
        with Journal(file, NOON, {}, memory) as journal:
            journal.intend("top", 1.0, {})
        events = wallwright(f"doctor --journal {file} --journal-copy {memory} --json").json
        assert events["journal"]["devices"] == len(events["directories"]) == 2
    finally:
        shutil.rmtree(memory)


def test_a_damaged_copy_is_healed_and_told_once(kept: Path, wallwright: Wallwright) -> None:
    spoilt = paths_of(kept)[1]
    spoilt.write_bytes(kept.read_bytes().replace(b"throw", b"thraw"))
    said = wallwright(f"doctor --journal {kept}")
    assert said.code == 1
    assert "healed, 4 records" in said.out
    assert f"The journal's copy {spoilt} was damaged at record 2; it was rewritten." in said.out
    assert wallwright(f"doctor --journal {kept}").code == 0


def test_a_locked_journal_is_told_and_stays_locked(kept: Path, wallwright: Wallwright) -> None:
    for path in paths_of(kept):
        path.write_bytes(path.read_bytes().replace(b"throw", b"thraw"))
    for _ in range(2):
        said = wallwright(f"doctor --journal {kept} --json")
        events = json.loads(said.out)
        assert (said.code, events["journal"]["state"]) == (1, "locked")
        assert "Record 2 of the journal is damaged in every copy" in events["wrong"][0]


def test_an_unfinished_round_is_told_with_the_step_it_stopped_at(
    kept: Path, wallwright: Wallwright
) -> None:
    with Journal(kept, "2031-01-01", {"table": "classic"}) as journal:
        journal.confirm(journal.intend("top", 1.0, {"step": "throw"}), 2.0, [3, 5])
        journal.intend("top", 2.0, {"step": "packet", "seat": 2})
    said = wallwright(f"doctor --journal {kept}")
    assert said.code == 0
    assert "the run of 2031-01-01 (table classic), after 2 steps" in said.out
    assert 'unconfirmed  top: {"step": "packet", "seat": 2}' in said.out


def test_a_journal_that_a_run_has_open_is_left_to_it(kept: Path, wallwright: Wallwright) -> None:
    paths_of(kept)[2].unlink()
    with Journal(kept, NOON, {}) as journal:
        journal.intend("top", 1.0, {})
        paths_of(kept)[2].unlink()
        said = wallwright(f"doctor --journal {kept}")
        assert said.code == 0
        assert "in use" in said.out
        assert not paths_of(kept)[2].exists()


def test_a_directory_that_cannot_be_written_is_told(
    kept: Path, wallwright: Wallwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda _, how: how != os.W_OK)
    said = wallwright(f"doctor --journal {kept}")
    assert said.code == 1
    assert f"The directory {kept.parent} cannot be written; change its owner" in said.out
    assert "not opened" in said.out


def test_a_disk_that_is_nearly_full_is_told(
    kept: Path, wallwright: Wallwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(9, 9, 0))
    said = wallwright(f"doctor --journal {kept}")
    assert said.code == 1
    assert f"The disk of {kept.parent} has 0 MB left; free some of it." in said.out


def test_a_file_that_is_no_journal_is_bad_input(tmp_path: Path, wallwright: Wallwright) -> None:
    (tmp_path / "notes").write_text("tiles, dice, felt\n")
    said = wallwright(f"doctor --journal {tmp_path / 'notes'}")
    assert (said.code, said.out) == (2, "")
    assert "is not a journal" in said.err


def test_without_a_journal_it_tells_of_this_machine(wallwright: Wallwright) -> None:
    events = wallwright("doctor --json").json
    assert events["journal"] is None
    assert events["python"].startswith("3.")
    assert isinstance(events["ports"], list)
