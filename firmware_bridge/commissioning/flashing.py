"""The firmware on its way into a board: built by make, carried by avrdude, known by its hash.

A build is known by the first four bytes of the SHA-256 of its sources. They are in what is
flashed, so a board tells them when it identifies itself; in the built file, beside the code; and
they can be worked out from the sources at hand.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from struct import Struct

from firmware_bridge.commissioning.provisioning import intel_hex
from rules.errors import WallwrightError

FIRMWARE = Path(__file__).parents[1] / "firmware"
ELF = FIRMWARE / "build" / "wallwright.elf"
HEX = ELF.with_suffix(".hex")
SOURCES = ("core/*.[ch]", "avr/*.[chS]", "port.h", "Makefile", "avr/avr.mk")
"""What the hash is taken of; the Makefile has the same list."""
HASH_SIZE = 4
PROGRAMMER = ("-c", "wiring", "-p", "m2560", "-b", "115200", "-D")
"""The Mega's own bootloader; it erases each page as it writes it, hence -D."""
PACKAGES = "gcc-avr avr-libc binutils-avr make"
NOTE = b".wallwright"
"""The section of the built file that has the hash, in hexadecimal; it is not flashed."""
_PARTING = "avrdude done."
"""avrdude's last words, whether it failed or not."""
_ELF_HEADER = Struct("<16sHHIIIIIHHHHHH")
_SECTION = Struct("<10I")


class FlashingError(WallwrightError):
    """The firmware could not be built or carried: one sentence, and what to do.

    `refused` is whether it was plain beforehand, so that no board was touched.
    """

    def __init__(self, sentence: str, *, refused: bool = False) -> None:
        super().__init__(sentence)
        self.refused = refused


# Which build


def tree_hash(firmware: Path = FIRMWARE) -> bytes | None:
    """The hash that a build of the sources at hand would have; None if they are not there."""
    files = sorted(
        (found.relative_to(firmware).as_posix(), found)
        for pattern in SOURCES
        for found in firmware.glob(pattern)
    )
    if not files:
        return None
    digest = hashlib.sha256()
    for _, file in files:
        digest.update(file.read_bytes())
    return digest.digest()[:HASH_SIZE]


def built_hash(elf: Path = ELF) -> bytes | None:
    """The hash of the sources that a built file was made of; None if there is none in it."""
    try:
        data = elf.read_bytes()
    except OSError:
        return None
    notes = [body for name, body in _sections(data) if name == NOTE]
    return bytes.fromhex(notes[0].decode("ascii")) if notes else None


def _sections(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Names and contents of the sections of a 32-bit little-endian ELF file."""
    if len(data) < _ELF_HEADER.size or data[:6] != b"\x7fELF\x01\x01":
        return
    *_, begin, _flags, _size, _, _, _, count, names_at = _ELF_HEADER.unpack_from(data)
    headers = [_SECTION.unpack_from(data, begin + at * _SECTION.size) for at in range(count)]
    names = headers[names_at]
    for header in headers:
        name_at = names[4] + header[0]
        name = data[name_at : data.index(b"\0", name_at)]
        yield name, data[header[4] : header[4] + header[5]]


def build() -> bytes:
    """Build the firmware, and return the build's hash. Raises FlashingError."""
    for tool in ("make", "avr-gcc"):
        if shutil.which(tool) is None:
            raise FlashingError(
                f"{tool} is not there, which builds the firmware; install it:"
                f" sudo apt-get install {PACKAGES}.",
                refused=True,
            )
    if not (FIRMWARE / "Makefile").exists():
        raise FlashingError(
            f"There are no sources of the firmware in {FIRMWARE}; use a checkout of the project.",
            refused=True,
        )
    _run(["make", "-C", str(FIRMWARE), "avr"], "The build")
    made = built_hash()
    if made is None:
        raise FlashingError(f"The build left no hash in {ELF}; run make clean in {FIRMWARE}.")
    return made


def require_built() -> bytes:
    """The hash of the firmware that lies ready. Raises FlashingError if it is none, or stale."""
    made = built_hash() if HEX.exists() else None
    if made is None:
        raise FlashingError(
            "The firmware is not built; build it: wallwright firmware build.", refused=True
        )
    if made != tree_hash():
        raise FlashingError(
            f"The firmware that lies ready (build {made.hex()}) is of other sources than these;"
            " build it anew: wallwright firmware build.",
            refused=True,
        )
    return made


# Into the board


def flash(port: str) -> None:
    """Write the built firmware into the board on this port. Raises FlashingError."""
    avrdude(port, f"flash:w:{HEX}:i")


def compare(port: str) -> None:
    """Read the board's flash back and compare it with the built firmware. Raises FlashingError."""
    avrdude(port, f"flash:v:{HEX}:i")


def write_eeprom(port: str, data: bytes) -> None:
    """Write bytes to the begin of a board's EEPROM. Raises FlashingError."""
    with tempfile.TemporaryDirectory() as folder:  # which nobody else may read: it is a key
        file = Path(folder) / "provisioning.hex"
        file.write_text(intel_hex(data), encoding="ascii")
        avrdude(port, f"eeprom:w:{file}:i")


def require_avrdude(port: str) -> None:
    """Raise FlashingError if the tool that programs boards is missing, or there is no such port."""
    if shutil.which("avrdude") is None:
        raise FlashingError(
            "avrdude is not there, which talks to a board's bootloader; install it:"
            " sudo apt-get install avrdude.",
            refused=True,
        )
    require_port(port)


def require_port(port: str) -> None:
    """Raise FlashingError if there is no such port."""
    if not Path(port).exists():
        raise FlashingError(
            f"There is no port {port}; `wallwright scan` lists those that are attached.",
            refused=True,
        )


def avrdude(port: str, operation: str) -> None:
    """The one place where a board is programmed. Raises FlashingError with the tool's last line."""
    require_avrdude(port)
    _run(
        ["avrdude", *PROGRAMMER, "-P", port, "-U", operation], f"avrdude, for the board on {port},"
    )


def _run(command: list[str], what: str) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - our own words, no shell
            command, capture_output=True, text=True, check=False, errors="replace"
        )
    except OSError as error:
        raise FlashingError(
            f"{what} could not be started ({error.strerror}); look at {command[0]}.", refused=True
        ) from error
    if done.returncode:
        raise FlashingError(f"{what} failed: {_last_line(done.stdout + done.stderr)}")


def _last_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines()]
    telling = [line for line in lines if line and not line.startswith(_PARTING)]
    return telling[-1] if telling else "it did not say why."
