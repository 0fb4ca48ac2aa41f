"""The error of a trace that cannot be written."""

from __future__ import annotations

from rules.errors import WallwrightError


class TraceError(WallwrightError):
    """An output of traces that cannot be used, or a package that is missing."""
