"""Errors of the floor's database."""

from __future__ import annotations

from rules.errors import WallwrightError


class StoreSettingsError(WallwrightError, ValueError):
    """A database URL that cannot be used."""


class StoreUnavailableError(WallwrightError):
    """The database cannot be reached, or it did not answer in time.

    It may be unknown whether a change was committed. Every change of the store can be repeated.
    """


class StoreVersionError(WallwrightError):
    """The database was made by a newer program."""
