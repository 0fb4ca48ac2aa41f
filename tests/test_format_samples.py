"""Every release's sample files are read by this program, and newer formats are refused.

The samples of a release are in `tests/samples/RELEASE`, written once by `tools/format_samples.py`.
"""

from __future__ import annotations

import gzip
import io
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from config.loader import load_table
from controller.cli.commands.version import program_version
from controller.cli.output.format_versions import formats
from controller.records.audit.bundle import verify_bundle
from controller.records.audit.errors import AuditLockedError, RefusedProofError
from controller.records.audit.log import audit_log, key_chain
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.records.backup.archive import BackupError, PackedBackup
from controller.records.backup.restoring import RestoreTargets, restore_backup
from controller.records.backup.sealing import opened
from controller.records.identity import signing
from controller.records.identity.boot import SIGNERS
from controller.records.identity.manifest import IdentityError, read_manifest
from controller.run.journal import Journal, JournalError, read_entries, read_records
from controller.run.journal.copies import paths_of
from controller.run.journal.lines import JOURNAL_FORMAT, JournalRecord, chain_of, line_of
from controller.service.evening.evening_store import EveningStore, StoreError
from controller.service.user_roles import UserRole
from controller.web.api.accounts.login_secrets import Passwords
from controller.web.api.accounts.store import AccountsFileError, AccountStore
from firmware_bridge.wire.codec import Decoder
from firmware_bridge.wire.messages import PROTOCOL, TABLE, Limits, ReadLimits, ReadSupply, Supply
from tests.controller.records.audit.logs_for_tests import log_of
from tests.controller.records.backup.table_folder import contents
from tests.controller.records.identity.signed_program import small_program
from tools.compatibility_page import ROWS
from tools.format_samples import PASSPHRASE, PASSWORD, main

SAMPLES = Path(__file__).parent / "samples"
RELEASES = sorted(folder.name for folder in SAMPLES.iterdir())
FIRST = "0.1"
"""The release that had no service; its only sample is a journal without batches and stamp."""
LATER = 99
Read = Callable[[], object]
Make = Callable[[Path], Read]
"""Changes the samples to a later format; returns the function that then must refuse them."""


