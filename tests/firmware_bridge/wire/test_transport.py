"""Tests the serial transport, on pseudo-terminals in real time."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import pty
import subprocess
import sys
import termios
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from firmware_bridge.wire import transport as transports
from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.transport import (
    MOST_UNSENT,
    SerialTransport,
    console_use,
    open_serial,
)

PATIENCE = 60.0


class Port:
    """A pseudo-terminal: the far end as a file descriptor, the near one by its path."""

    def __init__(self) -> None:
        self.far, near = pty.openpty()
        tty.setraw(near)
        self.path = os.ttyname(near)
        os.close(near)

    def unplug(self) -> None:
        if self.far >= 0:
            os.close(self.far)
            self.far = -1


@pytest.fixture
def port() -> Iterator[Port]:
    port = Port()
    yield port
    port.unplug()


async def _until(condition: asyncio.Event) -> None:
    async with asyncio.timeout(PATIENCE):
        await condition.wait()


def test_bytes_go_both_ways(port: Port) -> None:
    async def main() -> None:
        transport = open_serial(port.path)
        received, enough = bytearray(), asyncio.Event()

        def receive(data: bytes) -> None:
            received.extend(data)
            if received == b"\x00\x11\x13answer\n\xff":
                enough.set()

        transport.connect(receive, lambda _: None)
        transport.write(b"\x00\x03question\r\xff")
        assert os.read(port.far, 100) == b"\x00\x03question\r\xff", "all bytes arrive unchanged"
        os.write(port.far, b"\x00\x11\x13answer\n\xff")
        await _until(enough)
        transport.close()

    asyncio.run(main())


def test_bytes_that_the_port_does_not_accept_yet_are_sent_later(port: Port) -> None:
    async def main() -> None:
        transport = open_serial(port.path)
        transport.connect(lambda _: None, lambda _: None)
        sent = bytes(index % 251 for index in range(40_000))
        transport.write(sent[:30_000])
        transport.write(sent[30_000:])
        os.set_blocking(port.far, False)
        taken = b""
        async with asyncio.timeout(PATIENCE):
            while len(taken) < len(sent):
                try:
                    taken += os.read(port.far, 4096)
                except BlockingIOError:
                    await asyncio.sleep(0.001)
        assert taken == sent
        transport.close()

    asyncio.run(main())


def test_a_blocked_port_is_closed_before_its_buffer_exceeds_the_limit(port: Port) -> None:
    async def main() -> None:
        transport, reasons, gone = await _watched(port)
        for _ in range(3 * MOST_UNSENT // 1000):
            transport.write(bytes(1000))
        await _until(gone)
        assert "is blocked" in reasons[0] and len(reasons) == 1

    asyncio.run(main())


def test_an_unplugged_port_is_reported_once_with_the_next_step(port: Port) -> None:
    async def main() -> None:
        transport, reasons, gone = await _watched(port)
        port.unplug()
        await _until(gone)
        transport.write(b"into the void")
        transport.close()
        await asyncio.sleep(0)
        assert len(reasons) == 1
        assert port.path in reasons[0] and "plug the board in again" in reasons[0]

    asyncio.run(main())


def test_closing_is_idempotent_and_reports_no_loss(port: Port) -> None:
    async def main() -> None:
        transport, reasons, _ = await _watched(port)
        transport.close()
        transport.close()
        port.unplug()
        await asyncio.sleep(0.01)
        assert reasons == []

    asyncio.run(main())


def test_the_error_for_a_missing_port_names_it_and_the_next_step() -> None:
    async def main() -> None:
        with pytest.raises(
            BoardSilentError, match=r"port /dev/no-such-port cannot be opened.*scan"
        ):
            open_serial("/dev/no-such-port")

    asyncio.run(main())


@pytest.mark.parametrize(
    ("number", "next_step"),
    [
        (errno.EACCES, "This user may not use it. Type: sudo usermod -aG dialout $USER."),
        (errno.EBUSY, "Another program has it open: `wallwright doctor` names it."),
        (errno.EAGAIN, "Another program has it open: `wallwright doctor` names it."),
        (errno.EIO, "`wallwright scan` lists the ports"),
    ],
)
def test_the_error_of_a_port_gives_the_next_step_of_its_cause(
    number: int, next_step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One cause and one step: a list of possible causes leaves a beginner with a search."""

    def refuse(*_: object, **__: object) -> None:
        raise serial.SerialException(number, f"could not open port: {os.strerror(number)}")

    monkeypatch.setattr("firmware_bridge.wire.transport.serial.Serial", refuse)

    async def main() -> None:
        with pytest.raises(BoardSilentError) as raised:
            open_serial("/dev/ttyACM0")
        assert f"cannot be opened ({os.strerror(number)}). {next_step}" in str(raised.value)

    asyncio.run(main())


