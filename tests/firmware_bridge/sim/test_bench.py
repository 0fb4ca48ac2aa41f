"""Tests all boards of a plant on one line: addresses, events, resets and damaged frames."""

from __future__ import annotations

import asyncio

import pytest

from config.loader import load_table
from firmware_bridge.boards.encoding import records
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim import clock
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.host_session import HostSession
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
        self.sessions = {address: HostSession(address, KEY) for address in (BASE, ARM)}

    def ask(self, address: int, message: Message) -> Message:
        return self._ask(address, self.sessions[address].command(message))

    def identify(self, address: int, nonce: bytes) -> Identity:
        identity = self._ask(address, self.sessions[address].identify(nonce))
        assert isinstance(identity, Identity)
        return identity

    def begin(self, address: int, nonce: bytes) -> Identity:
        """Begin a session; return the identity of the board."""
        identity = self.identify(address, nonce)
        assert self._ask(address, self.sessions[address].authenticate(identity)) == Ok()
        return identity

    def _ask(self, address: int, data: bytes) -> Message:
        before = len(self.received)
        self.bench.receive(data)
        ((_, frame),) = self.received[before : before + 1]
        assert frame[:2] == (address, self.sessions[address].counter - 1 & 0xFF)
        return frame.message

    def prepare(self) -> None:
        for address, config in enumerate(self.table.boards.values()):
            self.begin(address, b"nonce  1")
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
        base = wire.identify(BASE, b"nonce  1")
        arm = wire.identify(ARM, b"nonce  1")
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
        wire.bench.receive(wire.sessions[BASE].received(sequence))
        await asyncio.sleep(10)
        assert len(wire.events(EdgeSeen)) == len(times)

    clock.run(main())


def test_a_reset_board_needs_a_new_session_and_reports_one_boot_more() -> None:
    async def main() -> None:
        wire = Wire()
        wire.prepare()
        wire.bench.reset("base", cause=3)
        wire.bench.receive(wire.sessions[BASE].command(Report()))
        identity = wire.begin(BASE, b"nonce  2")
        assert (identity.boots, identity.reset_cause, identity.configuration_crc) == (2, 3, 0)
        assert wire.ask(ARM, TakeLease(1000)) == Ok()

    clock.run(main())


def test_a_new_session_receives_latched_faults_and_no_ends_of_old_motions() -> None:
    async def main() -> None:
        wire = Wire()
        wire.prepare()
        wire.ask(BASE, Pulse(wire.number("lift0"), 1000, 5000))
        wire.ask(BASE, Set(wire.number("drum"), 700))
        wire.begin(BASE, b"nonce  2")
        await asyncio.sleep(20)
        assert not wire.events(MotionEnded)
        assert wire.bench.plant.drum is not None
        assert wire.bench.plant.drum.stirring
        wire.bench.plant.emergency_stop(True)
        before = len(wire.events(Faulted))
        wire.begin(BASE, b"nonce  3")
        await asyncio.sleep(0.01)
        assert len(wire.events(Faulted)) > before
        wire.bench.close()

    clock.run(main())


def test_a_damaged_frame_is_counted_and_not_executed() -> None:
    async def main() -> None:
        wire = Wire()
        wire.prepare()
        command = wire.sessions[BASE].command(Set(wire.number("drum"), 700))
        damaged = bytearray(command)
        damaged[4] ^= 0x10
        wire.bench.receive(bytes(damaged))
        assert wire.bench.plant.drum is not None
        assert not wire.bench.plant.drum.stirring
        wire.bench.receive(command)
        statistics = wire.ask(BASE, Report())
        assert isinstance(statistics, Statistics)
        assert statistics.damaged == 1

    clock.run(main())
