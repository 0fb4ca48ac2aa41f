"""Canonical JSON by RFC 8785: one text for one value, so that its bytes can be hashed and signed.

The package rfc8785 takes about 40 µs for an event of the log. The encoder of the standard library
is written in C and takes 4 µs. Both write the same text unless the text contains a number that they
format differently or a key whose order depends on the encoding. `_MAY_DIFFER` finds these cases.
"""

from __future__ import annotations

import json
import re
from typing import Any

from controller.audit.errors import NotCanonicalError

_MAY_DIFFER = re.compile(rb"[0-9]e[-+][0-9]|\.0(?![0-9])|[0-9]{16}|[\xee-\xff]")
"""Texts that the two encoders can write differently: exponents, 5.0, numbers with 16 or more
digits, and characters from U+E000 on, which UTF-16 sorts in another order than UTF-8 does."""

_C_ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


def canonical(value: Any) -> bytes:
    """Encode a JSON value (keys are texts) as canonical JSON in UTF-8.

    Raises NotCanonicalError for a value that JSON cannot represent exactly.
    """
    try:
        text = _C_ENCODER.encode(value).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise NotCanonicalError(f"The value has no canonical JSON text: {error}.") from error
    return _by_package(value) if _MAY_DIFFER.search(text) else text


def parse_canonical(text: bytes) -> Any:
    """Parse canonical JSON. Raises NotCanonicalError if the text is not the canonical one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotCanonicalError(f"The text is not JSON: {error}.") from error
    if canonical(value) != text:
        raise NotCanonicalError("The text is JSON, but not canonical JSON (RFC 8785).")
    return value


def _by_package(value: Any) -> bytes:
    import rfc8785  # noqa: PLC0415 - needed for few values

    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, ValueError, RecursionError) as error:
        raise NotCanonicalError(f"The value has no canonical JSON text: {error}.") from error