@pytest.fixture(params=[release for release in RELEASES if release != FIRST])
def samples(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the samples of one release that has all formats."""
    return Path(shutil.copytree(SAMPLES / request.param, tmp_path / "samples"))


# Files of every release


@pytest.mark.parametrize("release", RELEASES)
def test_the_journal_of_a_round_is_read_and_continued(release: str, tmp_path: Path) -> None:
    file = Path(shutil.copy(SAMPLES / release / "table.journal", tmp_path))
    entries = read_entries(file)
    assert {"top", "under"} <= {entry.activity for entry in entries}
    assert any(entry.confirmed for entry in entries)
    before = len(read_records(file))
    with Journal(file, "2031-01-01T12:00:00+00:00", {"table": "pai_gow"}) as journal:
        journal.intend("top", 1.0, {"step": "throw"})
    assert len(read_records(file)) > before


def test_the_sessions_are_read_with_a_hand_and_its_record(samples: Path) -> None:
    with EveningStore(samples / "evening.db") as store:
        ((session, _, _, game, _),) = store.sessions(None, 9)
        assert (session, game) == ("s1", "pai_gow")
        assert store.results(session, 0, 9)
        lines, events, _ = store.hand(session, 1) or ([], [], None)
        assert events
        assert isinstance(lines, list)
        assert store.fact("last rounds")


def test_the_accounts_are_read_and_the_password_is_verified(samples: Path) -> None:
    store = AccountStore(samples)
    (user,) = store.users()
    assert (user.name, user.role) == ("Ann", UserRole.TECHNICIAN)
    assert Passwords().verify(store.password(user), PASSWORD)
    ((_, credential),) = store.credentials()
    assert (credential.kind, credential.role) == ("token", UserRole.AUDITOR)
    store.close()


def test_the_audit_log_and_its_bundle_verify(samples: Path) -> None:
    log = checked_log(LogFolder(samples / "audit"))
    kinds = {event.what for event in log.events()}
    assert {"log_begun", "power_up", "dice_thrown", "receipt"} <= kinds
    with (samples / "bundle.jsonl").open("rb") as file:
        bundle = verify_bundle(file, log.keys.latest)
    assert bundle.size == log.size


@pytest.mark.parametrize("name", ["plain.backup", "sealed.backup"])
def test_a_backup_is_opened_and_restored(samples: Path, name: str, tmp_path: Path) -> None:
    backup = opened((samples / name).read_bytes(), PASSPHRASE, ())
    to = tmp_path / "restored"
    done = restore_backup(backup, RestoreTargets(to))
    assert done.manifest.journal["records"] == len(read_records(to / "table.journal"))
    assert checked_log(LogFolder(to / "audit.before-restore")).size == done.manifest.audit["size"]
    with EveningStore(to / "evening.db") as store:
        assert store.results("s1", 0, 9)
    assert (to / "table.journal.chance-key").exists() == (name == "sealed.backup")


NEW_MESSAGES = (ReadLimits, Limits, ReadSupply, Supply)
SINCE_0_2 = {row.number for row in TABLE if row.message in NEW_MESSAGES}
"""Messages of firmware 2 and 3; their frames are in the samples of the next release."""


def test_the_files_of_tables_have_no_defect(samples: Path) -> None:
    files = sorted(samples.glob("tables/*.yaml"))
    assert files
    for file in files:
        assert load_table(file).boards


def test_the_frames_of_the_wire_are_decoded(samples: Path) -> None:
    seen = set()
    for line in (samples / "wire.hex").read_text().splitlines()[1:]:
        number, *frames = line.split(" ")
        decoder = Decoder()
        plain, tagged = decoder.feed(b"".join(map(bytes.fromhex, frames)))
        row = next(row for row in TABLE if row.number == int(number))
        assert (plain.address, plain.sequence, type(plain.message)) == (2, 7, row.message)
        assert (tagged.message, decoder.dropped) == (plain.message, 0)
        payload = bytes((index * 37 + row.number) % 200 for index in range(row.layout.size))
        assert plain.message == row.message._make(row.layout.unpack(payload))
        seen.add(row.number)
    assert PROTOCOL > 2 or seen == {row.number for row in TABLE} - SINCE_0_2


def test_samples_are_never_written_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(SAMPLES)
    assert main([str(SAMPLES / RELEASES[-1])]) == 2
    assert "samples of a release never change" in capsys.readouterr().err
    assert main([]) == 2
    assert contents(SAMPLES) == before
    assert not list(tmp_path.iterdir())


# Files of a newer format


def later_journal(folder: Path) -> Read:
    file = folder / "table.journal"
    first = read_records(file)[0]
    assert isinstance(first.content, dict)
    assert first.content["journal"]["format"] == JOURNAL_FORMAT
    line = line_of(first, "")
    stamp = {**first.content["journal"], "format": LATER}
    content = {**first.content, "journal": stamp}
    added = JournalRecord(2, "run", first.activity, 0.0, content, None, 2)
    for path in paths_of(file):
        path.write_bytes(line + b"\n" + line_of(added, chain_of(line)) + b"\n")
    return lambda: Journal(file, "2031-01-01T12:00:00+00:00", {}).__enter__()


def later_database(name: str, read: Callable[[Path], object]) -> Make:
    def made(folder: Path) -> Read:
        with closing(sqlite3.connect(folder / name)) as database:
            database.execute(f"PRAGMA user_version = {LATER}")
            database.execute("PRAGMA journal_mode = WAL").fetchall()
        return lambda: read(folder)

    return made


def later_log(folder: Path) -> Read:
    shutil.rmtree(folder / "audit")
    with pytest.MonkeyPatch.context() as patch:
        for module in (audit_log, key_chain):
            patch.setattr(module, "LOG_FORMAT", f"wallwright-audit-log/{LATER}")
        log_of(folder / "audit", 3).close()
    return lambda: checked_log(LogFolder(folder / "audit"))


def later_bundle(folder: Path) -> Read:
    file = folder / "bundle.jsonl"
    file.write_bytes(file.read_bytes().replace(b"audit-bundle/1", b"audit-bundle/99", 1))
    return lambda: verify_bundle(io.BytesIO(file.read_bytes()), None)


def later_backup(folder: Path) -> Read:
    file = folder / "plain.backup"
    text = gzip.decompress(file.read_bytes()).replace(b"wright-backup/1", b"wright-backup/9")
    file.write_bytes(gzip.compress(text))
    return lambda: PackedBackup(file.read_bytes())


def later_manifest(folder: Path) -> Read:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(signing, "FORMAT", f"wallwright manifest {LATER}")
        program = small_program(folder)
    return lambda: read_manifest(program.manifest, program.trust / SIGNERS)


NEWER: dict[str, tuple[Make, type[Exception], str]] = {
    "journal": (later_journal, JournalError, "has the format 99, and this program reads 2"),
    "sessions": (
        later_database("evening.db", lambda folder: EveningStore(folder / "evening.db")),
        StoreError,
        "has version 99, and this program reads version 1",
    ),
    "accounts": (
        later_database("accounts.sqlite", AccountStore),
        AccountsFileError,
        "has version 99; this program reads version 3",
    ),
    "audit_log": (later_log, AuditLockedError, "of the format wallwright-audit-log/1"),
    "audit_bundle": (later_bundle, RefusedProofError, "wallwright-audit-bundle/1"),
    "backup": (later_backup, BackupError, "'wallwright-backup/9', and this program reads"),
    "manifest": (later_manifest, IdentityError, "wallwright manifest 1"),
}


@pytest.mark.parametrize("name", NEWER)
def test_a_newer_format_is_refused_by_a_sentence_and_nothing_is_changed(
    name: str, tmp_path: Path
) -> None:
    make, error, sentence = NEWER[name]
    folder = Path(shutil.copytree(SAMPLES / RELEASES[-1], tmp_path / "samples"))
    read = make(folder)
    before = contents(folder)
    with pytest.raises(error, match=sentence):
        read()
    after = contents(folder)
    # SQLite's own files beside a database, and locks, hold no records.
    assert {key: data for key, data in after.items() if key in before} == before
    added = after.keys() - before.keys()
    assert all(key.endswith(("-wal", "-shm", "lock")) for key in added)


# The table


def test_the_table_of_formats_has_every_format_of_the_program() -> None:
    assert set(ROWS) == set(formats())
    assert all(type(version) is int and version >= 1 for version in formats().values())


def test_there_are_samples_of_this_minor_version_of_the_program() -> None:
    assert ".".join(program_version().split(".")[:2]) in RELEASES


def test_the_journal_of_the_first_release_has_no_batches_and_no_stamp() -> None:
    records = read_records(SAMPLES / FIRST / "table.journal")
    assert len(records) == 60
    assert {record.batch for record in records} == {None}
    assert isinstance(records[0].content, dict)
    assert "journal" not in records[0].content
