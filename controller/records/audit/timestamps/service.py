"""Sends a request to a time-stamping service over HTTP (RFC 3161, section 3.4)."""

from __future__ import annotations

from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from controller.records.audit.errors import RefusedProofError

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
        raise RefusedProofError(f"The reply has more than {LONGEST_REPLY} bytes; none was kept.")
    return reply
