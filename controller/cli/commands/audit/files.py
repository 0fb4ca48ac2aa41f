"""Helpers of the audit commands: the folder of the log, text files, and refusals."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.commands.verify import require_regular
from controller.cli.errors import BadInputError, print_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from controller.records.audit.log.log_folder import LogFolder
    from controller.records.audit.log.log_reader import LogReader

Data = Annotated[
    Path, typer.Option("--data", help="The data folder of the service.", show_default=False)
]
AUDIT_FOLDER = "audit"
"""The folder of the log in the data folder."""


@contextmanager
def refusals() -> Iterator[None]:
    """Print the reason of a refused proof; the code after this block returns exit code 1."""
    from controller.records.audit.errors import RefusedProofError

    try:
        yield
    except RefusedProofError as error:
        print_error(f"Refused: {error}")


def folder_of(data: Path) -> LogFolder:
    """The log's folder in a data folder."""
    from controller.records.audit.log.log_folder import LogFolder

    return LogFolder(data / AUDIT_FOLDER)


def log_of(data: Path) -> LogReader:
    """The whole log of a data folder, checked. Raises AuditError."""
    from controller.records.audit.log.log_reader import checked_log

    return checked_log(folder_of(data))


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
