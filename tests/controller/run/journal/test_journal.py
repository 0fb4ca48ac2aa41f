"""Tests that an intent is on disk before anything moves, and survives a killed process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from controller.run.journal import Journal
from controller.run.journal.notes import Flipped
from tests.controller.run.journal.on_disk import NOON, PACKET, contents, on_disk

HOUSE = Path(__file__).parents[4]

KILLED = """
import os, sys
from controller.run.journal import Journal
from controller.run.journal.notes import Flipped
journal = Journal(sys.argv[1], "now", {})
packet = journal.intend("top", 1.0, {"step": "packet", "seat": 2})
if sys.argv[2] == "after a note":
    journal.note(packet, 2.0, Flipped())
if sys.argv[2] == "after the next intent":
    journal.confirm(packet, 2.5, {"tiles": 4})
    journal.intend("top", 2.5, {"step": "turn_up"})
if sys.argv[2] == "before the next intent":
    journal.confirm(packet, 2.5, {"tiles": 4})
os._exit(9)
"""
"""A process that is killed without closing the journal, at one of four moments."""


def killed(file: Path, when: str) -> None:
    dead = subprocess.run([sys.executable, "-c", KILLED, file, when], cwd=HOUSE, check=False)
    assert dead.returncode == 9


def test_an_intent_survives_a_process_that_is_killed_right_after_it(file: Path) -> None:
    killed(file, "at once")
    assert contents(file) == [("intent", PACKET)]


def test_a_note_survives_a_process_that_is_killed_right_after_it(file: Path) -> None:
    killed(file, "after a note")
    assert contents(file) == [("intent", PACKET), ("note", "flipped")]


def test_an_outcome_is_on_disk_with_the_next_intent(file: Path) -> None:
    killed(file, "after the next intent")
    packet, outcome, turn_up = on_disk(file)
    assert (outcome["of"], outcome["at"]) == (packet["number"], 2.5)
    assert outcome["content"] == {"tiles": 4}
    assert (turn_up["kind"], turn_up["content"]) == ("intent", {"step": "turn_up"})


def test_an_outcome_that_was_not_yet_flushed_leaves_its_intent_unconfirmed(file: Path) -> None:
    killed(file, "before the next intent")
    assert contents(file) == [("intent", PACKET)]


def test_the_journal_of_a_killed_process_can_be_used_by_the_next_one(file: Path) -> None:
    killed(file, "at once")
    with Journal(file, NOON, {}) as journal:
        journal.intend("top", 0.0, {"do": "home"})
        assert journal.repairs == ()
    assert len(on_disk(file)) == 2


def test_every_write_is_synced_in_every_copy(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    with Journal(file, NOON, {}) as journal:
        monkeypatch.setattr(os, "fdatasync", synced.append)
        number = journal.intend("top", 1.0, {})
        assert len(synced) == len(set(synced)) == 3
        journal.note(number, 1.0, Flipped())
        assert len(synced) == 6
        journal.confirm(number, 1.0, "dealt")
        assert len(synced) == 6
        journal.flush()
        assert len(synced) == 9


def test_after_a_flush_every_record_is_on_disk(journal: Journal, file: Path) -> None:
    journal.confirm(journal.intend("top", 1.0, PACKET), 2.0, "dealt")
    journal.flush()
    assert contents(file)[-1] == ("outcome", "dealt")


def test_closing_writes_every_record_and_can_be_repeated(file: Path) -> None:
    with Journal(file, NOON, {}) as journal:
        journal.confirm(journal.intend("top", 1.0, {}), 2.0, "done")
    journal.close()
    assert contents(file)[-1] == ("outcome", "done")


def test_the_third_copy_is_in_the_given_directory(file: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with Journal(file, NOON, {}, disk) as journal:
        journal.intend("top", 1.0, {})
    assert (disk / "table.journal.3").read_bytes() == file.read_bytes()
    assert not (tmp_path / "table.journal.3").exists()


def test_the_chain_can_be_checked_with_a_few_lines_of_code(journal: Journal, file: Path) -> None:
    journal.confirm(journal.intend("top", 1.0, {"seat": "北"}), 2.0, [3, 5])
    journal.flush()
    chain = ""
    for line in file.read_text("ascii").splitlines():
        text, stated = line[:-76] + "}", json.loads(line)["chain"]
        chain = sha256((chain + text).encode()).hexdigest()
        assert chain == stated


def test_a_run_without_steps_writes_nothing(file: Path) -> None:
    with Journal(file, NOON, {}) as journal:
        journal.flush()
        journal.end()
    assert file.read_bytes() == b""
