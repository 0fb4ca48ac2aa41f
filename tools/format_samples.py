"""Writes small real files of each format, which every later version must read.

`python -m tools.format_samples FOLDER` is run once for each release, by the program of that
release; `tests/test_format_samples.py` and `tests/test_interfaces.py` read all samples with the
present program. The folder must not exist: samples of a release never change.
"""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from config.loader import packaged_text, table_names
from controller.cli.commands.version import program_version
from controller.records.audit.bundle import export_bundle
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.records.backup.creating import BackupSources, create_backup
from controller.records.backup.sealing import Sealing
from controller.records.backup.snapshots import database_copy
from controller.service.user_roles import UserRole
from controller.web.api.accounts.identity import Credential, User
from controller.web.api.accounts.login_secrets import Passwords
from controller.web.api.accounts.store import AccountStore
from firmware_bridge.wire.codec import encode
from firmware_bridge.wire.messages import TABLE
from tools.interfaces import interfaces_text

PASSPHRASE = "the samples are public"  # noqa: S105 - they hold no secret
"""The passphrase of the encrypted backup among the samples."""
PASSWORD = "a password of samples"  # noqa: S105 - of a user who exists in the samples only
TAG_KEY = bytes(range(16))
_SECONDS = 180.0


def write_samples(folder: Path) -> None:
    """Write all samples to a new folder. Raises OSError if it exists."""
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "data"
        _play(data)
        _add_users(data)
        _export(data, folder)
        for name, sealing in (
            ("plain.backup", Sealing()),
            ("sealed.backup", Sealing(PASSPHRASE)),
        ):
            create_backup(BackupSources(data), folder / name, sealing, program_version())
        shutil.copyfile(data / "table.journal", folder / "table.journal")
        for name in ("evening.db", "accounts.sqlite"):
            (folder / name).write_bytes(database_copy(data / name))
    _write_capture(folder / "wire.hex")
    (folder / "interfaces.json").write_text(interfaces_text())
    tables = folder / "tables"
    tables.mkdir()
    for name in table_names():
        (tables / f"{name}.yaml").write_text(packaged_text(name))


def _play(data: Path) -> None:
    """Let a simulated table deal one round of pai gow, with the service of this program."""
    command = (
        *(sys.executable, "-m", "controller.cli", "serve", "--table", "pai_gow", "--sim", "200"),
        *("--game", "pai_gow", "--automatic", "--listen", "127.0.0.1:0", "--data", str(data)),
    )
    process = subprocess.Popen(command, stdout=subprocess.PIPE)  # noqa: S603 - this program
    try:
        store = data / "evening.db"
        for _ in range(int(_SECONDS * 10)):
            if process.poll() is not None:
                break
            if store.exists() and _hands(store):
                break
            time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def _hands(store: Path) -> int:
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
            (number,) = database.execute("SELECT count(*) FROM hand").fetchone()
    except sqlite3.Error:
        return 0
    return int(number)


def _add_users(data: Path) -> None:
    accounts = AccountStore(data)
    accounts.save_user(User("Ann", UserRole.TECHNICIAN, 1.0), Passwords().hash(PASSWORD))
    key = Credential("k1", "token", "a machine", UserRole.AUDITOR, 1.0, None)
    accounts.add_credential("0" * 64, key)
    accounts.close()


def _export(data: Path, folder: Path) -> None:
    """Copy the audit log without its private key, and write a bundle of it."""
    log = LogFolder(data / "audit")
    names = shutil.ignore_patterns("key", "lock")
    shutil.copytree(log.path, folder / "audit", ignore=names)
    with (folder / "bundle.jsonl").open("xb") as file:
        export_bundle(checked_log(log), file)


def _write_capture(file: Path) -> None:
    """Write one frame of each message in hexadecimal: without a tag, and with one."""
    lines = [f"# {datetime.now(UTC).date()}: number, frame, tagged frame"]
    for row in TABLE:
        payload = bytes((index * 37 + row.number) % 200 for index in range(row.layout.size))
        message = row.message._make(row.layout.unpack(payload))
        frames = encode(2, 7, message), encode(2, 7, message, TAG_KEY, 9)
        lines.append(" ".join((str(row.number), *(frame.hex() for frame in frames))))
    file.write_text("\n".join(lines) + "\n", "ascii")


def main(arguments: Sequence[str]) -> int:
    """Write the samples to the folder that is named; returns the exit code."""
    if len(arguments) != 1:
        print("Give one folder, such as tests/samples/0.2.", file=sys.stderr)
        return 2
    try:
        write_samples(Path(arguments[0]))
    except FileExistsError:
        print(f"{arguments[0]} exists; samples of a release never change.", file=sys.stderr)
        return 2
    print(f"Written: {arguments[0]}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
