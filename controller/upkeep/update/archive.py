"""The archive of a release: a tar file with the program and its signed manifest.

It contains regular files only, with names below `program/`, and is not compressed: it cannot become
larger when it is unpacked than its signed length.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path, PurePosixPath

from config.durable_files import sync, sync_folder
from controller.upkeep.update.slots import UpdateError

PROGRAM, MANIFEST = "program", "manifest.json"


def pack(program: Path, manifest: Path, archive: Path) -> None:
    """Write the archive of a program. Raises UpdateError for a link or a device."""
    with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as tar:
        _add(tar, MANIFEST, manifest)
        for file in sorted(program.rglob("*")):
            if file.is_symlink() or not (file.is_file() or file.is_dir()):
                raise UpdateError(f"{file} is not a regular file; a release cannot contain it.")
            if file.is_file():
                _add(tar, f"{PROGRAM}/{file.relative_to(program).as_posix()}", file)


def _add(tar: tarfile.TarFile, name: str, file: Path) -> None:
    """Add a file without its owner and its times: the same release gives the same archive."""
    info = tarfile.TarInfo(name)
    info.size = file.stat().st_size
    info.mode = 0o755 if os.access(file, os.X_OK) else 0o644
    with file.open("rb") as data:
        tar.addfile(info, data)


def unpack(archive: Path, program: Path, manifest: Path) -> None:
    """Replace the folder `program` and the file `manifest` by an archive's content, and sync it.

    Raises UpdateError for a name outside the folder, and for anything but regular files.
    """
    if program.exists():
        shutil.rmtree(program)
    program.mkdir(mode=0o755)
    try:
        with tarfile.open(archive, "r:") as tar:
            for info in tar:
                target = _target(info, program, manifest)
                stream = tar.extractfile(info)
                assert stream is not None
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("xb" if target != manifest else "wb") as out:
                    shutil.copyfileobj(stream, out)
                    out.flush()
                    sync(out.fileno())
                target.chmod(0o755 if info.mode & 0o100 else 0o644)
    except tarfile.TarError as error:
        raise UpdateError(
            f"The archive of the update is damaged ({error}); nothing was installed."
        ) from error
    for folder in sorted({program, *(path for path in program.rglob("*") if path.is_dir())}):
        sync_folder(folder)
    sync_folder(program.parent)


def _target(info: tarfile.TarInfo, program: Path, manifest: Path) -> Path:
    name = PurePosixPath(info.name)
    if info.isreg() and info.name == MANIFEST:
        return manifest
    inside = name.parts[:1] == (PROGRAM,) and len(name.parts) > 1
    if not info.isreg() or not inside or ".." in name.parts or "\\" in info.name:
        raise UpdateError(
            f"The archive of the update contains '{info.name}', which is not a regular file of the"
            " program; nothing was installed."
        )
    return program.joinpath(*name.parts[1:])
