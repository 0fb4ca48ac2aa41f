"""`wallwright doctor`: plug-ins, disks, and a journal that is intact, damaged, locked or in use."""

from __future__ import annotations

import json
import os
import shutil
from importlib.metadata import EntryPoint
from pathlib import Path
from tempfile import gettempdir, mkdtemp

import pytest

from controller.journal import Journal
from controller.journal.copies import paths_of
from rules.plugin import GROUP
from rules.registry import Registry
from tests.controller.cli.conftest import Wallwright

MEMORY = Path("/dev/shm")  # noqa: S108
NOON = "2030-01-01T12:00:00+00:00"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The journal of a completed run."""
    file = tmp_path / "table.journal"
    with Journal(file, NOON, {"table": "robotic"}) as journal:
        journal.confirm(journal.intend("top", 1.0, {"step": "throw"}), 2.0, [3, 5])
        journal.end()
    return file


def test_an_intact_journal_is_reported_with_its_copies(kept: Path, wallwright: Wallwright) -> None:
    result = wallwright(f"doctor --journal {kept}")
    assert (result.code, result.err) == (0, "")
    for text in ("intact, 4 records", f"copy            {kept}.3", "unfinished run  none"):
        assert text in result.out


def test_the_report_is_also_printed_as_json(kept: Path, wallwright: Wallwright) -> None:
    report = wallwright(f"doctor --journal {kept} --json").json
    keys = ["python", "identity", "plugins", "ports", "directories", "journal", "table", "problems"]
    assert list(report) == keys
    assert report["problems"] == []
    assert report["plugins"] == {"installed": [], "broken": []}
    journal = report["journal"]
    assert (journal["state"], journal["records"], journal["unfinished"]) == ("intact", 4, None)
    assert journal["messages"] == []
    (directory,) = report["directories"]
    assert (directory["directory"], directory["writable"]) == (str(kept.parent), True)


def test_a_warning_is_printed_if_all_copies_are_on_one_device(
    kept: Path, wallwright: Wallwright
) -> None:
    assert "1: if it fails, all copies are lost" in wallwright(f"doctor --journal {kept}").out


def test_copies_on_two_devices_are_counted(wallwright: Wallwright, tmp_path: Path) -> None:
    here = tmp_path.stat().st_dev
    others = [each for each in (MEMORY, Path(gettempdir())) if os.access(each, os.W_OK)]
    another = next((each for each in others if each.stat().st_dev != here), None)
    if another is None:
        pytest.skip("needs a second file system")
    memory = Path(mkdtemp(dir=another))
    file = tmp_path / "table.journal"
    try:
        with Journal(file, NOON, {}, memory) as journal:
            journal.intend("top", 1.0, {})
        report = wallwright(f"doctor --journal {file} --journal-copy {memory} --json").json
        assert report["journal"]["devices"] == len(report["directories"]) == 2
    finally:
        shutil.rmtree(memory)


def test_a_damaged_copy_is_repaired_and_reported_once(kept: Path, wallwright: Wallwright) -> None:
    spoilt = paths_of(kept)[1]
    spoilt.write_bytes(kept.read_bytes().replace(b"throw", b"thraw"))
    result = wallwright(f"doctor --journal {kept}")
    assert result.code == 1
    assert "repaired, 4 records" in result.out
    assert f"The journal's copy {spoilt} was damaged at record 2; it was rewritten." in result.out
    assert wallwright(f"doctor --journal {kept}").code == 0


def test_a_locked_journal_is_reported_and_stays_locked(kept: Path, wallwright: Wallwright) -> None:
    for path in paths_of(kept):
        path.write_bytes(path.read_bytes().replace(b"throw", b"thraw"))
    for _ in range(2):
        result = wallwright(f"doctor --journal {kept} --json")
        report = json.loads(result.out)
        assert (result.code, report["journal"]["state"]) == (1, "locked")
        assert "Record 2 of the journal is damaged in every copy" in report["problems"][0]


def test_an_unfinished_run_is_reported_with_its_last_step(
    kept: Path, wallwright: Wallwright
) -> None:
    with Journal(kept, "2031-01-01", {"table": "classic"}) as journal:
        journal.confirm(journal.intend("top", 1.0, {"step": "throw"}), 2.0, [3, 5])
        journal.intend("top", 2.0, {"step": "packet", "seat": 2})
    result = wallwright(f"doctor --journal {kept}")
    assert result.code == 0
    assert "started 2031-01-01 (table classic), after 2 steps" in result.out
    assert 'unconfirmed     top: {"step": "packet", "seat": 2}' in result.out


def test_a_journal_that_a_run_has_open_is_not_repaired(kept: Path, wallwright: Wallwright) -> None:
    paths_of(kept)[2].unlink()
    with Journal(kept, NOON, {}) as journal:
        journal.intend("top", 1.0, {})
        paths_of(kept)[2].unlink()
        result = wallwright(f"doctor --journal {kept}")
        assert result.code == 0
        assert "in use" in result.out
        assert not paths_of(kept)[2].exists()


def test_a_directory_that_is_not_writable_is_reported(
    kept: Path, wallwright: Wallwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda _, how: how != os.W_OK)
    result = wallwright(f"doctor --journal {kept}")
    assert result.code == 1
    assert f"The directory {kept.parent} is not writable; change its owner" in result.out
    assert "not opened" in result.out


def test_a_disk_that_is_nearly_full_is_reported(
    kept: Path, wallwright: Wallwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(9, 9, 0))
    result = wallwright(f"doctor --journal {kept}")
    assert result.code == 1
    assert f"The disk of {kept.parent} has 0 MB of free space, and 100 MB are" in result.out


def test_a_file_that_is_not_a_journal_is_bad_input(tmp_path: Path, wallwright: Wallwright) -> None:
    (tmp_path / "notes").write_text("tiles, dice, felt\n")
    result = wallwright(f"doctor --journal {tmp_path / 'notes'}")
    assert (result.code, result.out) == (2, "")
    assert "is not a journal" in result.err


def test_without_a_journal_the_computer_is_reported(wallwright: Wallwright) -> None:
    report = wallwright("doctor --json").json
    assert report["journal"] is None
    assert report["python"].startswith("3.")
    assert isinstance(report["ports"], list)


@pytest.fixture
def broken_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package whose entry point names a module that does not exist."""
    registry = Registry("rules.games", [])
    entry = EntryPoint("odd_bones", "odd_bones_missing:PLUGIN", GROUP)
    monkeypatch.setattr("rules.registry._entry_points", lambda: [entry])
    monkeypatch.setattr("controller.cli.commands.doctor.PLUGINS", registry)