def test_a_port_that_disappears_while_it_is_opened_raises_board_silent_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A table that waits for a cable retries after BoardSilentError and stops at other errors."""

    def vanish(*_: object, **__: object) -> None:
        raise termios.error(errno.EIO, "Input/output error")

    monkeypatch.setattr("firmware_bridge.wire.transport.serial.Serial", vanish)

    async def main() -> None:
        with pytest.raises(BoardSilentError, match=r"cannot be opened \(Input/output error\)"):
            open_serial("/dev/ttyACM0")

    asyncio.run(main())


async def _watched(port: Port) -> tuple[SerialTransport, list[str], asyncio.Event]:
    transport, reasons, gone = open_serial(port.path), list[str](), asyncio.Event()

    def lost(reason: str) -> None:
        reasons.append(reason)
        gone.set()

    transport.connect(lambda _: None, lost)
    return transport, reasons, gone


def test_only_the_first_opening_of_a_port_counts_as_a_reset_of_its_board(port: Port) -> None:
    """An opening asserts DTR, which resets the board unless the port has kept DTR asserted."""

    async def main() -> None:
        kept = os.open(port.path, os.O_RDWR | os.O_NOCTTY)
        attributes = termios.tcgetattr(kept)
        attributes[2] |= termios.HUPCL
        termios.tcsetattr(kept, termios.TCSANOW, attributes)
        for is_reset in (True, False):
            transport = open_serial(port.path)
            assert transport.resets_boards is is_reset
            transport.close()
        assert not termios.tcgetattr(kept)[2] & termios.HUPCL, "DTR stays asserted"
        os.close(kept)

    asyncio.run(main())


TIOCGEXCL = 0x80045440
"""Asks the kernel whether a terminal refuses further openings; the module termios lacks it."""
NOBODY = 65534
OPEN_AS_NOBODY = f"""
import os, sys
if os.geteuid() == 0:
    os.setuid({NOBODY})
try:
    os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
except OSError as reason:
    print(reason.errno)
"""


def _excludes(descriptor: int) -> bool:
    answer = fcntl.ioctl(descriptor, TIOCGEXCL, bytes(4))
    return bool(int.from_bytes(answer, sys.byteorder))


def test_a_program_that_takes_no_lock_cannot_open_a_port_that_is_in_use(
    port: Port, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pseudo-terminal stands in for a device, which a test cannot have."""
    Path(port.path).chmod(0o666)
    monkeypatch.setattr(transports, "is_pseudo_terminal", lambda _: False)
    monkeypatch.setattr(transports, "console_use", lambda _: None)

    def opened_as_nobody() -> str:
        other = [sys.executable, "-I", "-S", "-c", OPEN_AS_NOBODY, port.path]
        return subprocess.run(other, capture_output=True, text=True, check=True).stdout.strip()

    async def main() -> None:
        transport = open_serial(port.path)
        assert await asyncio.to_thread(opened_as_nobody) == str(errno.EBUSY)
        transport.close()

    asyncio.run(main())


def test_a_killed_program_leaves_no_exclusion_on_a_pseudo_terminal(port: Port) -> None:
    async def main() -> None:
        near = os.open(port.path, os.O_RDWR | os.O_NOCTTY)
        transport = open_serial(port.path)
        assert not _excludes(near)
        transport.close()
        os.close(near)

    asyncio.run(main())


def test_a_console_of_this_computer_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # /dev/null, device 1:3, stands in for a serial port.
    (tmp_path / "consoles").write_text("tty0  -WU (EC  p  )    4:7\nttyS0 -W- (E   p a)    1:3\n")
    assert console_use("/dev/null", tmp_path) == (
        "the kernel writes its messages to it (/proc/consoles)"
    )
    assert console_use("/dev/zero", tmp_path) is None
    (tmp_path / "consoles").write_text("tty0  -WU (EC  p  )    4:7\n")
    for number, terminal in ((7, 0), (88, 1 << 8 | 3)):
        (tmp_path / str(number)).mkdir()
        stat = f"{number} (agetty) x) S 1 {number} {number} {terminal} -1 4194560 0"
        (tmp_path / str(number) / "stat").write_text(stat)
    assert console_use("/dev/null", tmp_path) == "it is the terminal of process 88 (agetty) x)"
    assert console_use("/dev/zero", tmp_path) is None
    assert console_use("/dev/no-such-port", tmp_path) is None
    monkeypatch.setattr(transports, "console_use", lambda port: console_use(port, tmp_path))
    with pytest.raises(
        BoardSilentError,
        match=r"/dev/null is not opened, because .*\(agetty.*docs/build/PI\.md",
    ):
        open_serial("/dev/null")


def test_the_terminal_of_a_session_is_recognised_by_the_real_list_of_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A child becomes the leader of a session on a pseudo-terminal, as a getty on a port."""
    pid, end = pty.fork()
    if pid == 0:
        os.write(1, b"!")
        os.read(0, 1)
        os._exit(0)
    assert os.read(end, 1) == b"!"
    terminal = str(Path(f"/proc/{pid}/fd/0").readlink())
    assert console_use(terminal) is None, "pseudo-terminals are not looked at"
    monkeypatch.setattr(transports, "is_pseudo_terminal", lambda _: False)
    used_by = console_use(terminal)
    os.write(end, b"\n")
    os.waitpid(pid, 0)
    os.close(end)
    assert used_by is not None
    assert used_by.startswith(f"it is the terminal of process {pid} (")
