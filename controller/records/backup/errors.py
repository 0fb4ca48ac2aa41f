"""Errors of backups."""

from __future__ import annotations

from rules.errors import WallwrightError


class BackupError(WallwrightError):
    """A backup cannot be made, read or restored; nothing was changed, unless the text says so."""
