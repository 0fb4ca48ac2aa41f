"""Output files that would overwrite a journal, earlier results or each other are refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from controller.run.journal import Journal
from controller.run.journal.copies import paths_of
from tests.controller.cli.conftest import Wallwright
from tests.controller.run.journal.on_disk import NOON


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The journal of a completed run."""
    file = tmp_path / "table.journal"
    with Journal(file, NOON, {"table": "robotic"}) as journal:
        journal.confirm(journal.intend("top", 1.0, {"step": "throw"}), 2.0, [3, 5])
        journal.end()
    return file


def contents(file: Path) -> list[bytes]:
    return [path.read_bytes() for path in paths_of(file)]


@pytest.mark.parametrize("option", ["--events", "--play --record"])
@pytest.mark.parametrize("copy", ["", ".2", ".3", ".lock", ".2.new"])
def test_an_output_that_is_a_copy_of_the_journal_or_a_file_beside_it_is_refused(
    option: str, copy: str, kept: Path, wallwright: Wallwright
) -> None:
    before = contents(kept)
    result = wallwright(f"run --journal {kept} {option} {kept}{copy}")
    assert result.code == 2
    assert (
        f"{option.rsplit(maxsplit=1)[-1]} {kept}{copy} is the journal ({kept}{copy})" in result.err
    )
    assert contents(kept) == before


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_to_a_copy_of_the_journal_is_refused(
    link: object, kept: Path, tmp_path: Path, wallwright: Wallwright
) -> None:
    before, name = contents(kept), tmp_path / "events.jsonl"
    assert callable(link)
    link(kept.with_name("table.journal.2"), name)
    result = wallwright(f"run --journal {kept} --events {name}")
    assert result.code == 2 and "is the journal" in result.err
    assert contents(kept) == before


def test_an_output_with_the_name_of_a_journal_that_does_not_exist_yet_is_refused(
    tmp_path: Path, wallwright: Wallwright
) -> None:
    (tmp_path / "sub").mkdir()
    file = tmp_path / "journal"
    result = wallwright(f"run --journal {file} --events {tmp_path}/sub/../journal.2")
    assert result.code == 2 and "is the journal" in result.err
    assert [each.name for each in tmp_path.iterdir()] == ["sub"]


def test_the_third_copy_is_protected_in_its_directory(
    kept: Path, tmp_path: Path, wallwright: Wallwright
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    third = disk / "table.journal.3"
    result = wallwright(f"run --journal {kept} --journal-copy {disk} --events {third}")
    assert result.code == 2 and f"is the journal ({third})" in result.err


@pytest.mark.parametrize(
    "command", ["run --events", "run --play --record", "chaos --rounds 1 --report"]
)
def test_the_journal_of_another_run_is_not_overwritten(
    command: str, kept: Path, wallwright: Wallwright
) -> None:
    before = contents(kept)
    result = wallwright(f"{command} {kept}")
    assert result.code == 2
    option = command.rsplit(maxsplit=1)[-1]
    assert f"{option} {kept} is a journal, which would be lost; name another file." in result.err
    assert contents(kept) == before


def test_events_and_record_in_the_same_file_are_refused(
    tmp_path: Path, wallwright: Wallwright
) -> None:
    both = tmp_path / "both"
    result = wallwright(f"run --play --events {both} --record {both}")
    assert result.code == 2 and f"--record {both} is the file of --events" in result.err


@pytest.mark.slow
def test_the_null_device_is_accepted(wallwright: Wallwright) -> None:
    assert wallwright("run --game block --until ready --events /dev/null").code == 0


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("run --game block --until ready --events FOLDER/results.md", "results.md"),
        ("run --journal FOLDER/new --events FOLDER/results.md", "results.md"),
        ("chaos --rounds 1 --events FOLDER/results.md", "results.md"),
        ("selftest --sim --yes --table bench --report FOLDER/results.md", "results.md"),
        ("selftest --sim --yes --table bench --report FOLDER/other.md", "other.json"),
    ],
)
def test_earlier_results_are_not_overwritten(
    command: str, name: str, tmp_path: Path, wallwright: Wallwright
) -> None:
    file = tmp_path / name
    file.write_text("earlier results\n", encoding="utf-8")
    result = wallwright(command.replace("FOLDER", str(tmp_path)))
    option = "--report" if "--report" in command else "--events"
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"The file '{file}' exists and is not overwritten; name another file with {option}, or move"
        " that one away.\n"
    )
    assert file.read_text("utf-8") == "earlier results\n"


@pytest.mark.parametrize("option", ["--events", "--report"])
def test_an_empty_file_is_written(option: str, tmp_path: Path, wallwright: Wallwright) -> None:
    file = tmp_path / "results.md"
    file.touch()
    command = "run --game block --until ready" if option == "--events" else "selftest --sim --yes"
    assert wallwright(f"{command} --table bench {option} {file}").code == 0
    assert file.stat().st_size


@pytest.mark.slow
def test_the_events_of_a_resumed_run_are_appended(
    tmp_path: Path, wallwright: Wallwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The decision to resume is replaced: only a run on real ports is resumed."""
    monkeypatch.setattr(
        "controller.service.runs.table_run.resumed_entries", lambda job, journal: ()
    )
    file = tmp_path / "events.jsonl"
    earlier = '{"event": "earlier"}\n'
    file.write_text(earlier, encoding="utf-8")
    run = f"run --game block --until ready --journal {tmp_path / 'journal'} --events {file}"
    assert wallwright(run).code == 0
    assert file.read_text("utf-8").startswith(f'{earlier}{{"t": 0.0, "event": "run_started"')
