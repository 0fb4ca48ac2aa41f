"""Tests all boards of a plant on one line: addresses, events, resets and damaged frames."""

from __future__ import annotations

import asyncio

import pytest

from config.loader import load_table
from firmware_bridge.boards.encoding import records
from firmware_bridge.sim import clock
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.wire.codec import Decoder, Frame, encode
from firmware_bridge.wire.messages import (
    PROTOCOL,
    EdgeSeen,
    Faulted,
    Identify,
    Identity,
    Message,
    MotionEnded,
    Ok,
    Pulse,
    Received,
    Report,
    Set,
    Statistics,
    TakeLease,
    Watch,
)
from tests.firmware_bridge.sim.rack import FACES, TILE, commit

BASE, ARM = 0, 1


class Wire:
    """The host's end of the line: sends frames and records the received ones with their times."""

    def __init__(self) -> None:
        self.table = load_table("robotic")
        loop = asyncio.get_running_loop()
        self.bench = Bench(Plant(self.table, TILE, FACES, 1, loop), self._receive)
        self.received: list[tuple[float, Frame]] = []
        self._decoder = Decoder()
        self._sequence = {BASE: 0, ARM: 0}

    def ask(self, address: int, message: Message) -> Message:
        sequence = self._sequence[address]
        self._sequence[address] = sequence + 1 & 0xFF
        before = len(self.received)
        self.bench.receive(encode(address, sequence, message))
        ((_, frame),) = self.received[before : before + 1]
        assert frame[:2] == (address, sequence)
        return frame.message

    def note(self, address: int, message: Message) -> None:
        self.bench.receive(encode(address, 0, message))

    def prepare(self) -> None:
        for address, config in enumerate(self.table.boards.values()):
            assert isinstance(self.ask(address, Identify(PROTOCOL, b"nonce  1")), Identity)
            rows = records(config)
            for row in rows:
                assert self.ask(address, row) == Ok()
            assert self.ask(address, commit(rows)) == Ok()
            assert self.ask(address, TakeLease(60_000)) == Ok()

    def events(self, kind: type) -> list[tuple[float, Frame]]:
        return [(at, frame) for at, frame in self.received if isinstance(frame.message, kind)]

    def number(self, channel: str) -> int:
        return list(self.table.boards[self.table.board_of(channel)].channels).index(channel)

    def _receive(self, data: bytes) -> None:
        now = asyncio.get_running_loop().time()
        self.received += [(now, frame) for frame in self._decoder.feed(data)]


def test_two_boards_share_a_line_and_each_answers_at_its_own_address() -> None:
    async def main() -> None:
        wire = Wire()
        base = wire.ask(BASE, Identify(PROTOCOL, b"nonce  1"))
        arm = wire.ask(ARM, Identify(PROTOCOL, b"nonce  1"))
        assert isinstance(base, Identity)
        assert isinstance(arm, Identity)
        assert (base.serial, arm.serial) == (b"SIM00000", b"SIM00001")
        wire.bench.receive(encode(5, 0, Identify(PROTOCOL, b"nonce  1")))
        assert len(wire.received) == 2

    clock.run(main())


def test_an_order_moves_the_plant_and_its_end_is_an_event() -> None:
    async def main() -> None:
        wire = Wire()
        wire.prepare()
        assert wire.ask(BASE, Set(wire.number("drum"), 700)) == Ok()
        assert wire.bench.plant.drum is not None
        assert wire.bench.plant.drum.stirring
        assert wire.ask(ARM, Pulse(wire.number("wide"), 1, 40)) == Ok()
        began = asyncio.get_running_loop().time()
        await asyncio.sleep(0.045)
        ((at, frame),) = wire.events(MotionEnded)
        assert at == pytest.approx(began + 0.04)
        assert frame.address == ARM

    clock.run(main())


def test_an_event_is_repeated_until_the_host_acknowledges_it() -> None:
    async def main() -> None:
        wire = Wire()
        wire.prepare()
        wire.ask(BASE, Watch(wire.number("done_key"), 1))
        wire.bench.boards["base"].sensor("done_key", True)
        await asyncio.sleep(2)
        times = [at for at, _ in wire.events(EdgeSeen)]
        assert len(times) > 3
        (sequence,) = {frame.sequence for _, frame in wire.events(EdgeSeen)}
        wire.note(BASE, Received(sequence))
        await asyncio.sleep(10)
        assert len(wire.events(EdgeSeen)) == len(times)

    clock.run(main())


def test_a_reset_board_needs_a_new_session_and_reports_one_boot_more() -> None:
    async def main() -> None:
        wire = Wire()
        wire.prepare()
        wire.bench.reset("base", cause=3)
        wire.bench.receive(encode(BASE, 200, Report()))
        identity = wire.ask(BASE, Identify(PROTOCOL, b"nonce  2"))
        assert isinstance(identity, Identity)
        assert (identity.boots, identity.reset_cause, identity.configuration_crc) == (2, 3, 0)
        assert wire.ask(ARM, TakeLease(1000)) == Ok()

    clock.run(main())


def test_a_new_session_receives_latched_faults_and_no_ends_of_old_motions() -> None:
    async def main() -> None:
        wire = Wire()
        wire.prepare()
        wire.ask(BASE, Pulse(wire.number("lift0"), 1000, 5000))
        wire.ask(BASE, Set(wire.number("drum"), 700))
        wire.ask(BASE, Identify(PROTOCOL, b"nonce  2"))
        await asyncio.sleep(20)
        assert not wire.events(MotionEnded)
        assert wire.bench.plant.drum is not None
        assert wire.bench.plant.drum.stirring
        wire.bench.plant.emergency_stop(True)
        before = len(wire.events(Faulted))
        wire.ask(BASE, Identify(PROTOCOL, b"nonce  3"))
        await asyncio.sleep(0.01)
        assert len(wire.events(Faulted)) > before
        wire.bench.close()

    clock.run(main())


def test_a_damaged_frame_is_counted_and_not_executed() -> None:
    async def main() -> None:
        wire = Wire()
        wire.prepare()
        damaged = bytearray(encode(BASE, 77, Set(wire.number("drum"), 700)))
        damaged[4] ^= 0x10
        wire.bench.receive(bytes(damaged))
        assert wire.bench.plant.drum is not None
        assert not wire.bench.plant.drum.stirring
        statistics = wire.ask(BASE, Report())
        assert isinstance(statistics, Statistics)
        assert statistics.damaged == 1

    clock.run(main())
