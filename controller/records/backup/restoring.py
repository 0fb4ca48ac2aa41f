"""Restores a backup: everything is checked in a folder of its own, then put into place at once."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path

from config.durable_files import replace_file, sync_folder
from controller.records.audit.errors import AuditError
from controller.records.audit.log.audit_log import begun_log, opened_log
from controller.records.audit.log.event_line import AuditEntry
from controller.records.audit.log.log_folder import FolderLock, LogFolder
from controller.records.backup.archive import (
    AUDIT_KEY,
    CONFIGURATION,
    DATA,
    BackupError,
    BackupManifest,
    PackedBackup,
)
from controller.records.backup.replacing import (
    discard,
    kept_name,
    new_staging,
    put_in_place,
    sync_tree,
)
from controller.records.backup.snapshots import AUDIT, JOURNAL, SLOTS
from controller.records.data_folder import (
    ANCHOR,
    ENDED,
    DataFolderInUseError,
    data_formats,
    locked_data_folder,
)
from controller.run.journal import JournalError
from controller.run.journal.copies import Locks, paths_of
from controller.run.journal.history import read_records

RESTORED = "restored.json"
"""The file in a restored data folder that says from which backup it is."""
EARLIER_LOG = "audit.before-restore"
"""The folder with the audit log of the backup, if a new log was begun.

