"""`wallwright version`: the program's version."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path

PROJECT = Path(__file__).parents[3] / "pyproject.toml"
"""The file with the version, for a source tree that is not installed."""


def version() -> int:
    """Print the program's version."""
    try:
        number = installed_version("wallwright")
    except PackageNotFoundError:
        number = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["version"]
    print(f"wallwright {number}")
    return 0
