"""A fake board on a pseudo-terminal, to which a fake avrdude writes. Arguments: FOLDER BUILD.

The process prints its port. The folder is the board's memory: `eeprom.hex` is its EEPROM. If the
file `flashed` exists, the board reports BUILD as its build.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tty
from pathlib import Path
from struct import Struct

from firmware_bridge.sim.session import BoardSession
from firmware_bridge.wire import messages as wire

UNSET = (b"UNSET000", bytes(16), 0)
AT_SERIAL, AT_KEY, AT_SIZE, AT_ADDRESS = 1, 9, 41, 42
AT_LIMITS, LIMITS = 129, Struct("<BHI9s9s")


def identity(eeprom: Path) -> tuple[bytes, bytes, int]:
    """Serial number, key and address, as the firmware's identity.c reads them."""
    if not eeprom.exists():
        return UNSET
    data = written(eeprom)
    size = data[AT_SIZE]
    return data[AT_SERIAL:AT_KEY], data[AT_KEY : AT_KEY + size], data[AT_ADDRESS]


def written(eeprom: Path) -> bytes:
    """The bytes that the programmer has written, from the place of the identity on."""
    records = [bytes.fromhex(line[1:]) for line in eeprom.read_text().split()]
    assert all(sum(record) & 0xFF == 0 for record in records)
    return b"".join(record[4:-1] for record in records if record[3] == 0)


async def answer(folder: Path, build: bytes) -> None:
    near, far = os.openpty()
    tty.setraw(far)
    sessions: dict[tuple[bytes, bytes, int], BoardSession] = {}

    def execute(message: wire.Message, *_: object) -> wire.Message:
        if isinstance(message, wire.ReadLimits):
            return wire.Limits(*LIMITS.unpack_from(written(folder / "eeprom.hex"), AT_LIMITS))
        if not isinstance(message, wire.Identify):
            return wire.Ok()  # a host that disconnects sends a stop and returns its lease
        serial, _, _ = identity(folder / "eeprom.hex")
        reported_build = build if (folder / "flashed").exists() else b"old\0"
        return wire.Identity(
            wire.PROTOCOL,
            2,
            wire.Chip.MEGA2560,
            reported_build,
            serial,
            1,
            0,
            0,
            0,
            bytes(8),
            bytes(8),
        )

    def start() -> None:
        now = identity(folder / "eeprom.hex")
        sessions[now] = BoardSession(
            now[2], execute, lambda data: os.write(near, data) and None, now[1]
        )

    def receive() -> None:
        data = os.read(near, 4096)
        now = identity(folder / "eeprom.hex")
        if now in sessions:
            sessions[now].receive(data)
        else:
            # The programmer has reset the board, and what was sent to it before is lost; the host
            # repeats what it sends now.
            start()

    start()
    asyncio.get_running_loop().add_reader(near, receive)
    sys.stdout.write(f"{os.ttyname(far)}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(answer(Path(sys.argv[1]), bytes.fromhex(sys.argv[2])))
