"""Replaces a folder or a file by a finished one; a power cut leaves one of the two complete.

The old one is kept beside it, under a name with the time; nothing is deleted but unfinished work,
which has the mark of this module in it.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

from config.durable_files import remove_file, sync_folder, sync_path

MARK = ".restoring"
"""A file in a folder that is not finished; such a folder may be deleted."""
_AT_FDCWD, _EXCHANGE = -100, 2


def staging_of(target: Path) -> Path:
    """The folder in which the new contents of a target are prepared, beside it."""
    return target.with_name(f".{target.name}.restoring")


def new_staging(target: Path) -> Path:
    """An empty, marked folder beside the target. Raises OSError.

    What an interrupted restore has left is deleted if it is marked; otherwise it is the old folder,
    which is kept under a name with the time.
    """
    # A mark that an interrupted restore has left in the folder in use would make it deletable.
    remove_file(target / MARK)
    staging = staging_of(target)
    if (staging / MARK).exists():
        _delete_marked(staging)
    elif staging.exists():
        staging.rename(kept_name(target))
        sync_folder(target.parent)
    staging.mkdir(mode=0o700, parents=True)
    (staging / MARK).touch(mode=0o600)
    sync_folder(staging)
    sync_folder(staging.parent)
    return staging


def discard(staging: Path) -> None:
    """Delete an unfinished folder, if it is there."""
    if (staging / MARK).exists():
        _delete_marked(staging)


def put_in_place(staging: Path, target: Path) -> Path | None:
    """Make a finished folder the target; returns the name of the old one, None if there was none.

    Both names are exchanged in one step where the file system can do that. Raises OSError.
    """
    kept = None
    if target.exists():
        kept = kept_name(target)
        if not _exchange(staging, target):
            # Two steps: after a power cut between them, the old folder has the name `kept`.
            target.rename(kept)
            sync_folder(target.parent)
            staging.rename(target)
            sync_folder(target.parent)
            remove_file(target / MARK)
            return kept
        sync_folder(target.parent)
        remove_file(target / MARK)
        staging.rename(kept)
    else:
        staging.rename(target)
        sync_folder(target.parent)
        remove_file(target / MARK)
    sync_folder(target.parent)
    return kept


def kept_name(target: Path) -> Path:
    """A free name beside the target, with the present time."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    names = (f"{target.name}.before-{stamp}{end}" for end in ("", *(f"-{n}" for n in range(2, 99))))
    return next(path for name in names if not (path := target.with_name(name)).exists())


def sync_tree(folder: Path) -> None:
    """Write all files and names below a folder to the disk. Raises OSError."""
    for place, _, files in os.walk(folder):
        for name in files:
            sync_path(Path(place) / name)
        sync_folder(Path(place))


def _delete_marked(staging: Path) -> None:
    """Delete a marked folder; the mark is deleted last, so that a power cut leaves it."""
    for entry in staging.iterdir():
        if entry.name == MARK:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    (staging / MARK).unlink()
    staging.rmdir()
    sync_folder(staging.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False if the system cannot."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
        return int(call(_AT_FDCWD, bytes(one), _AT_FDCWD, bytes(other), _EXCHANGE)) == 0
    except (AttributeError, OSError):
        return False
