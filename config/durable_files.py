"""Durable file operations: a power cut or a full disk leaves each complete or undone.

Every file that replaces another one, or whose loss would matter, is written by this module, which
is the only one that calls `fsync` and `fdatasync`. Three things are needed: the whole data is
written (the system may write a part and return its length), the file is synced before it is
renamed, and the folder is synced after the rename. Without the last one a power cut can undo the
rename although later writes were synced.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path


def write_all(file: int, data: bytes, at: int | None = None) -> None:
    """Write all bytes to an open file, at a place or at its position. Raises OSError.

    A write to a disk that has room for a part only returns the length of that part; the next one
    raises the error.
    """
    rest = memoryview(data)
    while rest:
        if at is None:
            written = os.write(file, rest)
        else:
            written = os.pwrite(file, rest, at)
            at += written
        rest = rest[written:]


def append(file: int, data: bytes, at: int | None = None) -> None:
    """Append bytes with `write_all`, then sync the file's data. Raises OSError."""
    write_all(file, data, at)
    os.fdatasync(file)


def truncate(file: int, size: int) -> None:
    """Cut an open file to a length in bytes, and write that to the disk. Raises OSError."""
    os.ftruncate(file, size)
    os.fdatasync(file)


def sync(file: int) -> None:
    """Write an open file, its length, mode and times included, to the disk. Raises OSError."""
    os.fsync(file)


def sync_path(path: Path | str) -> None:
    """Write the contents of a closed file, or the names in a folder, to the disk. Raises OSError.

    The file or folder is opened for reading only, so that its owner can have made it read-only.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path | str) -> None:
    """Write the names in a folder to the disk. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_new(path: Path | str, data: bytes, mode: int, owner: str | None = None) -> None:
    """Write a file that does not exist yet. The name is not synced; `sync_folder` does that.

    `mode` is the mode of the file, whatever the umask is. The file belongs to the user and the
    group `owner` from before its first byte, if this computer has both. If an error is raised, no
    file is left. Raises FileExistsError for a file that exists, and OSError.
    """
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        os.fchmod(file, mode)
        if owner is not None:
            with suppress(LookupError):
                shutil.chown(file, owner, owner)
        write_all(file, data)
        os.fsync(file)
    except OSError:
        with suppress(OSError):
            os.unlink(path)  # noqa: PTH108
        raise
    finally:
        os.close(file)


def replace_file(path: Path | str, data: bytes, mode: int = 0o644) -> None:
    """Replace a file as a whole: a reader, and a power cut, leave the old or the new content.

    `mode` is the mode of the new file, whatever the umask is. If an error is raised before the
    rename, the old file is untouched and nothing is left beside it. Raises OSError.
    """
    beside = f"{path}.new"
    with suppress(FileNotFoundError):
        os.unlink(beside)  # noqa: PTH108 - a Path takes 10 µs longer, for each batch of events
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        try:
            os.fchmod(file, mode)
            write_all(file, data)
            os.fdatasync(file)
        finally:
            os.close(file)
        os.replace(beside, path)  # noqa: PTH105
    except OSError:
        with suppress(OSError):
            os.unlink(beside)  # noqa: PTH108
        raise
    sync_folder(os.path.dirname(path) or ".")  # noqa: PTH120


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
