"""Sends a million commands to the firmware's core over a noisy line: each is executed once.

The host's real link is at one end and the firmware, built for this computer, at the other, in
virtual time. Bit errors in 1 of 1,000 bytes, both ways; one piece in 200 is lost, one in 200 is cut
short, one in 100 arrives twice or again later. Every command reverses a motor, and its execution is
checked at the motor's pins, not by the replies.
"""

from __future__ import annotations

import asyncio
import ctypes
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks import Row
from firmware_bridge.boards.encoding import BLANK
from firmware_bridge.commissioning.provisioning import eeprom
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim import clock
from firmware_bridge.sim.host_session import begin_session
from firmware_bridge.sim.line import MemoryTransport, Noise, memory_line
from firmware_bridge.sim.processors.processor import FIRMWARE
from firmware_bridge.wire.codec import configuration_crc
from firmware_bridge.wire.codes import Kind
from firmware_bridge.wire.link import Link, SerialLine
from firmware_bridge.wire.messages import (
    WINDOW,
    Commit,
    EdgeSeen,
    Message,
    Ok,
    Set,
    TakeLease,
    Watch,
)

COMMANDS = 1_000_000
SEED = 2
SPEEDS = (1000, -1000)
"""The motor's values in turn: each executed command reverses its pins."""
FORWARD, REVERSE, SENSOR = 2, 3, 22
EDGE_EVERY = 0.05
LEASE_MS = 60_000
RENEWED_EVERY = 20.0
PATIENCE = 5.0
"""Virtual seconds to wait for the last events."""
TURN_US = 1000
BUFFER_SIZE = 4096
RECORDS = (
    BLANK._replace(index=0, kind=Kind.MOTOR, pin=FORWARD, second_pin=REVERSE),
    BLANK._replace(index=1, kind=Kind.SENSOR, pin=SENSOR, active_high=0),
)


class _Change(ctypes.Structure):
    _fields_ = (("at", ctypes.c_uint64), ("pin", ctypes.c_uint8), ("level", ctypes.c_int8))


class Firmware:
    """The firmware's core on virtual pins, at one end of a line, in step with the loop's time."""

    def __init__(self, library: Path, transport: MemoryTransport) -> None:
        self.turns: list[int] = []
        """The motor's values, as seen at its pins, in order."""
        self._c = ctypes.CDLL(str(library))
        self._c.hw_reset.argtypes = (ctypes.c_uint8, ctypes.c_uint64)
        self._c.hw_eeprom.restype = ctypes.POINTER(ctypes.c_uint8)
        self._buffer = ctypes.create_string_buffer(BUFFER_SIZE)
        self._changes = (_Change * BUFFER_SIZE)()
        self._loop = asyncio.get_running_loop()
        self._at = self._now()
        self._transport = transport
        self._c.hw_new()
        for place, byte in enumerate(eeprom("NOISE001", KEY, 0)):
            self._c.hw_eeprom()[place] = byte
        self._c.hw_reset(0, self._at)
        transport.connect(self._receive, lambda _: None)
        self._turn()

    def sense(self, active: bool) -> None:
        """Set the level of the sensor's pin; low means active."""
        self._keep_step()
        self._c.hw_pin(SENSOR, int(not active))
        self._send()

    def _receive(self, data: bytes) -> None:
        self._keep_step()
        self._c.hw_rx(data, len(data))
        self._send()

    def _turn(self) -> None:
        self._keep_step()
        self._send()
        self._loop.call_later(TURN_US / 1e6, self._turn)

    def _keep_step(self) -> None:
        now = self._now()
        self._c.hw_advance(now - self._at)
        self._at = now

    def _send(self) -> None:
        size = self._c.hw_tx(self._buffer, BUFFER_SIZE)
        if size:
            self._transport.write(self._buffer.raw[:size])
        count = self._c.hw_changes(self._changes, BUFFER_SIZE)
        for change in self._changes[:count]:
            if change.level == 1:
                self.turns.append(1000 if change.pin == FORWARD else -1000)

    def _now(self) -> int:
        return round(self._loop.time() * 1e6)


def main() -> Iterator[Row]:
    """Send `COMMANDS` commands over the noisy line; yield whether each was executed once."""
    yield measured(COMMANDS)


def measured(commands: int, library: Path | None = None) -> Row:
    """Measure this number of commands; build the firmware's library if none is given."""
    with TemporaryDirectory() as folder:
        return clock.run(_measure(commands, library or _built(Path(folder))))


def _built(folder: Path) -> Path:
    command = ["make", "-s", "-C", str(FIRMWARE), "host", f"BUILD_DIR={folder}"]
    subprocess.run(command, check=True, timeout=300)  # noqa: S603 - only the folder varies
    return folder / "host" / "libwallwright_host.so"


async def _measure(commands: int, library: Path) -> Row:
    noise = Noise(Random(SEED), bit=0.001, drop=0.005, repeat=0.01, cut=0.005)
    host, there = memory_line(noise=noise)
    line, firmware = SerialLine(host), Firmware(library, there)
    link = line.link(0, "noisy")
    events: list[Message] = []
    link.on_event = events.append
    loop, began = asyncio.get_running_loop(), time.perf_counter()
    await _begin(link)
    wrong, edges = 0, 0
    numbers = iter(range(commands))

    async def send_commands() -> None:
        nonlocal wrong
        for number in numbers:
            wrong += await link.request(Set(0, SPEEDS[number % 2])) != Ok()

    async def change_sensor() -> None:
        nonlocal edges
        while True:
            edges += 1
            firmware.sense(bool(edges % 2))
            await asyncio.sleep(EDGE_EVERY)

    async def renew_lease() -> None:
        while True:
            await asyncio.sleep(RENEWED_EVERY)
            await link.request(TakeLease(LEASE_MS))

    others = [asyncio.create_task(each()) for each in (change_sensor, renew_lease)]
    async with asyncio.TaskGroup() as group:
        for _ in range(WINDOW):
            group.create_task(send_commands())
    busy = loop.time()
    for task in others:
        task.cancel()
    await asyncio.sleep(PATIENCE)
    exact = firmware.turns == [SPEEDS[n % 2] for n in range(commands)] and not wrong
    received = [(event.active, event.count) for event in events if isinstance(event, EdgeSeen)]
    in_order = received == [(n % 2, (n + 1) // 2) for n in range(1, edges + 1)]
    verdict = {True: "each once", False: "WRONG"}
    return Row(
        f"{commands:,} commands to the firmware on a line with bit errors in 1 of 1,000 bytes,"
        " drops, repeats, cut-offs",
        f"commands {verdict[exact]}, {edges:,} events {verdict[in_order]};"
        f" {line.decoder.dropped:,} frames damaged on the way to the host,"
        f" {link.traffic.retries:,} resent,"
        f" {busy:,.0f} s of line time in {time.perf_counter() - began:.0f} s",
        "each exactly once, none lost, none undetected",
        exact and in_order,
    )


async def _begin(link: Link) -> None:
    await begin_session(link, b"noise..1", KEY)
    for record in RECORDS:
        await link.request(record)
    await link.request(Commit(len(RECORDS), configuration_crc(RECORDS)))
    await link.request(TakeLease(LEASE_MS))
    await link.request(Watch(1, 1))


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
