"""Transports of bytes: a serial port on the event loop, without threads or blocking calls.

pyserial opens and configures the port; from then on only its file descriptor is used, because
pyserial's own `write` waits for room in the operating system's buffer, or spins for it. Works on
pseudo-terminals too.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import stat
import termios
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import serial

from firmware_bridge.wire.errors import BoardSilentError

BAUD = 250_000
"""Baud rate: exact on a 16 MHz board; a round trip occupies the wire for under a millisecond."""
MOST_UNSENT = 65_536
"""Limit of unsent bytes; the full windows of all boards together are under 4,096."""
_PIECE = 4096
_PSEUDO_TERMINALS = range(136, 144)
_CONTROL = 2
"""Index of the control modes in the attributes of a terminal."""

Receive = Callable[[bytes], None]
Lost = Callable[[str], None]


class Transport(Protocol):
    """Carries bytes to and from the boards of one line, in order; bytes can be damaged."""

    @property
    def resets_boards(self) -> bool:
        """Whether the opening of this transport may have reset the boards."""

    def connect(self, receive: Receive, lost: Lost) -> None:
        """Call `receive` with all received bytes, and `lost` once, with the reason, on failure."""

    def write(self, data: bytes) -> None:
        """Send, without waiting. Does nothing after `close` or `lost`."""

    def close(self) -> None:
        """Release the line, without a call of `lost`. Idempotent."""


def open_serial(port: str, baud: int = BAUD) -> SerialTransport:
    """Open the named port exclusively. Raises BoardSilentError if it cannot be opened.

    A falling edge of DTR resets an Arduino. Linux asserts DTR (low) whenever a port is opened, and
    releases it when the port is closed, unless HUPCL is clear. This function clears HUPCL, so only
    the first opening after the board was plugged in resets it. DTR and RTS stay asserted.

    A console of this computer is refused: its login or its kernel messages would answer.
    """
    used_by = console_use(port)
    if used_by is not None:
        raise BoardSilentError(
            f"port {port} is not opened, because {used_by}. Give the port on which the board is, or"
            " free this one: docs/build/PI.md lists the settings."
        )
    try:
        device = serial.Serial(port, baud, timeout=0, exclusive=True)
        exclude_others(device.fileno(), port)
    except (serial.SerialException, OSError, ValueError, termios.error) as reason:
        # termios.error is no OSError; it is raised if the cable is unplugged during the opening.
        raise BoardSilentError(
            f"port {port} cannot be opened ({_why(reason)}). {_next_step(reason)}"
        ) from reason
    return SerialTransport(device, resets_boards=_keep_dtr(device.fileno()))


def is_pseudo_terminal(port: str) -> bool:
    """Whether a port leads to a program on this computer, and not to a device.

    Linux gives pseudo-terminals the device numbers 136 to 143 (Documentation/admin-guide/devices).
    """
    try:
        found = Path(port).stat()
    except OSError:
        return False
    return stat.S_ISCHR(found.st_mode) and os.major(found.st_rdev) in _PSEUDO_TERMINALS


def console_use(port: str, processes: Path = Path("/proc")) -> str | None:
    """The reason why a port counts as a console of this computer, as a clause; None if it does not.

    A console is a terminal for the kernel's messages, or the controlling terminal of a process,
    such as of a getty that waits for a login. Pseudo-terminals are not looked at: what is written
    to them reaches a program only. A service that may not see the processes of other users finds
    no getty here, but a getty also takes the port from the group dialout.
    """
    try:
        found = Path(port).stat()
    except OSError:
        return None
    if not stat.S_ISCHR(found.st_mode) or is_pseudo_terminal(port):
        return None
    major, minor = os.major(found.st_rdev), os.minor(found.st_rdev)
    consoles = processes / "consoles"
    if consoles.exists() and f"{major}:{minor}" in consoles.read_text("ascii", "replace").split():
        return "the kernel writes its messages to it (/proc/consoles)"
    # The number of the terminal in /proc/PID/stat, as proc_pid_stat(5) describes it.
    terminal = (minor & 0xFF) | major << 8 | (minor & ~0xFF) << 12
    for each in processes.glob("[0-9]*/stat"):
        with suppress(OSError):
            before, _, after = each.read_text("utf-8", "replace").rpartition(")")
            if int(after.split()[4]) == terminal:
                pid, _, command = before.partition(" (")
                return f"it is the terminal of process {pid} ({command})"
    return None


def exclude_others(descriptor: int, port: str) -> None:
    """Let the kernel refuse every further opening of a port, except by root.

    pyserial's `exclusive` is an advisory lock, which other programs do not ask for. A
    pseudo-terminal is left out: there the kernel keeps the mark after this program was killed,
    until the other end is closed too.
    """
    if not is_pseudo_terminal(port):
        fcntl.ioctl(descriptor, termios.TIOCEXCL)


def expect_reset(port: str) -> None:
    """Let the next `open_serial` of this port count as a reset of its board.

    To be called after another program has released DTR, as avrdude does. Does nothing for a port
    without modem lines or one that cannot be opened.
    """
    with suppress(OSError, termios.error):
        descriptor = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            fcntl.ioctl(descriptor, termios.TIOCMGET, b"\0" * 4)
            attributes = termios.tcgetattr(descriptor)
            attributes[_CONTROL] |= termios.HUPCL
            termios.tcsetattr(descriptor, termios.TCSANOW, attributes)
        finally:
            os.close(descriptor)


def _keep_dtr(port: int) -> bool:
    """Clear HUPCL, so that DTR stays asserted after the port is closed.

    Returns whether it was set, and therefore whether this opening has reset the board.
    """
    attributes = termios.tcgetattr(port)
    hangs_up = bool(attributes[_CONTROL] & termios.HUPCL)
    if hangs_up:
        attributes[_CONTROL] &= ~termios.HUPCL
        termios.tcsetattr(port, termios.TCSANOW, attributes)
    return hangs_up


class SerialTransport:
    """An open serial port on the running event loop."""

    def __init__(self, device: serial.Serial, *, resets_boards: bool = False) -> None:
        self.resets_boards = resets_boards
        self._device = device
        self._fd: int = device.fileno()
        self._loop = asyncio.get_running_loop()
        self._receive: Receive = _discard
        self._lost: Lost = _discard
        self._unsent = bytearray()
        self._open = True

    def connect(self, receive: Receive, lost: Lost) -> None:
        self._receive, self._lost = receive, lost
        self._loop.add_reader(self._fd, self._readable)

    def write(self, data: bytes) -> None:
        if not self._open:
            return
        if self._unsent:
            self._keep(data)
            return
        try:
            sent = os.write(self._fd, data)
        except BlockingIOError:
            sent = 0
        except OSError as reason:
            # `lost` is called in a later turn of the event loop, because the caller of `write` has
            # not finished its own work.
            self._loop.call_soon(self._lose, _unplugged(self._device.port, reason))
            return
        if sent < len(data):
            self._keep(data[sent:])
            self._loop.add_writer(self._fd, self._writable)

    def close(self) -> None:
        if not self._open:
            return
        self._open = False
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)
        self._device.close()

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, _PIECE)
        except BlockingIOError:
            return
        except OSError as reason:
            self._lose(_unplugged(self._device.port, reason))
            return
        if data:
            self._receive(data)
        else:
            self._lose(_unplugged(self._device.port, "end of file"))

    def _writable(self) -> None:
        try:
            sent = os.write(self._fd, self._unsent)
        except BlockingIOError:
            return
        except OSError as reason:
            self._lose(_unplugged(self._device.port, reason))
            return
        del self._unsent[:sent]
        if not self._unsent:
            self._loop.remove_writer(self._fd)

    def _keep(self, data: bytes) -> None:
        if len(self._unsent) + len(data) > MOST_UNSENT:
            why = f"port {self._device.port} is blocked: {len(self._unsent)} bytes are unsent."
            self._loop.call_soon(self._lose, f"{why} Unplug the board and plug it in again.")
            return
        self._unsent += data

    def _lose(self, reason: str) -> None:
        """Close the port, then report the loss.

        The descriptor of a lost port stays readable, so an open one would use all CPU time.
        """
        if self._open:
            self.close()
            self._lost(reason)


_NEXT_STEPS = {
    errno.EACCES: "This user may not use it. Type: sudo usermod -aG dialout $USER. Then log in"
    " again.",
    errno.EBUSY: "Another program has it open: `wallwright doctor` names it. End that program, for"
    " example a serial monitor or a table that runs.",
    errno.ENOENT: "Look whether the cable is in; `wallwright scan` lists the ports.",
}
_NEXT_STEPS[errno.EPERM] = _NEXT_STEPS[errno.EACCES]
_NEXT_STEPS[errno.EAGAIN] = _NEXT_STEPS[errno.EBUSY]  # the advisory lock of another program


def _next_step(reason: Exception) -> str:
    """What a person can do about an error at the opening of a port."""
    number = _number(reason)
    return _NEXT_STEPS.get(
        number or 0, "`wallwright scan` lists the ports, and `wallwright doctor` checks them."
    )


def _why(reason: Exception) -> str:
    """The operating system's error text, if pyserial gives its number; else pyserial's text."""
    number = _number(reason)
    return str(reason) if number is None else os.strerror(number)


def _number(reason: Exception) -> int | None:
    """The operating system's number of an error; None if pyserial gives none."""
    for error in (reason, reason.__context__):
        if error is not None and error.args and isinstance(error.args[0], int):
            return error.args[0]
    return None


def _unplugged(port: str | None, reason: object) -> str:
    return f"port {port} has disappeared ({reason}); plug the board in again."


def _discard(_: object) -> None:
    """Discard bytes until a receiver is connected."""
