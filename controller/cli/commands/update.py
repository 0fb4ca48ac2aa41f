"""`wallwright update`: installs signed updates into the slot that does not run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import BadInputError

if TYPE_CHECKING:
    from controller.upkeep.update.slots import Slots

update = typer.Typer(
    name="update", help="Make, check, install, confirm and roll back signed updates."
)

ROOT = Path("/var/lib/wallwright/program")
Root = Annotated[Path, typer.Option("--root", help="The folder with the slots of the program.")]
Source = Annotated[
    str, typer.Argument(help="The source of updates: a folder, or an https address.")
]
Program = Annotated[Path, typer.Argument(help="The folder with the program and all its packages.")]
Manifest = Annotated[
    Path | None,
    typer.Option(help="The signed manifest of the program.", show_default="PROGRAM.manifest.json"),
]


@update.command("make-repository")
def make_repository(
    program: Program,
    folder: Annotated[Path, typer.Argument(help="The folder of the repository.")],
    manifest: Manifest = None,
    keys: Annotated[
        Path | None,
        typer.Option(
            help="The folder with the maker's keys, one for each role; missing ones are created.",
            show_default="~/.config/wallwright/update_keys",
        ),
    ] = None,
    signers: Annotated[
        Path | None,
        typer.Option(
            help="The public keys of the signers of manifests.",
            show_default="~/.config/wallwright/signers",
        ),
    ] = None,
    new_keys: Annotated[
        bool,
        typer.Option(
            "--new-keys", help="Name the present keys in the next root; keep the earlier root key."
        ),
    ] = False,
) -> int:
    """Add a release to a repository of updates, and sign the repository's metadata."""
    from controller.upkeep.update.repository import make_repository
    from firmware_bridge.commissioning.image_signature import signers_file

    with _errors_reported():
        release = make_repository(
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
def prepare(
    program: Program,
    trusted: Annotated[
        Path, typer.Argument(help="The file metadata/1.root.json of the maker's repository.")
    ],
    manifest: Manifest = None,
    root: Root = ROOT,
    service_group: Annotated[
        str | None,
        typer.Option(
            help="The group of the user who runs the service, such as wallwright; without it you"
            " are that user.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Make the folder with the slots, with a first release and the starter."""
    from controller.upkeep.update.preparation import prepare, require_no_package

    with _errors_reported():
        require_no_package()
        if service_group is not None:
            _require_group(service_group)
        signed = _manifest_of(program, manifest)
        prepare(root, program.resolve(), signed, trusted, _trust(), service_group)
    print(f"Prepared: {root}. Start the program with: python3 -I {root / 'boot' / 'start.py'}.")
    return 0


def _require_group(name: str) -> None:
    """Raises BadInputError for a group that this computer does not have."""
    import grp

    try:
        grp.getgrnam(name)
    except KeyError:
        raise BadInputError(
            f"`--service-group` must be a group of this computer; got '{name}'. Make the user of"
            " the service first."
        ) from None


@update.command()
def check(source: Source, root: Root = ROOT) -> int:
    """Look for a newer release; nothing is installed."""
    from controller.upkeep.update.installation import UpdateSource, offered_update

    with _errors_reported():
        offered = offered_update(_slots(root), UpdateSource(source, root))
    if offered is None:
        print("The installed release is the newest.")
    else:
        print(f"The release {offered.release} (wallwright {offered.program}) can be installed.")
    return 0


@update.command()
def install(source: Source, root: Root = ROOT) -> int:
    """Install the newest release into the other slot, and switch to it on trial."""
    from controller.upkeep.update.installation import UpdateSource, install

    with _errors_reported():
        slots = _slots(root)
        offered = install(slots, UpdateSource(source, root))
    if offered is None:
        print("The installed release is the newest.")
        return 0
    print(
        f"The release {offered.release} is in the slot {slots.current}, on trial. Start the service"
        " again, then confirm it: wallwright update confirm."
    )
    return 0


@update.command()
def confirm(root: Root = ROOT) -> int:
    """Check the release on trial and keep it; roll back if the check fails."""
    from controller.upkeep.update.installation import confirm

    with _errors_reported():
        print(confirm(_slots(root)))
    return 0


@update.command("roll-back")
def roll_back(root: Root = ROOT) -> int:
    """Switch back to the release in the other slot."""
    from controller.upkeep.update.installation import roll_back

    with _errors_reported():
        print(roll_back(_slots(root)))
    return 0


def _manifest_of(program: Path, manifest: Path | None) -> Path:
    folder = program.resolve()
    return manifest or folder.with_name(f"{folder.name}.manifest.json")


def _slots(root: Path) -> Slots:
    """The slots of this computer. Raises UpdateError if apt updates the program."""
    from controller.upkeep.update.preparation import require_no_package
    from controller.upkeep.update.slots import Slots

    require_no_package()
    return Slots(root, _trust())


def _trust() -> Path:
    """The folder of the trusted signers. Raises BadInputError if there is none."""
    from controller.records.identity import boot

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
    from controller.records.identity.manifest import IdentityError
    from controller.upkeep.update.slots import UpdateError
    from firmware_bridge.signatures import SignatureError

    try:
        yield
    except (UpdateError, IdentityError, SignatureError) as error:
        raise BadInputError(str(error)) from error
    except OSError as error:
        raise BadInputError(
            f"{error.filename or 'A file'} cannot be used ({error.strerror}); the running slot is"
            " unchanged. Run the command as root, or free space on the disk."
        ) from error