A backup of a restored folder has such a folder already; the next is `audit.before-restore-2`."""
BACKUP_RESTORED = "backup_restored"
"""The event of a log that goes on after a restore."""
_LAST_ROUNDS = "last rounds"


@dataclass(frozen=True)
class RestoreTargets:
    """Where a backup is restored to; a part without a target is left out."""

    data: Path
    journal_copy: Path | None = None
    configuration: Path | None = None
    keys: Path | None = None
    replace: bool = False
    """Whether present files are moved aside."""
    with_journal: bool = True
    continue_log: bool = False
    """Whether the audit log goes on with its own key, instead of a new log."""


@dataclass(frozen=True)
class Restored:
    """The restored parts, and the names of the folders that were moved aside."""

    manifest: BackupManifest
    kept: tuple[Path, ...]
    new_log: str
    """The public key of the new audit log; empty if the log goes on, or if there is none."""
    earlier_log: str
    """The name of the folder with the log of the backup; empty if no new log was begun."""


def restore_backup(backup: bytes, targets: RestoreTargets) -> Restored:
    """Restore a decrypted backup. Raises BackupError; then nothing was changed.

    The configuration and the keys are put into place before the data folder: if that is there, the
    restore is complete. After a power cut the same command completes it.
    """
    packed = PackedBackup(backup)
    manifest = packed.manifest
    _require_readable(manifest)
    _require_possible(manifest, targets)
    places = _places(targets)
    _require_free(places, replace=targets.replace)
    try:
        with _without_a_table(targets):
            return _restore(packed, targets, places)
    except OSError as error:
        raise BackupError(
            f"{error.filename or targets.data} cannot be written ({error.strerror}); the data"
            " folder was not changed. Run the command as root, or free space on the disk."
        ) from error


def _restore(packed: PackedBackup, targets: RestoreTargets, places: dict[str, Path]) -> Restored:
    manifest = packed.manifest
    staged: dict[str, Path] = {}
    try:
        for part, place in places.items():
            staged[part] = new_staging(place)
        for name, data in packed.files():
            _stage(staged, manifest, name, data, targets)
        new_log, earlier_log = _finish_data(staged[DATA], manifest, targets)
        for part, folder in staged.items():
            _give_to_owner(folder, places[part])
            sync_tree(folder)
    except BaseException:
        for folder in staged.values():
            discard(folder)
        raise
    kept = []
    if targets.journal_copy is not None:
        third = targets.journal_copy / f"{JOURNAL}.3"
        if third.exists():
            kept.append(kept_name(third))
            third.rename(kept[-1])
            sync_folder(third.parent)
    for part in sorted(staged, key=lambda part: part == DATA):
        try:
            old = put_in_place(staged[part], places[part])
        except OSError:
            # Without a target the prepared folder is kept: the next restore needs no other.
            if places[part].exists():
                discard(staged[part])
            raise
        kept += [old] if old is not None else []
    return Restored(manifest, tuple(kept), new_log, earlier_log)


def _require_readable(manifest: BackupManifest) -> None:
    """Raise BackupError for a format that is newer than this program."""
    mine = data_formats()
    for name, version in manifest.formats.items():
        if version > mine.get(name, 0):
            raise BackupError(
                f"The backup has the format {name} {version}, and this program reads"
                f" {mine.get(name, 'none')}; install wallwright {manifest.program[:20]} or newer."
                " Nothing was changed."
            )


def _require_possible(manifest: BackupManifest, targets: RestoreTargets) -> None:
    if targets.continue_log and not manifest.has(AUDIT_KEY):
        raise BackupError(
            "The backup has no private key of the audit log, so the log cannot be continued; leave "
            "out --continue-log, and a new log begins."
        )
    own = LogFolder(targets.data / AUDIT)
    if targets.continue_log and own.exists and own.events.exists():
        with own.events.open("rb") as file:
            first = file.readline()
        if str(manifest.audit.get("origin", "?")).encode() in first:
            raise BackupError(
                f"{targets.data} has the same audit log, and perhaps later events: continuing from "
                "the backup would make a second log with the same key. Leave out --continue-log."
            )
    if (targets.data / SLOTS / "current").is_symlink():
        raise BackupError(
            f"{targets.data} contains the slots of the program, which a restore would move away;"
            " name the data folder itself with --data."
        )


def _places(targets: RestoreTargets) -> dict[str, Path]:
    places = {DATA: targets.data, CONFIGURATION: targets.configuration, "keys": targets.keys}
    return {part: place.absolute() for part, place in places.items() if place is not None}


def _require_free(places: dict[str, Path], *, replace: bool) -> None:
    """Raise BackupError for a target with contents, unless it may be moved aside."""
    for place in places.values():
        if place.exists() and not place.is_dir():
            raise BackupError(f"{place} is not a folder; name another.")
        if place.is_mount():
            raise BackupError(
                f"{place} is a mount point, which a restore cannot replace; name a folder in it. "
                "Nothing was changed."
            )
        if place.is_dir() and any(place.iterdir()) and not replace:
            raise BackupError(
                f"The folder {place} is not empty; add --replace, which moves it aside and deletes"
                " nothing, or name another folder."
            )


@contextmanager
def _without_a_table(targets: RestoreTargets) -> Iterator[None]:
    """Hold every lock that a service, a run or a change of the key holds. Raises BackupError."""
    data = targets.data
    with ExitStack() as held:
        if data.is_dir():
            try:
                held.enter_context(locked_data_folder(data))
                if any(path.exists() for path in paths_of(data / JOURNAL)):
                    held.callback(Locks(paths_of(data / JOURNAL)).release)
                if (data / AUDIT).is_dir():
                    held.callback(FolderLock(LogFolder(data / AUDIT)).release)
            except (DataFolderInUseError, JournalError, AuditError) as error:
                raise BackupError(
                    f"A table runs with the folder {data}, and nothing is restored onto it: {error}"
                    " Stop the service first."
                ) from error
        yield


def _stage(
    staged: dict[str, Path],
    manifest: BackupManifest,
    name: str,
    data: bytes,
    targets: RestoreTargets,
) -> None:
    """Write one file of the backup to the folder of its part, if that is restored."""
    part, _, rest = name.partition("/")
    if part not in staged:
        return
    is_journal = part == DATA and rest.startswith(JOURNAL)
    if is_journal and not targets.with_journal:
        return
    if name == AUDIT_KEY and not targets.continue_log:
        return
    if is_journal and rest == f"{JOURNAL}.3" and targets.journal_copy is not None:
        return  # The next start writes it to the other disk.
    place = staged[part] / rest
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = next(file.mode for file in manifest.files if file.name == name)
    # A new file: the names of a backup never lead through a link.
    file = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(file, "wb") as stream:
        stream.write(data)
        os.fchmod(stream.fileno(), mode & 0o755)


def _finish_data(
    folder: Path, manifest: BackupManifest, targets: RestoreTargets
) -> tuple[str, str]:
    """Check the staged records, and prepare the audit log (`_prepare_log`)."""
    try:
        if targets.with_journal:
            read_records(folder / JOURNAL)
    except JournalError as error:
        raise BackupError(f"The journal of the backup cannot be used: {error}") from error
    for file in (folder / "evening.db", folder / "accounts.sqlite"):
        if file.exists():
            _require_database(file)
    new_log = _prepare_log(folder, manifest, targets)
    about = {
        "backup": manifest.fingerprint,
        "made": manifest.made,
        "restored": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    replace_file(folder / RESTORED, json.dumps(about, indent=1).encode() + b"\n")
    return new_log


def _prepare_log(
    folder: Path, manifest: BackupManifest, targets: RestoreTargets
) -> tuple[str, str]:
    """Continue the log by an event, or keep it beside a new log whose first event names it.

    Returns the new log's public key and the name of the folder with the earlier log; both are
    empty if the log goes on or if the backup has none.
    """
    log = LogFolder(folder / AUDIT)
    if not log.path.is_dir():
        return "", ""
    details = {
        "backup": manifest.fingerprint,
        "made": manifest.made,
        "earlier_log": {
            key: str(manifest.audit.get(key, "")) for key in ("origin", "size", "root", "key")
        },
    }
    entry = AuditEntry(BACKUP_RESTORED, datetime.now(UTC), 0.0, 0.0, details=details)
    try:
        _end_log(folder / "evening.db", str(manifest.audit.get("origin", "")))
        if targets.continue_log:
            going_on = opened_log(log)
            going_on.append([entry], keep_head=True)
            going_on.close()
            return "", ""
        earlier = _free_place(folder)
        log.path.rename(earlier)
        origin = str(manifest.audit.get("origin", "")).split("/")
        table = origin[1] if len(origin) == 3 else "table"
        new = begun_log(log, table, entry)
        new.close()
    except AuditError as error:
        raise BackupError(f"The audit log of the backup cannot be used: {error}") from error
    _forget_receipts(folder / "evening.db")
    return str(new.key.public), earlier.name


def _free_place(folder: Path) -> Path:
    """Return the place of the log of this backup beside the logs of earlier restores."""
    names = chain([EARLIER_LOG], (f"{EARLIER_LOG}-{number}" for number in count(2)))
    return next(folder / name for name in names if not (folder / name).exists())


def _end_log(store: Path, origin: str) -> None:
    """Note in the store that a restore has ended a log, so that the service expects another one.

    The anchor of the store is removed: the log and the store of a backup are not of one moment.
    """
    if not store.exists():
        return
    with closing(sqlite3.connect(store, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        rows = database.execute("SELECT value FROM fact WHERE name = ?", (ENDED,)).fetchall()
        ended = json.loads(rows[0][0]) if rows else []
        if origin not in ended:
            ended.append(origin)
        database.execute("DELETE FROM fact WHERE name IN (?, ?)", (ANCHOR, ENDED))
        database.execute("INSERT INTO fact VALUES (?, ?)", (ENDED, json.dumps(ended)))


def _forget_receipts(store: Path) -> None:
    """Remove the places of receipts in the earlier log: they would name events of the new one."""
    if not store.exists():
        return
    with closing(sqlite3.connect(store, isolation_level=None)) as database:
        # No file beside the store may remain: it is renamed with its folder.
        database.execute("PRAGMA journal_mode = DELETE")
        rows = database.execute("SELECT value FROM fact WHERE name = ?", (_LAST_ROUNDS,)).fetchall()
        for (text,) in rows:
            rounds = json.loads(text)
            for contents in rounds:
                contents.pop("event", None)
            database.execute(
                "UPDATE fact SET value = ? WHERE name = ?",
                (json.dumps(rounds, separators=(",", ":"), ensure_ascii=False), _LAST_ROUNDS),
            )


def _require_database(file: Path) -> None:
    try:
        with closing(sqlite3.connect(file)) as database:
            (state,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.Error as error:
        state = str(error)
    if state != "ok":
        raise BackupError(f"The database {file.name} of the backup is damaged ({state}).")


def _give_to_owner(folder: Path, place: Path) -> None:
    """Give staged files to the owner of the folder that they replace, if root restores them."""
    if os.geteuid() != 0 or not place.exists():
        return
    owner = place.stat()
    folder.chmod(owner.st_mode & 0o777)
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, owner.st_uid, owner.st_gid)
