"""`wallwright identity`: makes, checks and proves the signed manifest of the program."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.errors import BadInputError, print_error
from controller.records.identity import boot

identity = typer.Typer(
    name="identity", help="Make and check the signed manifest of the program; answer a challenge."
)

SEED_SIZE = 16
"""Smallest size of a challenge's seed, bytes."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
ProgramFolder = Annotated[
    Path | None,
    typer.Option(
        "--program",
        help="The folder with the program's packages, such as a slot of the updates.",
        show_default="this program",
    ),
]


@identity.command()
def make(
    program: ProgramFolder = None,
    output: Annotated[
        Path | None,
        typer.Option(help="The file of the manifest.", show_default="FOLDER.manifest.json"),
    ] = None,
    release: Annotated[
        int, typer.Option(help="The number of the release; updates install only higher ones.")
    ] = 0,
    add: Annotated[
        list[str] | None,
        typer.Option(
            help="Another folder or file: NAME=PATH, such as table=/etc/wallwright/table.yaml.",
            show_default=False,
        ),
    ] = None,
    signing_key: Annotated[
        Path | None,
        typer.Option(
            help="The file with the signing key; created if it is missing.",
            show_default="~/.config/wallwright/signing_key",
        ),
    ] = None,
    signers: Annotated[
        Path | None,
        typer.Option(
            help="The file that gets the public key of a new signing key.",
            show_default="~/.config/wallwright/signers",
        ),
    ] = None,
) -> int:
    """Compile the program, and sign the hashes of all its files."""
    from controller.cli.commands.version import program_version
    from controller.records.identity.manifest import IdentityError
    from controller.records.identity.signing import compile_roots, default_roots, make_manifest
    from firmware_bridge.commissioning.image_signature import signers_file, signing_key_file

    if release < 0:
        raise BadInputError(f"`--release` must be at least 0; got {release}.")
    folder = (program or boot.PROGRAM).resolve()
    roots = {**default_roots(folder), **_added(add or [])}
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


def _added(given: list[str]) -> dict[str, str]:
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
def check(program: ProgramFolder = None, as_json: AsJson = False) -> int:
    """Compare all files of the program with its manifest; exit code 1 for a difference."""
    from controller.records.identity.manifest import IdentityError, differences

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
def challenge(
    seed: Annotated[
        str,
        typer.Argument(help="The seed of the person who asks: 16 bytes or more in hexadecimal."),
    ],
    program: ProgramFolder = None,
    as_json: AsJson = False,
) -> int:
    """Print the hash of all files with a given seed; the same files give the same answer."""
    from controller.records.identity.manifest import ALL_FILES, IdentityError, component_answers

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
