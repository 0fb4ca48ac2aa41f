"""Checks of the disks: space, file system, wear, and the time of a sync."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from controller.upkeep.doctor.facts import Facts
from controller.upkeep.doctor.finding import DoctorCheck, Observed, note, ok, problem, seen, unknown

GROUP = "Disks"
ROUND_BYTES = 60_000
"""Bytes that a round adds to the data folder. Measured with `serve --automatic`: 56,300 in 14
rounds of Wenzhou mahjong, 41,900 in 29 rounds of pai gow (three copies of the journal, the evening
store and the audit log)."""
FEW, SOME = 10_000, 100_000
"""Rounds: a week and ten weeks of a round a minute, day and night."""
INODES = 1000
SLOW_S, STUCK_S = 0.25, 5.0
"""Seconds of a sync. Each round waits for some syncs (decision 15); after 30 s it is a fault."""
_IN_MEMORY = {"tmpfs", "ramfs"}
_WORN, _AT_END = 9, 11
"""Tenths of an eMMC's life: the ninth has begun; the life is over."""


def _writable(facts: Facts) -> Iterator[Observed]:
    for folder in facts.folders:
        mount = folder.mount
        if not folder.exists:
            yield seen("missing", f"There is no folder {folder.folder}.", folder=folder.folder)
        elif mount is not None and mount.read_only:
            what = f"The disk of {folder.folder} is mounted read-only at {mount.point}."
            yield seen("read_only", what, point=mount.point)
        elif not folder.writable:
            what = f"The directory {folder.folder} is not writable."
            yield seen("not_writable", what, folder=folder.folder)
        else:
            yield ok(f"{folder.folder} is writable.")


def _space(facts: Facts) -> Iterator[Observed]:
    for folder in facts.folders:
        if folder.free_bytes is None:
            yield unknown(f"Free space of {folder.folder}")
            continue
        rounds = folder.free_bytes // ROUND_BYTES
        what = (
            f"The disk of {folder.folder} has {_size(folder.free_bytes)} of free space, for about"
            f" {rounds:,} rounds."
        )
        kind = "full" if rounds < FEW else "filling" if rounds < SOME else ""
        yield seen(kind, what) if kind else ok(what)
        if folder.free_inodes is not None and folder.free_inodes < INODES:
            yield seen(
                "inodes", f"The disk of {folder.folder} can take {folder.free_inodes} files."
            )


def _kind(facts: Facts) -> Iterator[Observed]:
    for folder in facts.folders:
        mount = folder.mount
        if mount is None:
            yield unknown(f"The file system of {folder.folder}")
        elif mount.kind in _IN_MEMORY:
            yield seen("memory", f"{folder.folder} is in memory ({mount.kind} at {mount.point}).")
        elif mount.kind == "overlay":
            yield seen("overlay", f"{folder.folder} is on an overlay, at {mount.point}.")
        else:
            device = f" on {mount.device}" if mount.device else ""
            yield ok(f"{folder.folder} is on a disk ({mount.kind}{device}).")


def _errors(facts: Facts) -> Iterator[Observed]:
    for folder in facts.folders:
        mount = folder.mount
        if mount is None or mount.errors is None:
            yield unknown(f"Errors of the file system of {folder.folder}")
        elif mount.errors:
            what = (
                f"The file system of {folder.folder} on {mount.device} has {mount.errors} errors."
            )
            yield seen("errors", what, device=mount.device)
        else:
            yield ok(f"The file system of {folder.folder} has counted no error.")


def _wear(facts: Facts) -> Iterator[Observed]:
    mounts = [folder.mount for folder in facts.folders if folder.mount is not None]
    disks = {mount.disk: mount for mount in mounts if mount.disk.startswith("mmcblk")}
    if not disks:
        yield unknown("The life of the card or eMMC")
    for disk, mount in disks.items():
        used = max(mount.life_used) if mount.life_used else 0
        if not used:
            yield unknown(f"The used life of {disk} (SD cards do not report it)")
        elif used >= _AT_END or mount.spare_blocks == 3:
            yield seen("over", f"The eMMC {disk} has reached the end of its life.")
        elif used >= _WORN or mount.spare_blocks == 2:
            yield seen("worn", f"The eMMC {disk} has used about {used * 10} % of its life.")
        else:
            yield ok(f"The eMMC {disk} has used at most {used * 10} % of its life.")


