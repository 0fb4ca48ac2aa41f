"""Device key file: the boards' keys and builds, in one file that only its owner may read.

A line is a serial number, its key, and, once the board was flashed or verified from this host, the
build of its firmware and the SHA-256 of the written image; all in hexadecimal. A real board is
accepted only with the key that `wallwright firmware provision` gave it. Simulated boards have
serial numbers that begin with SIM and share one public key; only a key store that is created with
`simulated` gives that key.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from config.durable_files import sync_folder, write_new
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.wire.errors import BoardError
from firmware_bridge.wire.transport import is_pseudo_terminal
from rules.errors import WallwrightError

UNSET = "UNSET000"
"""The serial number of a board that was never provisioned."""
DAMAGED = "DAMAGED0"
"""The serial number of a board whose identity is damaged in both copies, or whose storage contains
something else. Like UNSET, it begins no session."""
NO_IDENTITY = (UNSET, DAMAGED)
SIMULATED = "SIM"
SERIAL_SIZE = 8
KEY_SIZES = (16, 32)
BUILD_SIZE = 4
MOST_FIELDS = 3
"""Fields of a line after the serial number."""


class KnownBoard(NamedTuple):
    """What the key file has for one board; the build and the image are empty if not recorded."""

    key: bytes
    build: bytes = b""
    image: bytes = b""


class KeysError(WallwrightError, ValueError):
    """The key file cannot be used. The message is one sentence with the next step."""


class MissingKeyError(BoardError):
    """The key file has no key for a board."""


class PublicKeyError(BoardError):
    """A board has a serial number whose key is public."""


class DeviceKeys:
    """Keys by serial number. Raises KeysError for a file that is damaged or readable by others.

    A missing file counts as one without keys. With `simulated` the store also has the public key
    of simulated boards, for pseudo-terminals only.
    """

    def __init__(self, file: Path, *, simulated: bool = False) -> None:
        self.file = file
        self._simulated = simulated
        self._boards = _read(file)

    @classmethod
    def none(cls) -> DeviceKeys:
        """A key store without keys."""
        return cls(Path(os.devnull))

    def __contains__(self, serial: str) -> bool:
        return serial in self._boards

    def of(self, serial: str, port: str = "") -> bytes:
        """The key of the board with this serial number on this port.

        Raises MissingKeyError or PublicKeyError, which name the next step.
        """
        if serial.startswith(SIMULATED):
            # The port is checked at each start of a board: another device can get its name.
            if self._simulated and is_pseudo_terminal(port):
                return KEY
            raise PublicKeyError(
                f"the board on this port reports {serial}, the serial number of a simulated board,"
                " whose key is public; connect a board that was provisioned, or add"
                " --allow-simulated if the port is that of `wallwright board`."
            )
        if serial in self._boards:
            return self._boards[serial].key
        if serial == UNSET:
            raise MissingKeyError(
                "this board was never provisioned, and therefore has no identity; give it a serial"
                " number, an address and a key:"
                " `wallwright firmware provision PORT --serial S --address N`."
            )
        if serial == DAMAGED:
            raise MissingKeyError(
                "this board has lost its identity: both copies in its storage are damaged, or"
                " another program has used it. It drives nothing; measure its 5 V supply, then give"
                " it a serial number, an address and a key again:"
                " `wallwright firmware provision PORT --serial S --address N`."
            )
        raise MissingKeyError(
            f"there is no key for the board {serial} in {self.file}; copy the key's line from the"
            " host that provisioned the board (--keys names another file), or provision the board"
            " again: `wallwright firmware provision PORT --serial S --address N --again`."
        )

    def on(self, port: str) -> Callable[[str], bytes]:
        """The function from serial number to key for the boards on this port (`of`)."""
        return partial(self.of, port=port)

    def remember(self, serial: str, key: bytes) -> None:
        """Store a key in the file, mode 0600. Raises KeysError if it cannot be written.

        The file is replaced atomically, so a power cut leaves the old one.
        """
        self._keep(serial, self._boards.get(serial, KnownBoard(key))._replace(key=key))

    def build_of(self, serial: str) -> bytes:
        """The build that was recorded for a board, 4 bytes; empty if none was."""
        known = self._boards.get(serial)
        return known.build if known else b""

    def image_of(self, serial: str) -> bytes:
        """The SHA-256 of the image that was written to a board; empty if it is not known."""
        known = self._boards.get(serial)
        return known.image if known else b""

    def record_build(self, serial: str, build: bytes, image: bytes = b"") -> None:
        """Record the build of a board that has a key here, and the SHA-256 of its image if known.

        Raises KeysError if the file cannot be written.
        """
        self._keep(serial, KnownBoard(self._boards[serial].key, build, image))

    def require_writable(self) -> None:
        """Raise KeysError if keys cannot be stored in this file."""
        _write(self.file, self._boards)

    def _keep(self, serial: str, board: KnownBoard) -> None:
        kept = {**self._boards, serial: board}
        _write(self.file, kept)
        self._boards = kept


def _read(file: Path) -> dict[str, KnownBoard]:
    try:
        with file.open(encoding="ascii") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            if stat.S_ISREG(mode) and mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise KeysError(
                    f"The key file {file} is readable by other users (mode"
                    f" {stat.S_IMODE(mode):04o}); restrict it: chmod 600 {file}."
                )
            lines = stream.read().splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text file"
        raise KeysError(
            f"The key file {file} cannot be read ({reason}); repair or remove it."
        ) from error
    return dict(
        _board(file, number, line)
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.startswith("#")
    )


def _board(file: Path, number: int, line: str) -> tuple[str, KnownBoard]:
    serial, *written = line.split()
    try:
        key, build, image = (bytes.fromhex(each) for each in (*written, "", "")[:3])
    except ValueError:
        key = build = image = b""
    sizes = len(key) in KEY_SIZES and len(build) in (0, BUILD_SIZE) and len(image) in (0, 32)
    if not is_serial(serial) or len(written) > MOST_FIELDS or not sizes:
        raise KeysError(
            f"{file}:{number}: the line is not a serial number with a key of 16 or 32 bytes in "
            "hexadecimal, a build id of 4 bytes and an image hash of 32 bytes; remove the line, or "
            "provision"
            " that board again."
        )
    if serial in NO_IDENTITY or serial.startswith(SIMULATED) or len(set(key)) == 1:
        raise KeysError(
            f"{file}:{number}: the key of {serial} is public, because the board is simulated or"
            " was never provisioned; remove the line, and provision the board."
        )
    return serial, KnownBoard(key, build, image)


def is_serial(serial: str) -> bool:
    """Whether a text is a serial number: eight letters and digits."""
    return len(serial) == SERIAL_SIZE and serial.isascii() and serial.isalnum()


def _write(file: Path, boards: Mapping[str, KnownBoard]) -> None:
    text = "".join(
        " ".join((serial, *(part.hex() for part in boards[serial]))).rstrip() + "\n"
        for serial in sorted(boards)
    )
    aside = file.with_name(f".{file.name}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside.unlink(missing_ok=True)
        write_new(aside, text.encode("ascii"), 0o600)
        aside.replace(file)
        # Without this, a power cut can undo the rename: a board with a key that no file has.
        sync_folder(file.parent)
    except OSError as error:
        raise KeysError(
            f"The key file {file} cannot be written ({error.strerror}); name another file with"
            " --keys."
        ) from error
