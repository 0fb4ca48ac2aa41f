"""Errors of the GAT protocol and of its serial line."""

from __future__ import annotations

from rules.errors import WallwrightError


class GatError(WallwrightError):
    """A frame or a reply that the protocol does not allow, or a line that does not work."""


class GatPortError(GatError):
    """A serial port that cannot be opened."""
