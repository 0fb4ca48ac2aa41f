"""Building the Pico's firmware, and writing it: by its USB drive, or by picotool."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware_bridge.commissioning.flashing import (
    FIRMWARE,
    FlashingError,
    built_hash,
    run_build,
    run_tool,
    tree_hash,
)
from firmware_bridge.commissioning.pico_storage import (
    BANK,
    BANKS,
    SECTOR,
    SIZE,
    STORAGE,
    storage_image,
)
from firmware_bridge.commissioning.provisioning import PLACE
from firmware_bridge.commissioning.uf2 import FLASH, uf2, uf2_of

ELF = FIRMWARE / "build" / "wallwright-rp2040.elf"
UF2 = ELF.with_suffix(".uf2")
PACKAGES = "gcc-arm-none-eabi picolibc-arm-none-eabi make"
DRIVE = "RPI-RP2"
"""The label of the drive that a Pico shows while its bootloader runs."""
INFO = "INFO_UF2.TXT"
"""The file on that drive which names the board."""
_MOUNTED = (f"media/*/{DRIVE}", f"run/media/*/{DRIVE}", f"mnt/{DRIVE}", f"Volumes/{DRIVE}")


def build() -> bytes:
    """Build the firmware and its UF2 file; return the build's hash. Raises FlashingError."""
    for tool in ("make", "arm-none-eabi-gcc"):
        if shutil.which(tool) is None:
            raise FlashingError(
                f"{tool} is not installed; the build of the firmware needs it. Install it:"
                f" sudo apt-get install {PACKAGES}.",
                refused=True,
            )
    if not (FIRMWARE / "Makefile").exists():
        raise FlashingError(
            f"{FIRMWARE} does not contain the firmware's sources; use a checkout of the project.",
            refused=True,
        )
    run_build("rp2040")
    made = built_hash(ELF)
    if made is None:
        raise FlashingError(
            f"The built file {ELF} contains no hash of its sources; run make clean in {FIRMWARE}."
        )
    UF2.write_bytes(uf2(ELF.with_suffix(".bin").read_bytes()))
    return made


def require_built() -> bytes:
    """The hash of the built firmware. Raises FlashingError if it is missing or outdated."""
    made = built_hash(ELF) if UF2.exists() else None
    if made is None or made != tree_hash():
        state = "not built" if made is None else f"older than its sources (build {made.hex()})"
        raise FlashingError(
            f"The Pico's firmware is {state}; build it: wallwright firmware build --chip rp2040.",
            refused=True,
        )
    return made


def drives(root: Path = Path("/")) -> list[Path]:
    """Return the drives of all Picos whose bootloader runs."""
    found = [drive for pattern in _MOUNTED for drive in sorted(root.glob(pattern))]
    return [drive for drive in found if (drive / INFO).exists()]


def provisioning_file(data: bytes) -> bytes:
    """Return the UF2 file that gives a Pico this identity (`provisioning.image`).

    It begins the Pico's storage anew, so its counts and its number of starts are lost. The first
    bank gets the identity; the first sector of each other bank is cleared, so none of them counts.
    """
    content = (b"\xff" * PLACE + data).ljust(SIZE, b"\xff")
    first = storage_image(content).ljust(BANK, b"\xff")
    others = [(STORAGE + bank * BANK, b"\xff" * SECTOR) for bank in range(1, BANKS)]
    return uf2_of((FLASH + at, piece) for at, piece in [(STORAGE, first), *others])


def provision(drive: str | None, data: bytes) -> str:
    """Write an identity into a Pico; return how. Raises FlashingError.

    `drive` is as in `flash`. The file contains the board's key, so it is deleted afterwards.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "identity.uf2"
        file.write_bytes(provisioning_file(data))
        return _write(file, drive)


def flash(drive: str | None) -> str:
    """Write the built firmware into a Pico; return how. Raises FlashingError.

    `drive` is its mounted drive; without it the only mounted one is taken, or else picotool.
    """
    return _write(UF2, drive)


def _write(file: Path, drive: str | None) -> str:
    if drive is not None:
        return _copy(file, Path(drive))
    found = drives()
    if len(found) > 1:
        names = ", ".join(map(str, found))
        raise FlashingError(f"There are several drives: {names}; name one of them.", refused=True)
    if found:
        return _copy(file, found[0])
    if shutil.which("picotool") is None:
        raise FlashingError(
            f"No drive {DRIVE} is mounted, and picotool is not installed; hold BOOTSEL while you"
            " plug the Pico in, mount its drive, and try again.",
            refused=True,
        )
    run_tool(["picotool", "load", "-x", str(file)], "picotool")
    return "by picotool"


def _copy(file: Path, drive: Path) -> str:
    if not (drive / INFO).exists():
        raise FlashingError(
            f"{drive} is not the drive of a Pico: it has no {INFO}. Hold BOOTSEL while you plug the"
            " Pico in, and mount its drive.",
            refused=True,
        )
    try:
        shutil.copyfile(file, drive / file.name)
    except OSError as error:
        raise FlashingError(
            f"{file.name} could not be copied to {drive} ({error.strerror}); hold BOOTSEL while you"
            " plug the Pico in again, and try again."
        ) from error
    return f"by its drive {drive}"
