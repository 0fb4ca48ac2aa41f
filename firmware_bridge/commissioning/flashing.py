"""Flashing: builds the firmware with make, writes it with avrdude, identifies it by its hash.

The build id is the first four bytes of the SHA-256 of the sources. It is compiled into the
firmware, so that a board reports it with its identity. The built ELF file contains it in a section
of its own, and `tree_hash` computes it from the sources.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from struct import Struct

from config.file_locks import waiting_command
from firmware_bridge.commissioning.provisioning import intel_hex
from firmware_bridge.wire.transport import console_use, expect_reset
from rules.errors import WallwrightError

FIRMWARE = Path(__file__).parents[1] / "firmware"
ELF = FIRMWARE / "build" / "wallwright.elf"
HEX = ELF.with_suffix(".hex")
BUILD_LOCK = ELF.parent / ".lock"
BUILD_WAIT = 300
"""Seconds in which another build in the same folder has to end."""
SOURCES = (
    "core/*.[ch]",
    "chips/*.h",
    "avr/*.[chS]",
    "port.h",
    "Makefile",
    "avr/avr.mk",
    "rp2040/*.*",
)
"""The hashed source files; the Makefile has the same list."""
HASH_SIZE = 4
PROGRAMMER = ("-c", "wiring", "-p", "m2560", "-b", "115200", "-D")
"""Options for the Mega's own bootloader, which erases each page as it writes it, hence -D."""
NO_VERIFICATION = "-V"
"""The Mega's own bootloader reads the EEPROM at twice the addresses at which it writes it, so
avrdude's verification of a correct EEPROM fails."""
USB = "usb"
"""The port of a programmer that is found on the USB by itself."""
BARE_FUSES = (("lfuse", 0xFF), ("hfuse", 0xD9), ("efuse", 0xFC))
"""Fuses of a board without a bootloader: 16 MHz crystal; the firmware is started by every reset,
and an erasure clears the EEPROM too; brown-out at 4.3 V."""
LOCKED = 0xFC
"""Lock bits with which neither flash nor EEPROM can be read or written until the chip is erased."""
PACKAGES = "gcc-avr avr-libc binutils-avr make"
NOTE = b".wallwright"
"""The section of the built file with the hash, in hexadecimal; it is not flashed."""
_LAST_LINE = "avrdude done."
"""The last line of avrdude's output, which is the same after success and failure."""
_ELF_HEADER = Struct("<16sHHIIIIIHHHHHH")
_SECTION = Struct("<10I")


class FlashingError(WallwrightError):
    """The firmware could not be built or written: one sentence, with the next step.

    `refused` is whether the error was found before any access to a board.
    """

    def __init__(self, sentence: str, *, refused: bool = False) -> None:
        super().__init__(sentence)
        self.refused = refused


# Build and its hash


def tree_hash(firmware: Path = FIRMWARE) -> bytes | None:
    """The hash of the present sources; None if there are none."""
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
    """The hash of the sources of a built file; None if the file contains none."""
    try:
        data = elf.read_bytes()
    except OSError:
        return None
    notes = [body for name, body in _sections(data) if name == NOTE]
    return bytes.fromhex(notes[0].decode("ascii")) if notes else None


def image_hash(image: Path | None = None) -> bytes:
    """The SHA-256 of a built image; without a name that for the Mega."""
    return hashlib.sha256((image or HEX).read_bytes()).digest()


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
                f"{tool} is not installed; the build of the firmware needs it. Install it:"
                f" sudo apt-get install {PACKAGES}.",
                refused=True,
            )
    if not (FIRMWARE / "Makefile").exists():
        raise FlashingError(
            f"{FIRMWARE} does not contain the firmware's sources; use a checkout of the project.",
            refused=True,
        )
    run_build("avr")
    made = built_hash()
    if made is None:
        raise FlashingError(
            f"The built file {ELF} contains no hash of its sources; run make clean in {FIRMWARE}."
        )
    return made


def require_built() -> bytes:
    """The hash of the built firmware. Raises FlashingError if it is missing or outdated."""
    made = built_hash() if HEX.exists() else None
    if made is None:
        raise FlashingError(
            "The firmware is not built; build it: wallwright firmware build.", refused=True
        )
    if made != tree_hash():
        raise FlashingError(
            f"The built firmware (build {made.hex()}) is older than its sources; build it again:"
            " wallwright firmware build.",
            refused=True,
        )
    return made


# Writing to the board


def flash(port: str) -> None:
    """Write the built firmware into the board on this port. Raises FlashingError."""
    avrdude(port, "-U", f"flash:w:{HEX}:i")


