"""The error of an update that is refused or has failed."""

from __future__ import annotations

from rules.errors import WallwrightError


class UpdateError(WallwrightError):
    """The update is not installed; the program that runs is unchanged. One sentence says why."""
