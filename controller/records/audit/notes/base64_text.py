"""Base64 with one text for one value: a text that another text could replace is refused."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode

from controller.records.audit.errors import RefusedProofError


def encoded(data: bytes) -> str:
    """Encode bytes as base64 (RFC 4648, section 4)."""
    return b64encode(data).decode("ascii")


def decoded(text: str, what: str) -> bytes:
    """Decode base64. Raises RefusedProofError for a text that `encoded` does not write."""
    try:
        data = b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise RefusedProofError(f"{what} is not base64 ({error}).") from error
    if encoded(data) != text:
        raise RefusedProofError(f"{what} is not written in the one permitted way of base64.")
    return data
