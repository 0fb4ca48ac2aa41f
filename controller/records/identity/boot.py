"""The check of the program before it runs: its files must be those of the installed manifest.

`/etc/wallwright/identity` contains `signers` (the public keys of trusted signers) and, unless the
program is in a slot of the updates, `manifest.json`. A program in the slot `a` has its manifest in
the file `a.manifest.json` beside the slot. This folder, these files and the slots' folder belong to
root and are writable by no other user, so that the service cannot change the files that it is
compared with. The same applies to the program, so that the service cannot change the check. Without
the folder the program is not signed, as in a developer's checkout. The environment variable
WALLWRIGHT_IDENTITY names another folder for trials; it counts only if the system has none.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controller.records.identity.manifest import Manifest

SYSTEM = Path("/etc/wallwright/identity")
VARIABLE = "WALLWRIGHT_IDENTITY"
SIGNERS, MANIFEST = "signers", "manifest.json"
NOT_SIGNED = "not signed"
"""The identity of a program without a manifest."""
PROGRAM = Path(__file__).resolve().parents[3]
"""The folder that contains the packages of this program."""
_EXEMPT = {"identity"}
"""Commands that run with a changed program too: they show or sign it, and drive no table."""
_DRIVING = {"run", "serve"}
"""Commands that root must not run on a signed installation, because root can write the manifest."""
_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def trust_folder(system: Path = SYSTEM) -> Path | None:
    """The folder with the trusted signers; None if the program is not signed."""
    try:
        system.stat()
    except FileNotFoundError:
        named = os.environ.get(VARIABLE)
        return Path(named) if named else None
    except OSError:
        return system  # It is there and cannot be read: the check fails.
    return system


def manifest_file(folder: Path, program: Path = PROGRAM) -> Path:
    """The manifest of the program: beside its slot, or in the folder of the signers."""
    beside = program.with_name(f"{program.name}.{MANIFEST}")
    return beside if beside.exists() else folder / MANIFEST


def protected_manifest(folder: Path, program: Path = PROGRAM) -> Manifest:
    """The manifest, if it is signed and the service cannot write it. Raises IdentityError."""
    from controller.records.identity.manifest import read_manifest  # noqa: PLC0415 - only if signed

    file, signers = manifest_file(folder, program), folder / SIGNERS
    for path in (folder, signers, file.parent, file):
        require_protected(path, by_root=folder == SYSTEM)
    return read_manifest(file, signers)


def checked_manifest(folder: Path, program: Path = PROGRAM) -> Manifest:
    """The manifest, after all files of the program were compared with it. Raises IdentityError."""
    from controller.records.identity.manifest import (  # noqa: PLC0415 - only if signed
        require_no_differences,
        require_owned_by_root,
    )

    manifest = protected_manifest(folder, program)
    if folder == SYSTEM:
        require_owned_by_root(manifest.roots, program)
    require_no_differences(manifest.files, manifest.roots, program)
    return manifest


def require_protected(path: Path, *, by_root: bool) -> None:
    """Raises IdentityError if other users than the owner can write this file or folder.

    With `by_root` the owner must be root.
    """
    from controller.records.identity.manifest import IdentityError  # noqa: PLC0415 - only if signed

    try:
        state = path.stat()
    except OSError as error:
        raise IdentityError(
            f"{path} cannot be read ({error.strerror}), so the program cannot be checked. Install"
            " the signed program again."
        ) from error
    mode = stat.S_IMODE(state.st_mode)
    if mode & _OTHERS:
        raise IdentityError(
            f"{path} is writable by other users than its owner (mode {mode:04o}), so the program"
            f" could change the file that it is checked against. Restrict it: chmod go-w {path}."
        )
    if by_root and state.st_uid != 0:
        raise IdentityError(
            f"{path} belongs to the user {state.st_uid} instead of root, so the program could "
            f"change the file that it is checked against. Give it to root: chown root {path}."
        )


def refusal(arguments: Sequence[str], *, system: Path = SYSTEM) -> str | None:
    """Check the program before a command runs; the sentence if it must not run, else None.

    For an unsigned program, this only checks whether a folder exists.
    """
    folder = trust_folder(system)
    if folder is None:
        return None
    # A compiled module that Python writes now would be an added file.
    sys.dont_write_bytecode = True
    command = next(iter(arguments), "")
    if command in _EXEMPT:
        return None
    if folder == SYSTEM and os.geteuid() == 0 and command in _DRIVING:
        return (
            f"`wallwright {command}` does not run as root on a signed installation, because root"
            " can write the manifest; run it as a user of its own."
        )
    from controller.records.identity.manifest import IdentityError  # noqa: PLC0415 - only if signed

    try:
        checked_manifest(folder)
    except IdentityError as error:
        return str(error)
    return None


def software_identity(folder: Path | None = None) -> str:
    """The identity of the software: the manifest's SHA-256, or `not signed`.

    Only the manifest is read; the files were compared with it when the program started. Raises
    IdentityError.
    """
    folder = folder or trust_folder()
    if folder is None:
        return NOT_SIGNED
    from controller.records.identity.manifest import read_manifest  # noqa: PLC0415 - only if signed

    return read_manifest(manifest_file(folder), folder / SIGNERS).digest
