"""`wallwright version`: the program's version and its identity."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path

from controller.records.identity.boot import software_identity

PROJECT = Path(__file__).parents[3] / "pyproject.toml"
"""The file with the version, for a source tree that is not installed."""


def program_version() -> str:
    """The version of the program."""
    try:
        return installed_version("wallwright")
    except PackageNotFoundError:
        project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
        return str(project["project"]["version"])


def version() -> int:
    """Print the program's version, and the identity of its signed manifest."""
    print(f"wallwright {program_version()} ({software_identity()})")
    return 0
