"""Canonical JSON by RFC 8785: one text for one value, so that its bytes can be hashed and signed.

The package rfc8785 takes about 40 µs for an event of the log. The encoder of the standard library
is written in C and takes 6 µs. Both write the same text unless the text contains a number that they
format differently, or a key whose order depends on the encoding. `_may_differ` finds these cases.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from json.scanner import make_scanner
from typing import Any

from controller.records.audit.errors import NotCanonicalError

_ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)
_POINT_ZERO = re.compile(rb"\.0(?![0-9])")
_EXPONENT = re.compile(rb"e[-+][0-9]")
_SORTED_OTHERWISE = re.compile(rb"[\xee-\xff]")
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER = b"0" * 16


def _fast_encoder() -> Callable[[Any], str]:
    """The encoder of the standard library, made once: each `JSONEncoder.encode` makes another."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _ENCODER.encode
    encode_text = json.encoder.encode_basestring
    encode = make(None, _ENCODER.default, encode_text, None, ":", ",", True, False, False)
    return lambda value: "".join(encode(value, 0))


_encode = _fast_encoder()
_scan = make_scanner(json.JSONDecoder())  # type: ignore[arg-type] # typeshed has a wrong type
"""Parses the value at a place of a text. Unlike `json.loads`, it does not look for white space,
which canonical JSON does not have."""


def canonical(value: Any) -> bytes:
    """Encode a JSON value (keys are texts) as canonical JSON in UTF-8.

    Raises NotCanonicalError for a value that JSON cannot represent exactly.
    """
    try:
        text = _encode(value)
        data = text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise NotCanonicalError(f"The value has no canonical JSON text: {error}.") from error
    return _by_package(value) if _may_differ(data) else data


def parse_canonical(data: bytes) -> Any:
    """Parse canonical JSON. Raises NotCanonicalError if the text is not the canonical one."""
    try:
        text = data.decode("utf-8")
        value, end = _scan(text, 0)
        is_canonical = end == len(text) and _encode(value) == text
    except StopIteration as error:
        raise NotCanonicalError("The text is not JSON: it has no value.") from error
    except (ValueError, RecursionError) as error:
        raise NotCanonicalError(f"The text is not JSON: {error}.") from error
    if not is_canonical or _may_differ(data):
        is_canonical = canonical(value) == data
    if not is_canonical:
        raise NotCanonicalError("The text is JSON, but not canonical JSON (RFC 8785).")
    return value


def _may_differ(data: bytes) -> bool:
    """Whether the package rfc8785 can write another text than the standard library.

    That is possible for exponents, 5.0, numbers with 16 or more digits, and characters from U+E000
    on, which UTF-16 sorts in another order than code points.
    """
    return (
        _LONG_NUMBER in data.translate(_DIGITS)
        or (b".0" in data and _POINT_ZERO.search(data) is not None)
        or ((b"e-" in data or b"e+" in data) and _EXPONENT.search(data) is not None)
        or (not data.isascii() and _SORTED_OTHERWISE.search(data) is not None)
    )


def _by_package(value: Any) -> bytes:
    import rfc8785  # noqa: PLC0415 - needed for few values

    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, ValueError, RecursionError) as error:
        raise NotCanonicalError(f"The value has no canonical JSON text: {error}.") from error
