"""Where traces go: to a file, or to the address of a collector."""

from __future__ import annotations

from urllib.parse import urlsplit

from controller.records.tracing.errors import TraceError

PATH = "/v1/traces"
"""Path of a collector, if the address has none."""


def is_address(place: str) -> bool:
    """Whether a place is the address of a collector, and not a file."""
    return "://" in place


def address_of(place: str) -> str:
    """The address of a collector with its path. Raises TraceError."""
    try:
        parts = urlsplit(place)
        is_complete = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port  # raises ValueError for a port that is no number
    except ValueError:
        is_complete = False
    if not is_complete:
        raise TraceError(
            "`--trace` must be a file or the address of a collector, such as"
            f" http://127.0.0.1:4318; got '{place}'."
        )
    return parts._replace(path=PATH).geturl() if parts.path in {"", "/"} else place
