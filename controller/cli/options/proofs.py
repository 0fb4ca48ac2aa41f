"""Files and keys of proofs that a command line names, and new files for proofs."""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.x509 import Certificate, load_pem_x509_certificates

from controller.cli.errors import BadInputError
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.notes import VerifierKey


def require_regular(file: Path) -> None:
    """Raise BadInputError for a pipe, a device or a folder: reading one could wait for ever."""
    if os.path.lexists(file) and not file.is_file():
        raise BadInputError(
            f"{file} is not a regular file; save its contents in a regular file and name that file."
        )


def parsed_key(text: str, option: str) -> VerifierKey:
    """A key of an option: the text, or the file that holds it. Raises BadInputError."""
    try:
        if "+" not in text and Path(text).is_file():
            text = Path(text).read_text("utf-8").strip()
        return VerifierKey.parsed(text)
    except (OSError, ValueError, RefusedProofError) as error:
        raise BadInputError(f"{option}: {error}") from error


def certificates_in(file: Path) -> list[Certificate]:
    """The certificates in a PEM file. Raises BadInputError."""
    require_regular(file)
    try:
        return load_pem_x509_certificates(file.read_bytes())
    except (OSError, ValueError) as error:
        raise BadInputError(
            f"{file} has no certificates that can be read ({error}); name a PEM file."
        ) from error


def read_text(file: Path) -> str:
    """Read a text file. Raises BadInputError."""
    require_regular(file)
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise BadInputError(f"{file} cannot be read ({error}); name a text file.") from error


def write_text(file: Path, text: str) -> None:
    """Write a new text file. Raises BadInputError, also if there is one already."""
    write_new(file, text.encode())


def write_new(file: Path, data: bytes) -> None:
    """Write a new file. Raises BadInputError, also if there is one already."""
    try:
        with file.open("xb") as stream:
            stream.write(data)
    except OSError as error:
        raise BadInputError(
            f"{file} cannot be written ({error.strerror}); name a new file."
        ) from error
