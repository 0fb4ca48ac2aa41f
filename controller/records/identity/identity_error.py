"""The error of a program that is not the one that its manifest describes."""

from __future__ import annotations

from rules.errors import WallwrightError


class IdentityError(WallwrightError):
    """The manifest cannot be used, or a file differs from it: one sentence with the next step."""
