"""Writes to the disk that a power cut leaves either undone or complete."""

from __future__ import annotations

import os
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_file(file: Path, data: bytes) -> None:
    """Replace a file as a whole: a reader finds the old or the new content."""
    part = file.with_name(file.name + ".part")
    with part.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(file)
    sync_folder(file.parent)


def point(link: Path, target: str) -> None:
    """Make a symbolic link point to another target, in one step."""
    part = link.with_name(link.name + ".part")
    part.unlink(missing_ok=True)
    part.symlink_to(target)
    part.replace(link)
    sync_folder(link.parent)


def remove_file(file: Path) -> None:
    """Remove a file, if it exists, so that it is also gone after a power cut."""
    if file.exists():
        file.unlink()
        sync_folder(file.parent)
