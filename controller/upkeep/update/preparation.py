"""Makes the folder of the updates with the first release, and the starter outside of the slots.

A program that a Debian package has installed has no slots: apt updates it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from config.durable_files import point, replace_file, sync_folder
from controller.records.identity.boot import PROGRAM
from controller.upkeep.update.archive import pack, unpack
from controller.upkeep.update.slots import SESSION_LOCK, SLOTS, Slots, UpdateError

MARK = "debian-package"
"""The file in the package's folder that names the package."""


def debian_package(program: Path = PROGRAM) -> str | None:
    """The package that has installed the program, as `NAME VERSION ARCHITECTURE`; None if none."""
    if len(program.parents) < 3:
        return None
    try:
        return (program.parents[2] / MARK).read_text("utf-8").strip()
    except OSError:
        return None


def require_no_package(program: Path = PROGRAM) -> None:
    """Raises UpdateError if apt updates this program."""
    package = debian_package(program)
    if package is not None:
        raise UpdateError(
            f"This program belongs to the Debian package {package}, so apt updates it: sudo apt"
            " install ./wallwright_VERSION_ARCHITECTURE.deb. To update this computer in slots"
            " instead, remove the package first: docs/operate/UPDATES.md."
        )


LOCK_MODE = 0o640
"""Whoever can read the lock's file can hold the lock, and then no session begins: the owner, who
installs updates, and the group of the service. The service must not own it, because it could then
replace it."""
STARTER = "start.py"
STARTER_FILES = (
    "config/__init__.py",
    "config/durable_files.py",
    "config/file_locks.py",
    "controller/__init__.py",
    "controller/records/__init__.py",
    "controller/upkeep/__init__.py",
    *(f"controller/records/identity/{name}.py" for name in ("__init__", "boot", "manifest")),
    *(f"controller/upkeep/update/{name}.py" for name in ("__init__", "slots", "starting")),
    "firmware_bridge/__init__.py",
    "firmware_bridge/signatures.py",
    "rules/__init__.py",
    "rules/errors.py",
    "rules/values.py",
)
"""The modules of the starter. It also needs the package `cryptography`."""
_START = '''"""Starts the program of the current slot: python3 -I start.py [ARGUMENT ...]"""

import sys
from pathlib import Path

BOOT = Path(__file__).resolve().parent
sys.path.insert(0, str(BOOT))

from controller.upkeep.update.starting import main  # noqa: E402

sys.exit(main(BOOT.parent, sys.argv[1:]))
'''


def prepare(
    root: Path,
    program: Path,
    manifest: Path,
    trusted: Path,
    trust: Path,
    service_group: str | None = None,
) -> Slots:
    """Put the first release into the slot `a`; `trusted` is the maker's `1.root.json`.

    `service_group` is the group of the user who runs the service; without it that user is the one
    who calls this. Raises UpdateError for a folder that has slots already, IdentityError for a
    program that is not that of the manifest.
    """
    if (root / "current").is_symlink():
        raise UpdateError(
            f"{root} has slots already; install updates with wallwright update install."
        )
    slots = Slots(root, trust)
    root.mkdir(parents=True, exist_ok=True, mode=0o755)
    slot, archive = SLOTS[0], root / "archive.part"
    pack(program, manifest, archive)
    unpack(archive, slots.program(slot), slots.manifest_file(slot))
    archive.unlink()
    slots.require_whole(slot)
    for name in STARTER_FILES:
        target = root / "boot" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PROGRAM / name, target)
    replace_file(root / "boot" / STARTER, _START.encode())
    replace_file(root / SESSION_LOCK, b"", LOCK_MODE)
    if service_group is not None:
        shutil.chown(root / SESSION_LOCK, group=service_group)
    replace_file(root / "root.json", trusted.read_bytes())
    sync_folder(root)
    point(root / "current", slot)
    return slots