def _sync(facts: Facts) -> Iterator[Observed]:
    for folder in facts.folders:
        if not folder.sync_s:
            yield unknown(f"The time of a sync in {folder.folder}")
            continue
        what = (
            f"A sync in {folder.folder} takes {median(folder.sync_s) * 1000:.1f} ms, at most"
            f" {max(folder.sync_s) * 1000:.1f} ms."
        )
        longest = max(folder.sync_s)
        kind = "stuck" if longest >= STUCK_S else "slow" if longest >= SLOW_S else ""
        yield seen(kind, what) if kind else ok(what)


def _devices(facts: Facts) -> Iterator[Observed]:
    journal = facts.journal
    if journal is None:
        return
    if journal.devices == 1:
        yield seen("one", "All copies of the journal are on 1 device.")
    else:
        yield ok(f"The copies of the journal are on {journal.devices} devices.")


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


CHECKS = (
    DoctorCheck(
        "folder",
        GROUP,
        "The data folder exists and can be written.",
        _writable,
        {
            "missing": problem("the folder does not exist", "Create it: mkdir {folder}."),
            "read_only": problem(
                "the disk is mounted read-only",
                "The kernel does so after an error of the disk: read `dmesg`, replace the card, or"
                " type: sudo mount -o remount,rw {point}.",
            ),
            "not_writable": problem(
                "the folder is not writable", "Change its owner or choose another."
            ),
        },
    ),
    DoctorCheck(
        "disk_space",
        GROUP,
        f"The disk has space for {SOME:,} rounds of {ROUND_BYTES // 1000} kB: ten weeks of a round"
        " a minute.",
        _space,
        {
            "full": problem(
                f"space for fewer than {FEW:,} rounds (600 MB)",
                "Delete files that the table does not need, or use a larger disk.",
            ),
            "filling": note(
                f"space for fewer than {SOME:,} rounds (6 GB)", "Plan for a larger disk."
            ),
            "inodes": problem(
                f"fewer than {INODES:,} new files fit", "Delete files that the table does not need."
            ),
        },
    ),
    DoctorCheck(
        "disk_kind",
        GROUP,
        "The data folder is on a disk: what is in memory is lost in a power cut.",
        _kind,
        {
            "memory": problem(
                "the folder is in memory", "Name a folder on a disk with --data or --journal."
            ),
            "overlay": note(
                "the folder is on an overlay",
                "Look where its upper layer is: findmnt -T FOLDER. In memory it loses all records.",
            ),
        },
    ),
    DoctorCheck(
        "disk_errors",
        GROUP,
        "The file system has counted no errors.",
        _errors,
        {
            "errors": problem(
                "the file system has errors",
                "Make a backup, then check it: sudo e2fsck -f /dev/{device} while it is not"
                " mounted.",
            )
        },
    ),
    DoctorCheck(
        "disk_wear",
        GROUP,
        "An eMMC has used less than 90 % of its life.",
        _wear,
        {
            "worn": note("90 % are used", "Make a backup, and plan to replace it."),
            "over": problem("its wear limit is reached", "Make a backup now, and replace it."),
        },
    ),
    DoctorCheck(
        "disk_sync",
        GROUP,
        f"A sync takes less than {SLOW_S * 1000:.0f} ms; the table waits for some of them.",
        _sync,
        {
            "slow": note(
                f"a sync takes {SLOW_S * 1000:.0f} ms or more",
                "Use a card of class A1 or better, or an SSD; rounds take longer now.",
            ),
            "stuck": problem(
                f"a sync takes {STUCK_S:.0f} s or more",
                "Replace the card; after 30 s the table stops with the fault JOURNAL.",
            ),
        },
    ),
    DoctorCheck(
        "journal_devices",
        GROUP,
        "The journal's copies are on two devices, so that one can fail.",
        _devices,
        {
            "one": note(
                "all copies are on one device",
                "If it fails, all copies are lost; name another disk with --journal-copy.",
            )
        },
    ),
)
