"""What a request's signature covers, so that it is valid once, for one table, after one birth."""

from __future__ import annotations

import base64
import binascii

from controller.floor.messages.payloads import Request
from controller.floor.messages.topics import TableAddress
from controller.records.audit.canonical_json import canonical
from controller.records.audit.notes.signing_key import SigningKey
from controller.records.audit.notes.verifier_key import VerifierKey

_CONTEXT = "wallwright-floor-request-1"


def signed_text(request: Request, to: TableAddress) -> bytes:
    """The bytes that a request's signature covers: canonical JSON. Raises NotCanonicalError."""
    fields = request.model_dump(mode="json", exclude={"signature"})
    return canonical({"context": _CONTEXT, "floor": to.floor, "table": to.table, **fields})


def signed(request: Request, to: TableAddress, key: SigningKey) -> Request:
    """The request with its signature and the name of its key."""
    named = request.model_copy(update={"key": key.public.name})
    signature = base64.b64encode(key.sign(signed_text(named, to))).decode()
    return named.model_copy(update={"signature": signature})


def is_signed_by(request: Request, to: TableAddress, key: VerifierKey) -> bool:
    """Whether the request carries a signature of this key for this table."""
    try:
        signature = base64.b64decode(request.signature, validate=True)
    except (binascii.Error, ValueError):
        return False
    return key.verify(signature, signed_text(request, to))
