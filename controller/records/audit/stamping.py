"""Time stamps of the log's heads: asks an authority (RFC 3161), and keeps its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from config.durable_files import replace_file
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import LogReader
from controller.records.audit.notes import Checkpoint
from controller.records.audit.timestamps import (
    OtherDataError,
    TimeStamp,
    time_stamp_request,
    token_of_reply,
    verified_time_stamp,
)

if TYPE_CHECKING:
    from cryptography.x509 import Certificate


def stamp_request(log: LogReader) -> bytes:
    """The request to stamp the last kept head of a log."""
    return time_stamp_request(log.last_kept_head().text.encode())


def take_time_stamp(
    log: LogReader, reply: bytes, authorities: Sequence[Certificate]
) -> tuple[int, TimeStamp]:
    """Keep an authority's time stamp beside the log; returns the size of its head, and the stamp.

    Raises RefusedProofError if it is none of these authorities' for a kept head of this log.
    """
    token = token_of_reply(reply)
    refusal: RefusedProofError | None = None
    for note in reversed(log.heads()):
        try:
            stamp = verified_time_stamp(token, note.text.encode(), authorities)
        except OtherDataError as refused:
            refusal = refusal or refused
            continue
        size = Checkpoint.parsed(note.text).size
        _keep(log.folder, f"{size:012}.tst", token)
        return size, stamp
    raise RefusedProofError(f"The time stamp belongs to no kept head of this log. {refusal}")


def _keep(folder: LogFolder, name: str, token: bytes) -> None:
    try:
        folder.witnessed.mkdir(mode=0o700, exist_ok=True)
        replace_file(folder.witnessed / name, token, 0o600)
    except OSError as error:
        raise folder.unusable(error) from error
