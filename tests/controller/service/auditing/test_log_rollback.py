"""A log that was cut back, replaced by an older copy, or deleted is found at the next start."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from controller.cli import main
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.service.evening.evening_store import EveningStore
from tests.controller.service.service_at_a_table import Guests, at_a_table

PAI_GOW = {"game": "pai_gow"}


@dataclass(frozen=True)
class Table:
    """A table whose service has run twice; `earlier` is a copy of its folder between the runs."""

    data: Path
    earlier: Path

    def run(self) -> str:
        """Start the service once more; returns the code of its fault, empty if it plays."""
        found: list[str] = []

        async def scenario(guests: Guests) -> None:
            await guests.give("start_session", choice=PAI_GOW)
            await guests.until(
                lambda status: status.fault is not None or status.machine.top == "playing"
            )
            fault = guests.status.fault
            found.append("" if fault is None else f"{fault.code}: {fault.evidence}")

        at_a_table(
            scenario,
            "pai_gow",
            audit=self.data / "audit",
            store=self.data / "evening.db",
            journal=self.data / "table.journal",
        )
        return found[0]

    def put_back(self, *names: str) -> None:
        """Replace files and folders by those between the runs."""
        for name in names:
            for file in self.data.glob(f"{name}*"):
                shutil.rmtree(file) if file.is_dir() else file.unlink()
            for file in self.earlier.glob(f"{name}*"):
                copy = shutil.copytree if file.is_dir() else shutil.copy
                copy(file, self.data / file.name)


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Table:
    folder = tmp_path_factory.mktemp("table")
    made = Table(folder / "data", folder / "earlier")
    made.data.mkdir()
    assert made.run() == ""
    shutil.copytree(made.data, made.earlier)
    assert made.run() == ""
    return made


@pytest.fixture
def table(two_runs: Table, tmp_path: Path) -> Table:
    return Table(Path(shutil.copytree(two_runs.data, tmp_path / "data")), two_runs.earlier)


def test_an_older_copy_of_the_log_locks_it(table: Table) -> None:
    size = checked_log(LogFolder(table.data / "audit")).size
    table.put_back("audit")
    fault = table.run()
    assert fault.startswith("AUDIT_LOCKED")
    assert f"the store of the evenings has recorded {size}" in fault
    assert checked_log(LogFolder(table.data / "audit")).size < size, "nothing was changed"


def test_a_log_that_is_cut_back_to_a_kept_head_locks(table: Table) -> None:
    """The events behind an older kept head are removed, and that head is put in place."""
    folder = LogFolder(table.data / "audit")
    notes, _ = folder.read_heads()
    size = int(notes[0].text.split("\n")[1])
    lines = folder.events.read_bytes().splitlines(keepends=True)
    folder.events.write_bytes(b"".join(lines[:size]))
    folder.heads.write_bytes(folder.heads.read_bytes().splitlines(keepends=True)[0])
    folder.head.write_text(str(notes[0]), "utf-8")
    folder.tree.unlink()
    assert checked_log(folder).size == size < len(lines), "the log agrees with itself"
    assert table.run().startswith("AUDIT_LOCKED")


def test_a_log_that_is_deleted_is_not_begun_again_in_silence(table: Table) -> None:
    shutil.rmtree(table.data / "audit")
    fault = table.run()
    assert fault.startswith("AUDIT_LOCKED")
    assert "it is missing, but" in fault
    assert not (table.data / "audit").exists()


def test_the_journal_finds_an_older_copy_of_log_and_store(table: Table) -> None:
    table.put_back("audit", "evening.db")
    fault = table.run()
    assert fault.startswith("AUDIT_LOCKED")
    assert "the journal" in fault


def test_another_log_of_the_same_size_is_found_by_its_origin_and_root(table: Table) -> None:
    with EveningStore(table.data / "evening.db") as store:
        anchor = store.fact("audit anchor")
        store.put_fact("audit anchor", {**anchor, "root": "00" * 32})
    assert "its first" in table.run()
    with EveningStore(table.data / "evening.db") as store:
        store.put_fact("audit anchor", {**anchor, "origin": "wallwright/pai_gow/0"})
    assert "it is the log" in table.run()


def test_a_person_begins_a_new_log_which_names_the_earlier_one(
    table: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier = checked_log(LogFolder(table.data / "audit")).checkpoint
    begin = ["audit", "begin", "--data", str(table.data)]
    assert main(begin) == 2
    assert "move the folder of the log away first" in capsys.readouterr().err
    (table.data / "audit").rename(table.data.parent / "evidence")
    assert main(begin) == 0
    assert table.run() == ""
    log = checked_log(LogFolder(table.data / "audit"))
    first = json.loads(next(log.lines()))
    assert first["details"]["earlier_log"]["origin"] == earlier.origin != log.checkpoint.origin
    assert first["details"]["earlier_log"]["size"] == str(earlier.size)
    assert table.run() == ""