def flash_bare(port: str, programmer: str) -> None:
    """Erase a board, set its fuses and write the firmware, with an ISP programmer.

    `port` is that of the programmer, or `USB`. Nothing is left of the bootloader and of the EEPROM.
    Raises FlashingError.
    """
    fuses = tuple(part for name, value in BARE_FUSES for part in ("-U", f"{name}:w:{value:#04x}:m"))
    _program(port, programmer, "-e", *fuses, "-U", f"flash:w:{HEX}:i")


def write_eeprom_bare(port: str, programmer: str, pieces: Mapping[int, bytes]) -> None:
    """Write bytes by their addresses to a board's EEPROM with an ISP programmer; lock the chip.

    Raises FlashingError.
    """
    with _as_file(pieces) as file:
        operations = ("-U", f"eeprom:w:{file}:i", "-U", f"lock:w:{LOCKED:#04x}:m")
        _program(port, programmer, *operations)


def _program(port: str, programmer: str, *operations: str) -> None:
    require_avrdude(port)
    command = ["avrdude", "-c", programmer, "-p", "m2560", "-P", port, *operations]
    run_tool(command, f"avrdude, with the programmer {programmer} on {port},")


def compare(port: str) -> None:
    """Read the board's flash back and compare it with the built firmware. Raises FlashingError."""
    avrdude(port, "-U", f"flash:v:{HEX}:i")


def write_eeprom(port: str, pieces: Mapping[int, bytes]) -> None:
    """Write bytes by their addresses to a board's EEPROM, and no others. Raises FlashingError.

    Nothing is read back: the caller asks the firmware, which reads the bytes at its next start.
    """
    with _as_file(pieces) as file:
        avrdude(port, NO_VERIFICATION, "-U", f"eeprom:w:{file}:i")


@contextmanager
def _as_file(pieces: Mapping[int, bytes]) -> Iterator[Path]:
    """A temporary Intel HEX file with these bytes."""
    # The data contain a key; only the owner can read a directory that `tempfile` creates.
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "provisioning.hex"
        file.write_text(intel_hex(pieces), encoding="ascii")
        yield file


def require_avrdude(port: str) -> None:
    """Raise FlashingError if avrdude is missing, or there is no such port."""
    if shutil.which("avrdude") is None:
        raise FlashingError(
            "avrdude is not installed; it is needed to write to a board. Install it:"
            " sudo apt-get install avrdude.",
            refused=True,
        )
    require_port(port)


def require_port(port: str) -> None:
    """Raise FlashingError if there is no such port, or if it is a console of this computer."""
    if port != USB and not Path(port).exists():
        raise FlashingError(
            f"There is no port {port}; `wallwright scan` lists the attached ports.",
            refused=True,
        )
    used_by = console_use(port)
    if used_by is not None:
        raise FlashingError(
            f"Nothing is written to {port}, because {used_by}. Name the port on which the board is;"
            " `wallwright scan` lists the attached ports.",
            refused=True,
        )


def avrdude(port: str, *options: str) -> None:
    """Run avrdude with these options. Raises FlashingError with the last line of its output.

    avrdude resets the board by DTR before, and releases DTR at its end.
    """
    require_avrdude(port)
    try:
        run_tool(
            ["avrdude", *PROGRAMMER, "-P", port, *options],
            f"avrdude, for the board on {port},",
        )
    finally:
        expect_reset(port)


def run_build(target: str) -> None:
    """Build a target of the firmware's Makefile. Raises FlashingError.

    A second build in the same folder waits for the first: both would write the same files.
    """
    command = ["make", "-C", str(FIRMWARE), target]
    BUILD_LOCK.parent.mkdir(exist_ok=True)
    run_tool(waiting_command(command, BUILD_LOCK, BUILD_WAIT), "The build")


def run_tool(command: list[str], action: str) -> None:
    """Run a program. Raises FlashingError with the last line of its output."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments, no shell
            command, capture_output=True, text=True, check=False, errors="replace"
        )
    except OSError as error:
        raise FlashingError(
            f"{action} could not be started ({error.strerror}); check the program {command[0]}.",
            refused=True,
        ) from error
    if done.returncode:
        raise FlashingError(f"{action} failed: {_last_line(done.stdout + done.stderr)}")


def _last_line(output: str) -> str:
    """The last line of a tool's output that may contain the cause of a failure."""
    lines = [line.strip() for line in output.splitlines()]
    causes = [line for line in lines if line and not line.startswith(_LAST_LINE)]
    return causes[-1] if causes else "the program printed no reason."
