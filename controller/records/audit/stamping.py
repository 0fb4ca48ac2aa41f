"""Time stamps of the log's heads: asks an authority (RFC 3161), and keeps its tokens.

A request is sent over HTTP (RFC 3161, section 3.4) or carried as a file. A token that verifies is
kept beside the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from cryptography import x509

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

SECONDS = 30.0
"""Longest time to wait for the service."""


LONGEST_REPLY = 1 << 20
"""Bytes; a reply with a chain of certificates has a few thousand."""


def reply_of_service(address: str, request: bytes, seconds: float = SECONDS) -> bytes:
    """Send a request to the service at an address (http or https) and return its reply.

    The reply is not verified. Raises RefusedProofError with the reason if there is none.
    """
    if urlsplit(address).scheme not in {"http", "https"}:
        raise RefusedProofError(f"The address '{address}' is not one of http:// or https://.")
    query = Request(  # noqa: S310 - the scheme is checked
        address, request, {"Content-Type": "application/timestamp-query"}
    )
    try:
        with urlopen(query, timeout=seconds) as answer:  # noqa: S310 - the scheme is checked
            reply: bytes = answer.read(LONGEST_REPLY + 1)
    except HTTPError as error:
        raise RefusedProofError(
            f"The service answered {error.code} {error.reason}. Check the address '{address}'."
        ) from error
    except (URLError, HTTPException, OSError, ValueError) as error:
        raise RefusedProofError(
            f"The service at '{address}' does not answer ({getattr(error, 'reason', error)})."
            " Check the address and the network, then try again."
        ) from error
    if len(reply) > LONGEST_REPLY:
        raise RefusedProofError(f"The reply has more than {LONGEST_REPLY} bytes; it was discarded.")
    return reply


def stamp_request(log: LogReader) -> bytes:
    """The request to stamp the last kept head of a log."""
    return time_stamp_request(log.last_kept_head().text.encode())


def take_time_stamp(
    log: LogReader, reply: bytes, authorities: Sequence[x509.Certificate]
) -> tuple[int, TimeStamp]:
    """Keep an authority's time stamp beside the log; returns the size of its head, and the stamp.

    Raises RefusedProofError if it was not made by one of these authorities for a kept head of this
    log.
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
