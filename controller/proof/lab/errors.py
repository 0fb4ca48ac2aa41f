"""The error of the laboratory."""

from __future__ import annotations

from rules.errors import WallwrightError


class LaboratoryError(WallwrightError, ValueError):
    """Raised for cycles that cannot be examined; the message gives the reason and the next step."""
