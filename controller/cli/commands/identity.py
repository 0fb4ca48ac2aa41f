"""`wallwright identity`: makes, checks and proves the signed manifest of the program."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import click

from controller.cli.command import CommandGroup
from controller.cli.commands.version import program_version
from controller.cli.errors import BadInputError, print_error
from controller.cli.options.shared import PATH, json_option
from controller.records.identity import boot
from controller.records.identity.manifest import (
    ALL_FILES,
    IdentityError,
    component_answers,
    differences,
)
from controller.records.identity.signing import compile_roots, default_roots, make_manifest
from firmware_bridge.commissioning.key_files import signers_file, signing_key_file

identity = CommandGroup(
    "identity", help="Make and check the signed manifest of the program; answer a challenge."
)

SEED_SIZE = 16
"""Smallest size of a challenge's seed, bytes."""

program_option = click.option(
    "--program",
    type=PATH,
    show_default="this program",
    help="The folder with the program's packages, such as a slot of the updates.",
)


@identity.command()
@program_option
@click.option(
    "--output", type=PATH, show_default="FOLDER.manifest.json", help="The file of the manifest."
)
@click.option(
    "--release",
    type=int,
    default=0,
    help="The number of the release; updates install only higher ones.",
)
@click.option(
    "--add",
    multiple=True,
    help="Another folder or file: NAME=PATH, such as table=/etc/wallwright/table.yaml.",
)
@click.option(
    "--signing-key",
    type=PATH,
    show_default="~/.config/wallwright/signing_key",
    help="The file with the signing key; created if it is missing.",
)
@click.option(
    "--signers",
    type=PATH,
    show_default="~/.config/wallwright/signers",
    help="The file that gets the public key of a new signing key.",
)
def make(
    program: Path | None,
    output: Path | None,
    release: int,
    add: tuple[str, ...],
    signing_key: Path | None,
    signers: Path | None,
) -> int:
    """Compile the program, and sign the hashes of all its files."""
    if release < 0:
        raise BadInputError(f"`--release` must be at least 0; got {release}.")
    folder = (program or boot.PROGRAM).resolve()
    roots = {**default_roots(folder), **_added(add)}
    file = output or folder.with_name(f"{folder.name}.{boot.MANIFEST}")
    try:
        compile_roots(roots, folder)
        files = make_manifest(
            file,
            folder,
            roots,
            program_version(),
            release,
            key_file=signing_key or signing_key_file(),
            signers=signers or signers_file(),
        )
    except IdentityError as error:
        raise BadInputError(str(error)) from error
    print(f"Signed: {file} ({files} files).")
    return 0


def _added(given: Iterable[str]) -> dict[str, str]:
    roots = {}
    for text in given:
        name, _, path = text.partition("=")
        if not name.isidentifier() or not path or not Path(path).exists():
            raise BadInputError(
                f"`--add` must be NAME=PATH with a name of letters and an existing path; got"
                f" '{text}'."
            )
        roots[name] = os.fspath(Path(path).resolve())
    return roots


@identity.command()
@program_option
@json_option
def check(program: Path | None, as_json: bool) -> int:
    """Compare all files of the program with its manifest; exit code 1 for a difference."""
    folder, place = _signed_by(), (program or boot.PROGRAM).resolve()
    try:
        manifest = boot.protected_manifest(folder, place)
        found = differences(manifest.files, manifest.roots, place)
    except IdentityError as error:
        print_error(str(error))
        return 1
    if as_json:
        print(
            json.dumps(
                {
                    "identity": manifest.digest,
                    "program": manifest.program,
                    "release": manifest.release,
                    "made": manifest.made,
                    "signer": manifest.signer,
                    "files": len(manifest.files),
                    "differences": found,
                },
                indent=2,
            )
        )
    else:
        print(f"program   {manifest.program}, release {manifest.release}")
        print(f"signed    {manifest.made} by {manifest.signer}")
        print(f"identity  {manifest.digest}")
        print(f"files     {len(manifest.files)}, {len(found)} different")
        for line in found:
            print(f"          {line}")
    return 1 if found else 0


@identity.command()
@click.argument("seed", help="The seed of the person who asks: 16 bytes or more in hexadecimal.")
@program_option
@json_option
def challenge(seed: str, program: Path | None, as_json: bool) -> int:
    """Print the hash of all files with a given seed; the same files give the same answer."""
    try:
        key = bytes.fromhex(seed)
    except ValueError:
        key = b""
    if len(key) < SEED_SIZE:
        raise BadInputError(
            f"SEED must be {SEED_SIZE} bytes or more in hexadecimal, drawn anew for each challenge;"
            f" got '{seed}'."
        )
    folder, place = _signed_by(), (program or boot.PROGRAM).resolve()
    try:
        manifest = boot.protected_manifest(folder, place)
        answers = component_answers(key, manifest.roots, place)
    except IdentityError as error:
        print_error(str(error))
        return 1
    if as_json:
        facts = {"seed": key.hex(), "answer": answers[ALL_FILES], "identity": manifest.digest}
        print(json.dumps({**facts, "components": answers}))
    else:
        print(answers[ALL_FILES])
    return 0


def _signed_by() -> Path:
    """The folder of the trusted signers. Raises BadInputError if the program is not signed."""
    folder = boot.trust_folder()
    if folder is None:
        raise BadInputError(
            f"This program is not signed: there is no {boot.SYSTEM}. Put the file `signers` and the"
            " manifest into it: docs/operate/SERVICE.md, 'A signed installation'."
        )
    return folder
