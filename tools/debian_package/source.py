"""The source of the program: a copy of what the package contains, its version and its time."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from pathlib import Path

from tools.debian_package.errors import PackageBuildError

HOUSE = Path(__file__).resolve().parents[2]
_CONTENTS = (
    "rules", "config", "firmware_bridge", "controller",
    "pyproject.toml", "README.md", "LICENSE",
)  # fmt: skip
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")


def project_version() -> str:
    """The version in pyproject.toml."""
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def build_version() -> str:
    """The version of a package: that of the project for a commit with its tag, such as `v0.2.0`.

    Another commit gets its time and its name too, such as 0.2.0+git20261127163000.8dfb2a12, so that
    apt installs a later build over an earlier one; `.changed` if files differ from the commit.
    """
    version = project_version()
    try:
        tags = _git("tag", "--points-at", "HEAD").split()
        commit = _git("log", "-1", "--format=%cd.%h", "--date=format-local:%Y%m%d%H%M%S")
        changed = ".changed" if _git("status", "--porcelain", "--untracked-files=no") else ""
    except (OSError, subprocess.CalledProcessError):
        return version  # no git, or no checkout
    if f"v{version}" in tags and not changed:
        return version
    return f"{version}+git{commit}{changed}"


def source_time() -> int:
    """The time that all files of the package get, in seconds since 1970.

    SOURCE_DATE_EPOCH if it is set, or else the time of the last commit. Raises PackageBuildError.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given:
        if not given.isdecimal():
            raise PackageBuildError(
                f"SOURCE_DATE_EPOCH must be seconds since 1970, a whole number; got '{given}'."
            )
        return int(given)
    try:
        return int(_git("log", "-1", "--format=%ct"))
    except (OSError, subprocess.CalledProcessError):
        raise PackageBuildError(
            "The time of the last commit is not known, because this folder is not a git checkout;"
            " set SOURCE_DATE_EPOCH to the seconds since 1970 that the files get."
        ) from None


def _git(*words: str) -> str:
    """The output of git for this checkout, with times in UTC.

    Raises CalledProcessError, and OSError without git.
    """
    asked = subprocess.run(  # noqa: S603 - the git of the developer
        ["git", *words],  # noqa: S607
        cwd=HOUSE,
        env=os.environ | {"TZ": "UTC"},
        capture_output=True,
        text=True,
        check=True,
    )
    return asked.stdout.strip()


def copy_source(folder: Path, version: str) -> Path:
    """Copy the program's source into `folder`, with this version; return the folder."""
    for name in _CONTENTS:
        place = HOUSE / name
        if place.is_dir():
            shutil.copytree(place, folder / name, ignore=_LEFT_OUT)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(place, folder / name)
    described = folder / "pyproject.toml"
    text = described.read_text("utf-8")
    line = f'version = "{project_version()}"'
    described.write_text(text.replace(line, f'version = "{version}"', 1), "utf-8")
    return folder
