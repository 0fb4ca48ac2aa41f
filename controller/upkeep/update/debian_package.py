"""Whether a Debian package has installed this program: then apt updates it, and not the slots."""

from __future__ import annotations

from pathlib import Path

from controller.records.identity.boot import PROGRAM
from controller.upkeep.update.update_error import UpdateError

MARK = "debian-package"
"""The file in the package's folder that names the package."""


def debian_package(program: Path = PROGRAM) -> str | None:
    """The package that has installed the program, as `NAME VERSION ARCHITECTURE`; None if none."""
    if len(program.parents) < 3:
        return None
    try:
        return (program.parents[2] / MARK).read_text("utf-8").strip()
    except OSError:
        return None


def require_no_package(program: Path = PROGRAM) -> None:
    """Raises UpdateError if apt updates this program."""
    package = debian_package(program)
    if package is not None:
        raise UpdateError(
            f"This program belongs to the Debian package {package}, so apt updates it: sudo apt"
            " install ./wallwright_VERSION_ARCHITECTURE.deb. To update this computer in slots"
            " instead, remove the package first: docs/operate/UPDATES.md."
        )
