"""A fake board on a pseudo-terminal, to which a fake avrdude writes. Arguments: FOLDER BUILD.

The process prints its port. The folder is the board's memory: `eeprom.hex` is its EEPROM. If the
file `flashed` exists, the board reports BUILD as its build. The file `supply` has the true voltages
of its supply and of its reference in millivolts, and `firmware` the number of its firmware.
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
from firmware_bridge.wire.codes import Chip

UNSET = (b"UNSET000", bytes(16), 0)
AT_SERIAL, AT_KEY, AT_SIZE, AT_ADDRESS, AT_REFERENCE = 65, 73, 105, 106, 121
AT_LIMITS, LIMITS = 193, Struct("<BHI9s9s")
NOMINAL_MV = 1100


def identity(eeprom: Path) -> tuple[bytes, bytes, int]:
    """Serial number, key and address, as the firmware's identity.c reads them."""
    if not eeprom.exists():
        return UNSET
    data = written(eeprom)
    size = data[AT_SIZE]
    return data[AT_SERIAL:AT_KEY], data[AT_KEY : AT_KEY + size], data[AT_ADDRESS]


def written(eeprom: Path) -> bytes:
    """The bytes that the programmer has written, in the order of its orders."""
    content = bytearray(b"\xff" * 4096)
    for line in eeprom.read_text().split():
        record = bytes.fromhex(line[1:])
        assert sum(record) & 0xFF == 0
        at = int.from_bytes(record[1:3], "big")
        if record[3] == 0:
            content[at : at + record[0]] = record[4:-1]
    return bytes(content)


def supply(folder: Path) -> wire.Supply:
    """The supply by the stored or the nominal reference, as the firmware measures it."""
    true_mv, reference_mv = map(int, (folder / "supply").read_text().split())
    stored = int.from_bytes(
        written(folder / "eeprom.hex")[AT_REFERENCE : AT_REFERENCE + 2], "little"
    )
    stored = 0 if stored == 0xFFFF else stored
    return wire.Supply(true_mv * (stored or NOMINAL_MV) // reference_mv, stored)


async def answer(folder: Path, build: bytes) -> None:
    near, far = os.openpty()
    tty.setraw(far)
    sessions: dict[tuple[bytes, bytes, int], BoardSession] = {}

    def execute(message: wire.Message, *_: object) -> wire.Message:
        if isinstance(message, wire.ReadLimits):
            return wire.Limits(*LIMITS.unpack_from(written(folder / "eeprom.hex"), AT_LIMITS))
        if isinstance(message, wire.ReadSupply):
            return supply(folder)
        if not isinstance(message, wire.Identify):
            return wire.Ok()  # a host that disconnects sends a stop and returns its lease
        serial, _, _ = identity(folder / "eeprom.hex")
        reported_build = build if (folder / "flashed").exists() else b"old\0"
        return wire.Identity(
            wire.PROTOCOL,
            int((folder / "firmware").read_text()),
            Chip.MEGA2560,
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
