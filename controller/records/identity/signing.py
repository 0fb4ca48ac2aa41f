"""Makes and signs the manifest of a program: `wallwright identity make`."""

from __future__ import annotations

import compileall
import shutil
import sysconfig
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from py_compile import PycInvalidationMode

import rfc8785

from config.durable_files import replace_file
from controller.records.identity.manifest import (
    FORMAT,
    IdentityError,
    digests,
    manifest_bytes,
    signed_text,
)
from firmware_bridge.signatures import SignatureError, signing_key

PACKAGES = ("config", "controller", "firmware_bridge", "rules")
"""The packages of this program, in a checkout."""
_CACHE = "__pycache__"


def default_roots(program: Path) -> dict[str, str]:
    """The files of a program: all of its folder, or in a checkout its packages and all others.

    Firmware images and the program's own tables are files of its packages.
    """
    if not (program / "pyproject.toml").exists():
        return {"program": "."}
    return {**{name: name for name in PACKAGES}, "packages": sysconfig.get_path("purelib")}


def compile_roots(roots: Mapping[str, str], program: Path) -> None:
    """Compile all modules anew, so that the manifest has every file that Python would write.

    The compiled modules contain the hash of their source, which Python compares.
    """
    for place in roots.values():
        folder = program / place
        if folder.is_dir():
            for cache in sorted(folder.rglob(_CACHE)):
                shutil.rmtree(cache)
            compileall.compile_dir(
                folder, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH
            )


def make_manifest(
    file: Path,
    program: Path,
    roots: Mapping[str, str],
    version: str,
    release: int,
    *,
    key_file: Path,
    signers: Path,
    made: datetime | None = None,
) -> int:
    """Write the signed manifest of a program; returns the number of its files.

    `made` is the time of signing, the present by default. Raises IdentityError.
    """
    for name, place in roots.items():
        if not (program / place).exists():
            raise IdentityError(f"There is no {program / place}, which `{name}` names; correct it.")
    moment = made or datetime.now(UTC)
    files = dict(digests(roots, program))
    body = rfc8785.dumps(
        {
            "files": files,
            "format": FORMAT,
            "made": moment.isoformat(timespec="seconds"),
            "program": version,
            "release": release,
            "roots": dict(roots),
        }
    )
    try:
        key = signing_key(key_file, signers)
    except SignatureError as error:
        raise IdentityError(str(error)) from error
    text = manifest_bytes(body, key.sign(signed_text(body)), key.public_key().public_bytes_raw())
    try:
        replace_file(file, text)
    except OSError as error:
        raise IdentityError(
            f"The manifest {file} cannot be written ({error.strerror}); name another file with"
            " --output."
        ) from error
    return len(files)
