"""`wallwright backup`: makes, shows and restores backups of a table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getpass
from pathlib import Path

import click

from controller.cli.command import CommandGroup
from controller.cli.commands.version import program_version
from controller.cli.errors import BadInputError
from controller.cli.options.shared import PATH, journal_copy_option, json_option
from controller.records.backup.archive import BackupError, BackupManifest, PackedBackup
from controller.records.backup.creating import BackupSources, create_backup, unfinished_backups
from controller.records.backup.restoring import RestoreTargets, restore_backup
from controller.records.backup.sealing import (
    Sealing,
    identities_in,
    make_identity,
    needs_passphrase,
    opened,
    passphrase_in,
    require_good,
    require_recipients,
)
from firmware_bridge.commissioning.key_files import keys_file

backup = CommandGroup("backup", help="Make, show and restore backups of a table.")

CONFIGURATION = Path("/etc/wallwright")
data_option = click.option(
    "--data", type=PATH, required=True, help="The data folder of the service."
)
backup_argument = click.argument("file", type=PATH, help="The file of the backup.")
passphrase_file_option = click.option(
    "--passphrase-file",
    type=PATH,
    help="A file whose first line is the passphrase; without it, it is asked for at the terminal.",
)
identity_option = click.option(
    "--identity",
    type=PATH,
    help="The file of the private key, for a backup that was made with --recipient.",
)


@backup.command("make-key")
@click.argument("file", type=PATH, help="The new file of the private key.")
def make_key(file: Path) -> int:
    """Make a key pair: the private key in a file, the public key for `create --recipient`."""
    with _errors_reported():
        print(make_identity(file))
    return 0


@backup.command()
@click.argument("file", type=PATH, help="The new file of the backup.")
@data_option
@journal_copy_option
@click.option(
    "--configuration",
    type=PATH,
    multiple=True,
    show_default="/etc/wallwright, if it is there",
    help="A file or folder of the configuration, such as the table's file; repeat it.",
)
@click.option(
    "--keys",
    type=PATH,
    show_default="~/.config/wallwright/keys",
    help="The file with the keys of the boards.",
)
@passphrase_file_option
@click.option(
    "--recipient",
    multiple=True,
    help="Encrypt for this public key (age1...) instead of a passphrase; repeat it.",
)
@click.option("--plain", is_flag=True, help="Do not encrypt; private keys are left out.")
@click.option(
    "--with-log-key",
    is_flag=True,
    help="Include the private key of the audit log: a person who opens the backup can"
    " begin a second history of the log.",
)
def create(
    file: Path,
    data: Path,
    journal_copy: Path | None,
    configuration: tuple[Path, ...],
    keys: Path | None,
    passphrase_file: Path | None,
    recipient: tuple[str, ...],
    plain: bool,
    with_log_key: bool,
) -> int:
    """Make a backup of a table, also while it runs."""
    ways = [passphrase_file is not None, bool(recipient), plain]
    if sum(ways) > 1:
        raise BadInputError("Give one of --passphrase-file, --recipient and --plain.")
    for path in configuration:
        if not path.exists():
            raise BadInputError(f"There is no file or folder {path}; correct --configuration.")
    if keys is not None and not keys.exists():
        raise BadInputError(f"There is no key file {keys}; correct --keys.")
    with _errors_reported():
        if file.exists():
            raise BadInputError(f"There is a file {file} already; name a new file.")
        sealing = _sealing(passphrase_file, recipient, plain=plain)
        manifest = create_backup(
            BackupSources(
                data,
                journal_copy,
                configuration or ((CONFIGURATION,) if CONFIGURATION.is_dir() else ()),
                keys or keys_file(),
                with_log_key,
            ),
            file,
            sealing,
            program_version(),
        )
    _print(manifest, file)
    for left in unfinished_backups(file.parent):
        print(f"{left} was left by a backup that was interrupted; it is not a backup: delete it.")
    return 0


@backup.command()
@backup_argument
@passphrase_file_option
@identity_option
@json_option
def show(file: Path, passphrase_file: Path | None, identity: Path | None, as_json: bool) -> int:
    """Open a backup, check every file in it, and print what it holds."""
    with _errors_reported():
        packed = PackedBackup(_opened(file, passphrase_file, identity))
        for _ in packed.files():
            pass
    if as_json:
        print(packed.manifest.text.decode(), end="")
    else:
        _print(packed.manifest, file)
    return 0


@backup.command()
@backup_argument
@data_option
@journal_copy_option
@click.option(
    "--configuration",
    type=PATH,
    help="Restore the configuration to this folder; without it, it is left out.",
)
@click.option(
    "--keys",
    type=PATH,
    help="Restore the keys of the boards to this folder; without it, they are left out.",
)
@passphrase_file_option
@identity_option
@click.option(
    "--replace", is_flag=True, help="Move a folder that is not empty aside; nothing is deleted."
)
@click.option(
    "--without-journal",
    is_flag=True,
    help="Leave out the journal, if tiles were moved since the backup: the table then"
    " begins with all tiles gathered.",
)
@click.option(
    "--continue-log",
    is_flag=True,
    help="Go on with the audit log by its own key, which the backup must have; only if no"
    " other table goes on with it.",
)
def restore(
    file: Path,
    data: Path,
    journal_copy: Path | None,
    configuration: Path | None,
    keys: Path | None,
    passphrase_file: Path | None,
    identity: Path | None,
    replace: bool,
    without_journal: bool,
    continue_log: bool,
) -> int:
    """Restore a backup to a folder that no table uses."""
    with _errors_reported():
        targets = RestoreTargets(
            data,
            journal_copy,
            configuration,
            keys,
            replace,
            not without_journal,
            continue_log,
        )
        done = restore_backup(_opened(file, passphrase_file, identity), targets)
    _print(done.manifest, file)
    print(f"Restored to {data}.")
    for kept in done.kept:
        print(f"What was there before is in {kept}.")
    if done.new_log:
        print(f"A new audit log begins; its key is {done.new_log}")
        print(f"The earlier log is in {data / done.earlier_log}; keep it as evidence.")
    if done.manifest.journal.get("unfinished") and not without_journal:
        print(
            "The journal has an unfinished run: the next start goes on with it. If tiles were moved"
            " since the backup, restore it again with --replace --without-journal."
        )
    return 0


def _print(manifest: BackupManifest, file: Path) -> None:
    size = sum(each.size for each in manifest.files)
    print(f"Backup {file}: {len(manifest.files)} files, {size} bytes")
    print(f"made      {manifest.made} by wallwright {manifest.program}")
    print(f"identity  {manifest.fingerprint}")
    journal, audit = manifest.journal, manifest.audit
    if journal:
        run = f", unfinished run of {journal['unfinished']}" if journal.get("unfinished") else ""
        print(f"journal   {journal.get('records')} records{run}")
    if audit.get("size"):
        held = "with" if audit.get("with_private_key") else "without"
        print(f"audit log {audit['size']} events, {held} its private key")
    for sentence in manifest.notes:
        print(sentence)


def _sealing(passphrase_file: Path | None, recipients: tuple[str, ...], *, plain: bool) -> Sealing:

    if plain:
        return Sealing()
    if recipients:
        require_recipients(recipients)
        return Sealing(recipients=recipients)
    if passphrase_file is not None:
        return Sealing(require_good(passphrase_in(passphrase_file)))
    passphrase = require_good(_asked("Passphrase of the backup: "))
    if _asked("The same passphrase again: ") != passphrase:
        raise BadInputError("The two passphrases are different; nothing was written. Try again.")
    return Sealing(passphrase)


def _asked(question: str) -> str:
    """A passphrase that is typed at the terminal, unseen. Raises BadInputError without one."""
    if not sys.stdin.isatty():
        raise BadInputError(
            "A backup needs a passphrase, and no terminal is attached to enter it: give "
            "--passphrase-file FILE, --recipient KEY, or --plain."
        )
    try:
        return getpass(question)
    except EOFError as error:
        raise BadInputError("No passphrase was typed; nothing was written.") from error


def _opened(file: Path, passphrase_file: Path | None, identity: Path | None) -> bytes:

    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadInputError(f"{file} cannot be read ({error.strerror}); name a backup.") from error
    passphrase = None if passphrase_file is None else passphrase_in(passphrase_file)
    if passphrase is None and needs_passphrase(data) and sys.stdin.isatty():
        passphrase = _asked("Passphrase of the backup: ")
    return opened(data, passphrase, () if identity is None else identities_in(identity))


@contextmanager
def _errors_reported() -> Iterator[None]:
    """Report the errors of backups as bad input: exit code 2."""
    try:
        yield
    except BackupError as error:
        raise BadInputError(str(error)) from error
