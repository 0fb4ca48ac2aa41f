"""The error of the demonstration."""

from __future__ import annotations

from rules.errors import WallwrightError


class DemoError(WallwrightError):
    """A part that cannot be started, or that ends again and again; the text has the next step."""
