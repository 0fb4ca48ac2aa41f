"""The error of a package that cannot be built."""

from __future__ import annotations

from rules.errors import WallwrightError


class PackageBuildError(WallwrightError, RuntimeError):
    """The package cannot be built. The text names the cause and the next step."""
