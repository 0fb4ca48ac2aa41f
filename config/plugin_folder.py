"""Registers the games of a folder that is not installed: `--game FOLDER` reads `pyproject.toml`.

The folder is a Python project. Its `pyproject.toml` names the games as the entry points that pip
would install. The package is in the folder or in its subfolder `src`.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from rules.games import PLUGINS
from rules.plugin import GROUP, GamePlugin, PluginError

PROJECT = "pyproject.toml"


def add_folder(folder: Path) -> tuple[GamePlugin, ...]:
    """Registers the games of a folder and returns them.

    Raises PluginError, with the folder and its fault, for a folder that is not such a project.
    """
    # Imported here because its import is slow, and most commands name no folder.
    from importlib.metadata import EntryPoint  # noqa: PLC0415

    entries = _entries(folder)
    for each in (folder, folder / "src"):
        place = str(each.resolve())
        if each.is_dir() and place not in sys.path:
            sys.path.insert(0, place)
    return tuple(
        PLUGINS.add(EntryPoint(name, value, GROUP)) for name, value in sorted(entries.items())
    )


def _entries(folder: Path) -> Mapping[str, str]:
    file = folder / PROJECT
    needs = f'it needs [project.entry-points."{GROUP}"] with NAME = "PACKAGE:PLUGIN"'
    try:
        project = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError as error:
        raise PluginError(f"The folder '{folder}' has no {PROJECT}; {needs}.") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PluginError(f"'{file}' cannot be read ({error}); {needs}.") from error
    entries = project
    for key in ("project", "entry-points", GROUP):
        found = entries.get(key)
        if not isinstance(found, dict) or not found:
            raise PluginError(f"'{file}' names no game; {needs}.")
        entries = found
    if not all(isinstance(value, str) for value in entries.values()):
        raise PluginError(f"'{file}' has an entry point that is not a text; {needs}.")
    return entries
