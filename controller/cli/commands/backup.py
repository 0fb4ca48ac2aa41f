"""`wallwright backup`: makes, shows and restores backups of a table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import BadInputError
from controller.cli.options.shared import AsJson, JournalCopy

if TYPE_CHECKING:
    from controller.records.backup.archive import BackupManifest
    from controller.records.backup.sealing import Sealing

backup = typer.Typer(name="backup", help="Make, show and restore backups of a table.")

CONFIGURATION = Path("/etc/wallwright")
Data = Annotated[Path, typer.Option("--data", help="The data folder of the service.")]
Backup = Annotated[Path, typer.Argument(help="The file of the backup.")]
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        help="A file whose first line is the passphrase; without it, it is asked for at the"
        " terminal.",
        show_default=False,
    ),
]
Identity = Annotated[
    Path | None,
    typer.Option(
        help="The file of the private key, for a backup that was made with --recipient.",
        show_default=False,
    ),
]


@backup.command("make-key")
def make_key(
    file: Annotated[Path, typer.Argument(help="The new file of the private key.")],
) -> int:
    """Make a key pair: the private key in a file, the public key for `create --recipient`."""
    from controller.records.backup.sealing import make_identity

    with _errors_reported():
        print(make_identity(file))
    return 0


@backup.command()
def create(
    file: Annotated[Path, typer.Argument(help="The new file of the backup.")],
    data: Data,
    journal_copy: JournalCopy = None,
    configuration: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file or folder of the configuration, such as the table's file; repeat it.",
            show_default="/etc/wallwright, if it is there",
        ),
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option(
            help="The file with the keys of the boards.",
            show_default="~/.config/wallwright/keys",
        ),
    ] = None,
    passphrase_file: PassphraseFile = None,
    recipient: Annotated[
        list[str] | None,
        typer.Option(
            help="Encrypt for this public key (age1...) instead of a passphrase; repeat it.",
            show_default=False,
        ),
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Do not encrypt; private keys are left out.")
    ] = False,
    with_log_key: Annotated[
        bool,
        typer.Option(
            "--with-log-key",
            help="Include the private key of the audit log: a person who opens the backup can"
            " begin a second history of the log.",
        ),
    ] = False,
) -> int:
    """Make a backup of a table, also while it runs."""
    from controller.cli.commands.version import program_version
    from controller.records.backup.creating import BackupSources, create_backup, unfinished_backups
    from firmware_bridge.commissioning.device_keys import default_file

    ways = [passphrase_file is not None, bool(recipient), plain]
    if sum(ways) > 1:
        raise BadInputError("Give one of --passphrase-file, --recipient and --plain.")
    for path in configuration or ():
        if not path.exists():
            raise BadInputError(f"There is no file or folder {path}; correct --configuration.")
    if keys is not None and not keys.exists():
        raise BadInputError(f"There is no key file {keys}; correct --keys.")
    with _errors_reported():
        if file.exists():
            raise BadInputError(f"There is a file {file} already; name a new file.")
        sealing = _sealing(passphrase_file, recipient or [], plain=plain)
        manifest = create_backup(
            BackupSources(
                data,
                journal_copy,
                tuple(configuration or ([CONFIGURATION] if CONFIGURATION.is_dir() else [])),
                keys or default_file(),
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
def show(
    file: Backup,
    passphrase_file: PassphraseFile = None,
    identity: Identity = None,
    as_json: AsJson = False,
) -> int:
    """Open a backup, check every file in it, and print what it holds."""
    from controller.records.backup.archive import PackedBackup

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
def restore(
    file: Backup,
    data: Data,
    journal_copy: JournalCopy = None,
    configuration: Annotated[
        Path | None,
        typer.Option(
            help="Restore the configuration to this folder; without it, it is left out.",
            show_default=False,
        ),
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option(
            help="Restore the keys of the boards to this folder; without it, they are left out.",
            show_default=False,
        ),
    ] = None,
    passphrase_file: PassphraseFile = None,
    identity: Identity = None,
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="Move a folder that is not empty aside; nothing is deleted."
        ),
    ] = False,
    without_journal: Annotated[
        bool,
        typer.Option(
            "--without-journal",
            help="Leave out the journal, if tiles were moved since the backup: the table then"
            " begins with all tiles gathered.",
        ),
    ] = False,
    continue_log: Annotated[
        bool,
        typer.Option(
            "--continue-log",
            help="Go on with the audit log by its own key, which the backup must have; only if no"
            " other table goes on with it.",
        ),
    ] = False,
) -> int:
    """Restore a backup to a folder that no table uses."""
    from controller.records.backup.restoring import RestoreTargets, restore_backup

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


def _sealing(passphrase_file: Path | None, recipients: list[str], *, plain: bool) -> Sealing:
    from controller.records.backup.sealing import (
        Sealing,
        passphrase_in,
        require_good,
        require_recipients,
    )

    if plain:
        return Sealing()
    if recipients:
        require_recipients(recipients)
        return Sealing(recipients=tuple(recipients))
    if passphrase_file is not None:
        return Sealing(require_good(passphrase_in(passphrase_file)))
    passphrase = require_good(_asked("Passphrase of the backup: "))
    if _asked("The same passphrase again: ") != passphrase:
        raise BadInputError("The two passphrases are different; nothing was written. Try again.")
    return Sealing(passphrase)


def _asked(question: str) -> str:
    """A passphrase that is typed at the terminal, unseen. Raises BadInputError without one."""
    from getpass import getpass

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
    from controller.records.backup.sealing import (
        identities_in,
        needs_passphrase,
        opened,
        passphrase_in,
    )

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
    from controller.records.backup.archive import BackupError

    try:
        yield
    except BackupError as error:
        raise BadInputError(str(error)) from error
