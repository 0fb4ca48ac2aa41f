"""The disks of the data folder and of the journal's copies."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from config.durable_files import append
from controller.upkeep.doctor.fact_files import FactFiles

SYNCS = 8
"""Writes of 4 KiB, each with a sync, that are measured."""
_BLOCK = 4096


@dataclass(frozen=True)
class MountFacts:
    """The file system of a folder."""

    point: str
    kind: str
    read_only: bool
    device: str = ""
    """The block device, such as mmcblk0p2; empty if the file system has none."""
    disk: str = ""
    """The whole disk, such as mmcblk0."""
    errors: int | None = None
    """Errors that ext4 has counted since the file system was made or checked."""
    life_used: tuple[int, int] | None = None
    """Used life of an eMMC in tenths, for its two kinds of memory; 11 is more than its life."""
    spare_blocks: int | None = None
    """The eMMC's report of its spare blocks: 1 is normal, 2 is 80 % used, 3 is nearly all used."""


@dataclass(frozen=True)
class FolderFacts:
    """A folder with records: space in bytes, and the seconds of measured syncs.

    `free_inodes` is None for a file system that does not count them.
    """

    folder: str
    exists: bool = True
    writable: bool = True
    free_bytes: int | None = None
    free_inodes: int | None = None
    sync_s: tuple[float, ...] = ()
    mount: MountFacts | None = None


def read_folders(
    files: FactFiles, folders: Iterable[Path], *, measure: bool = True
) -> tuple[FolderFacts, ...]:
    """The facts of each folder, and of its disk. With `measure` a small file is written to each."""
    mounts = _mounts(files)
    return tuple(_folder(files, folder, mounts, measure) for folder in dict.fromkeys(folders))


def _folder(
    files: FactFiles, folder: Path, mounts: dict[str, MountFacts], measure: bool
) -> FolderFacts:
    mount = _mount_of(folder, mounts)
    if not folder.is_dir():
        return FolderFacts(str(folder), exists=False, writable=False, mount=mount)
    writable = os.access(folder, os.W_OK)
    try:
        space = os.statvfs(folder)
    except OSError:
        return FolderFacts(str(folder), writable=writable, mount=mount)
    return FolderFacts(
        str(folder),
        writable=writable,
        free_bytes=space.f_bavail * space.f_frsize,
        free_inodes=space.f_favail if space.f_files else None,
        sync_s=_syncs(folder) if measure and writable else (),
        mount=mount,
    )


def _syncs(folder: Path) -> tuple[float, ...]:
    """The seconds of some synced writes; empty if nothing can be written."""
    times = []
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            for _ in range(SYNCS):
                begun = time.perf_counter()
                append(file.fileno(), bytes(_BLOCK))
                times.append(time.perf_counter() - begun)
    except OSError:
        return ()
    return tuple(times)


def _mount_of(folder: Path, mounts: dict[str, MountFacts]) -> MountFacts | None:
    place = Path(os.path.realpath(folder))
    return next(
        (mounts[str(each)] for each in (place, *place.parents) if str(each) in mounts), None
    )


def _mounts(files: FactFiles) -> dict[str, MountFacts]:
    """The file systems by mount point; of two at one point the later one hides the earlier."""
    found = {}
    for line in (files.text("/proc/self/mountinfo") or "").splitlines():
        left, _, right = line.partition(" - ")
        fields, kinds = left.split(" "), right.split(" ")
        if len(fields) < 6 or len(kinds) < 3:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), fields[4])
        options = {*fields[5].split(","), *kinds[2].split(",")}
        device, disk = _device(files, fields[2])
        found[point] = MountFacts(
            point,
            kinds[0],
            "ro" in options,
            device,
            disk,
            files.whole(f"/sys/fs/ext4/{device}/errors_count") if device else None,
            _life(files, disk),
            files.whole(f"/sys/block/{disk}/device/pre_eol_info", 16) if disk else None,
        )
    return found


def _device(files: FactFiles, number: str) -> tuple[str, str]:
    """The block device of a device number, and its disk; empty texts if there is none."""
    target = files.link(f"/sys/dev/block/{number}")
    if not re.fullmatch(r"\d+:\d+", number) or target is None:
        return "", ""
    *_, above, device = ("", "", *target.split("/"))
    return device, device if above == "block" else above


def _life(files: FactFiles, disk: str) -> tuple[int, int] | None:
    words = (files.text(f"/sys/block/{disk}/device/life_time") or "").split() if disk else []
    if len(words) != 2 or not all(re.fullmatch(r"0x[0-9a-fA-F]{1,2}", word) for word in words):
        return None
    return int(words[0], 16), int(words[1], 16)
