"""The folder of an audit log, and refused proofs: for every command of `wallwright audit`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from controller.cli.errors import print_error
from controller.cli.options.shared import PATH
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import LogReader, checked_log
from controller.records.data_folder import AUDIT_FOLDER

data_option = click.option(
    "--data", type=PATH, required=True, help="The data folder of the service."
)


@contextmanager
def refusals() -> Iterator[None]:
    """Print the reason of a refused proof; the code after this block returns exit code 1."""
    try:
        yield
    except RefusedProofError as error:
        print_error(f"Refused: {error}")


def folder_of(data: Path) -> LogFolder:
    """The log's folder in a data folder."""
    return LogFolder(data / AUDIT_FOLDER)


def log_of(data: Path) -> LogReader:
    """The whole log of a data folder, checked. Raises AuditError."""
    return checked_log(folder_of(data))
