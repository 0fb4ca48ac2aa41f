"""`wallwright update`: installs signed updates into the slot that does not run."""

from __future__ import annotations

import grp
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from controller.cli.command import CommandGroup
from controller.cli.errors import BadInputError
from controller.cli.options import completion
from controller.cli.options.shared import PATH
from controller.records.identity import boot
from controller.records.identity.manifest import IdentityError
from controller.upkeep.update import installation, preparation, repository
from controller.upkeep.update.slots import Slots, UpdateError
from firmware_bridge.commissioning.key_files import signers_file
from firmware_bridge.signatures import SignatureError

update = CommandGroup("update", help="Make, check, install, confirm and roll back signed updates.")

ROOT = Path("/var/lib/wallwright/program")
root_option = click.option(
    "--root", type=PATH, default=ROOT, help="The folder with the slots of the program."
)
source_argument = click.argument(
    "source",
    shell_complete=completion.files,
    help="The source of updates: a folder, or an https address.",
)
program_argument = click.argument(
    "program", type=PATH, help="The folder with the program and all its packages."
)
manifest_option = click.option(
    "--manifest",
    type=PATH,
    show_default="PROGRAM.manifest.json",
    help="The signed manifest of the program.",
)


@update.command("make-repository")
@program_argument
@click.argument("folder", type=PATH, help="The folder of the repository.")
@manifest_option
@click.option(
    "--keys",
    type=PATH,
    show_default="~/.config/wallwright/update_keys",
    help="The folder with the maker's keys, one for each role; missing ones are created.",
)
@click.option(
    "--signers",
    type=PATH,
    show_default="~/.config/wallwright/signers",
    help="The public keys of the signers of manifests.",
)
@click.option(
    "--new-keys",
    is_flag=True,
    help="Name the present keys in the next root; keep the earlier root key.",
)
def make_repository(
    program: Path,
    folder: Path,
    manifest: Path | None,
    keys: Path | None,
    signers: Path | None,
    new_keys: bool,
) -> int:
    """Add a release to a repository of updates, and sign the repository's metadata."""
    with _errors_reported():
        release = repository.make_repository(
            folder,
            program.resolve(),
            _manifest_of(program, manifest),
            keys or signers_file().with_name("update_keys"),
            signers or signers_file(),
            new_keys=new_keys,
        )
    print(f"The repository {folder} offers the release {release}.")
    return 0


@update.command()
@program_argument
@click.argument(
    "trusted", type=PATH, help="The file metadata/1.root.json of the maker's repository."
)
@manifest_option
@root_option
@click.option(
    "--service-group",
    help="The group of the user who runs the service, such as wallwright; without it you"
    " are that user.",
)
def prepare(
    program: Path, trusted: Path, manifest: Path | None, root: Path, service_group: str | None
) -> int:
    """Make the folder with the slots, with a first release and the starter."""
    with _errors_reported():
        preparation.require_no_package()
        if service_group is not None:
            _require_group(service_group)
        signed = _manifest_of(program, manifest)
        preparation.prepare(root, program.resolve(), signed, trusted, _trust(), service_group)
    print(f"Prepared: {root}. Start the program with: python3 -I {root / 'boot' / 'start.py'}.")
    return 0


def _require_group(name: str) -> None:
    """Raises BadInputError for a group that this computer does not have."""
    try:
        grp.getgrnam(name)
    except KeyError:
        raise BadInputError(
            f"`--service-group` must be a group of this computer; got '{name}'. Make the user of"
            " the service first."
        ) from None


@update.command()
@source_argument
@root_option
def check(source: str, root: Path) -> int:
    """Look for a newer release; nothing is installed."""
    with _errors_reported():
        offered = installation.offered_update(_slots(root), installation.UpdateSource(source, root))
    if offered is None:
        print("The installed release is the newest.")
    else:
        print(f"The release {offered.release} (wallwright {offered.program}) can be installed.")
    return 0


@update.command()
@source_argument
@root_option
def install(source: str, root: Path) -> int:
    """Install the newest release into the other slot, and switch to it on trial."""
    with _errors_reported():
        slots = _slots(root)
        offered = installation.install(slots, installation.UpdateSource(source, root))
    if offered is None:
        print("The installed release is the newest.")
        return 0
    print(
        f"The release {offered.release} is in the slot {slots.current}, on trial. Start the service"
        " again, then confirm it: wallwright update confirm."
    )
    return 0


@update.command()
@root_option
def confirm(root: Path) -> int:
    """Check the release on trial and keep it; roll back if the check fails."""
    with _errors_reported():
        print(installation.confirm(_slots(root)))
    return 0


@update.command("roll-back")
@root_option
def roll_back(root: Path) -> int:
    """Switch back to the release in the other slot."""
    with _errors_reported():
        print(installation.roll_back(_slots(root)))
    return 0


def _manifest_of(program: Path, manifest: Path | None) -> Path:
    folder = program.resolve()
    return manifest or folder.with_name(f"{folder.name}.manifest.json")


def _slots(root: Path) -> Slots:
    """The slots of this computer. Raises UpdateError if apt updates the program."""
    preparation.require_no_package()
    return Slots(root, _trust())


def _trust() -> Path:
    """The folder of the trusted signers. Raises BadInputError if there is none."""
    folder = boot.trust_folder()
    if folder is None:
        raise BadInputError(
            f"This computer trusts no signer: there is no {boot.SYSTEM}. Put the file `signers`"
            " into it: docs/operate/UPDATES.md."
        )
    return folder


@contextmanager
def _errors_reported() -> Iterator[None]:
    """Report the errors of updates as bad input: exit code 2, the running slot is unchanged."""
    try:
        yield
    except (UpdateError, IdentityError, SignatureError) as error:
        raise BadInputError(str(error)) from error
    except OSError as error:
        raise BadInputError(
            f"{error.filename or 'A file'} cannot be used ({error.strerror}); the running slot is"
            " unchanged. Run the command as root, or free space on the disk."
        ) from error
