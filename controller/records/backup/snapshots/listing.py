"""The files of a folder whose program may write, rename and remove files meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

UNFINISHED = (".new", ".part")
"""Ends of the names of files and folders that a program renames when they are complete."""
LEFT_OUT = (".lock", "-wal", "-shm", "-journal", *UNFINISHED)
"""Ends of the names of files that a program makes anew."""


def files_of(folder: Path, *, without: tuple[str, ...] = ()) -> list[Path]:
    """The regular files of a folder that a backup holds, sorted.

    Folders that are not complete, and the folders `without` in `folder` itself, are not opened: a
    folder can be renamed at any time, and an audit log in the making has its private key in it.
    """
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        is_top = Path(place) == folder
        folders[:] = [
            name
            for name in folders
            if not name.endswith(UNFINISHED) and not (is_top and name in without)
        ]
        found += [
            file
            for name in names
            if not name.endswith(LEFT_OUT)
            and not (file := Path(place, name)).is_symlink()
            and file.is_file()
        ]
    return sorted(found)
