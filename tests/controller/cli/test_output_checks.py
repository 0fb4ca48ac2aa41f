"""Outputs that would overwrite the journal or each other: refused before anything moves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from controller.journal import Journal
from controller.journal.copies import paths_of
from tests.controller.cli.conftest import Wallwright
from tests.controller.journal.on_disk import NOON


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A journal whose run ended well."""
    file = tmp_path / "table.journal"
    with Journal(file, NOON, {"table": "robotic"}) as journal:
        journal.confirm(journal.intend("top", 1.0, {"step": "throw"}), 2.0, [3, 5])
        journal.end()
    return file


def contents(file: Path) -> list[bytes]:
    return [path.read_bytes() for path in paths_of(file)]


@pytest.mark.parametrize("option", ["--events", "--play --record"])
@pytest.mark.parametrize("copy", ["", ".2", ".3", ".lock", ".2.new"])
def test_no_output_is_a_copy_of_the_journal_or_a_file_beside_it(
    option: str, copy: str, kept: Path, wallwright: Wallwright
) -> None:
    before = contents(kept)
    said = wallwright(f"run --journal {kept} {option} {kept}{copy}")
    assert said.code == 2
    assert f"{option.rsplit(maxsplit=1)[-1]} {kept}{copy} is the journal ({kept}{copy})" in said.err
    assert contents(kept) == before


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_to_a_copy_is_the_copy(
    link: object, kept: Path, tmp_path: Path, wallwright: Wallwright
) -> None:
    before, name = contents(kept), tmp_path / "events.jsonl"
    assert callable(link)
    link(kept.with_name("table.journal.2"), name)
    said = wallwright(f"run --journal {kept} --events {name}")
    assert said.code == 2 and "is the journal" in said.err
    assert contents(kept) == before


def test_a_journal_that_is_yet_to_begin_is_refused_too(
    tmp_path: Path, wallwright: Wallwright
) -> None:
    (tmp_path / "sub").mkdir()
    file = tmp_path / "journal"
    said = wallwright(f"run --journal {file} --events {tmp_path}/sub/../journal.2")
    assert said.code == 2 and "is the journal" in said.err
    assert [each.name for each in tmp_path.iterdir()] == ["sub"]


def test_the_third_copy_is_protected_where_it_lies(
    kept: Path, tmp_path: Path, wallwright: Wallwright
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    third = disk / "table.journal.3"
    said = wallwright(f"run --journal {kept} --journal-copy {disk} --events {third}")
    assert said.code == 2 and f"is the journal ({third})" in said.err


@pytest.mark.parametrize(
    "command", ["run --events", "run --play --record", "chaos --rounds 1 --report"]
)
def test_a_journal_of_another_run_is_not_overwritten_either(
    command: str, kept: Path, wallwright: Wallwright
) -> None:
    before = contents(kept)
    said = wallwright(f"{command} {kept}")
    assert said.code == 2
    assert f"{command.rsplit(maxsplit=1)[-1]} {kept} is a journal; it would be lost." in said.err
    assert contents(kept) == before


def test_events_and_record_are_two_files(tmp_path: Path, wallwright: Wallwright) -> None:
    both = tmp_path / "both"
    said = wallwright(f"run --play --events {both} --record {both}")
    assert said.code == 2 and f"--record {both} is the file of --events" in said.err


def test_the_null_device_takes_everything(wallwright: Wallwright) -> None:
    assert wallwright("run --game block --until ready --events /dev/null").code == 0