@pytest.mark.usefixtures("broken_plugin")
def test_a_plug_in_that_cannot_be_loaded_is_reported_with_the_reason(
    wallwright: Wallwright,
) -> None:
    result = wallwright("doctor --json")
    report = json.loads(result.out)
    (sentence,) = report["plugins"]["broken"]
    assert (result.code, report["problems"]) == (1, [sentence])
    assert "The entry point 'odd_bones' of wallwright.games: " in sentence
    assert "No module named 'odd_bones_missing'" in sentence
    shown = wallwright("doctor")
    assert shown.code == 1
    assert sentence in shown.out


def test_a_lamp_on_the_pin_of_the_bootloaders_led_is_a_warning_of_doctor(
    lamp_on_13: Path, wallwright: Wallwright
) -> None:
    result = wallwright(f"doctor --table {lamp_on_13}")
    assert (result.code, result.err) == (0, "")
    assert "robotic: base mega2560, arm mega2560" in result.out
    assert "boards.arm.channels.ready: pin 13 is driven until the board has started." in result.out
    report = wallwright(f"doctor --table {lamp_on_13} --json").json
    assert report["table"]["boards"] == {"base": "mega2560", "arm": "mega2560"}
    assert len(report["table"]["warnings"]) == 1
    assert report["problems"] == []


def test_a_packaged_table_has_no_warning_of_doctor(wallwright: Wallwright) -> None:
    assert wallwright("doctor --table robotic --json").json["table"]["warnings"] == []
