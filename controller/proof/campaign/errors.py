"""The error of a campaign."""

from __future__ import annotations

from rules.errors import WallwrightError


class CampaignError(WallwrightError, RuntimeError):
    """Raised if the computers of a campaign cannot be used; the message gives the next step."""
