"""Tests the serial transport, on pseudo-terminals in real time."""

from __future__ import annotations

import asyncio
import errno
import os
import pty
import termios
import tty
from collections.abc import Iterator

import pytest

from firmware_bridge.wire.errors import BoardSilentError
from firmware_bridge.wire.transport import MOST_UNSENT, SerialTransport, open_serial

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
