"""Targets of the suite: the virtual board, emulated processors, a board on a serial port."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from fcntl import LOCK_EX, flock
from itertools import count
from typing import IO

from config.schema import MotorChannel
from firmware_bridge.board import BoardIdentity
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.commissioning.device_keys import DeviceKeys
from firmware_bridge.commissioning.key_files import keys_file
from firmware_bridge.commissioning.provisioning import eeprom
from firmware_bridge.executor.virtual_board import KEY, VirtualBoard
from firmware_bridge.sim import clock
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.line import MemoryTransport, memory_line
from firmware_bridge.sim.processors.emulated_board import LINK_BYTE
from firmware_bridge.sim.processors.processor import (
    CYCLES_PER_US,
    EEPROM_SIZE,
    FIRMWARE,
    FREQUENCY,
    PinLevel,
    Processor,
)
from firmware_bridge.sim.processors.rp2040 import Rp2040
from firmware_bridge.sim.session import BoardSession
from firmware_bridge.wire.errors import BoardError
from firmware_bridge.wire.link import SerialLine
from firmware_bridge.wire.transport import Transport, is_pseudo_terminal, open_serial
from hil_tests.frame_log import LoggedTransport
from hil_tests.hands import Hand
from hil_tests.harness import FLAGS, HARNESSES, LONGEST_LEASE, MEGA, PICO, Harness
from hil_tests.wire_check import wrong_wires

ECHO_US = 20
"""Delay of the emulated harness's wires, microseconds: the slice in which the processor runs."""
ECHO = ECHO_US * CYCLES_PER_US
STRETCHED = 100 * CYCLES_PER_US
"""Least length of a step pulse on the sensor's wire, in cycles; the board misses shorter ones."""

Press = Callable[[str, bool], Awaitable[None] | None]
AsyncPress = Callable[[str, bool], Awaitable[None]]
Scenario = Callable[["Bench"], Awaitable[None]]


@dataclass
class BenchSettings:
    """The options of the command line that targets need."""

    hand: Hand | None = None
    """The hand at a board on a port."""
    frames: IO[str] | None = None
    """The file of the raw log."""
    harness: Harness | None = None
    """The harness of a board on a port, if it is not the usual one of its chip."""


settings = BenchSettings()


@dataclass(frozen=True)
class Bench:
    """A board on its harness, in a known state, and a function that presses its emergency stop."""

    board: SerialBoard
    press: AsyncPress
    identity: BoardIdentity
    harness: Harness


@dataclass(frozen=True)
class Target:
    """A board to test: its name, its features, and the function that connects to it."""

    name: str
    features: frozenset[str]
    connect: Callable[[], AbstractAsyncContextManager[tuple[Transport, Press]]]
    virtual: bool
    harness: Harness = MEGA
    wire_us: float = 0.0
    """The delay of a wire of the harness, microseconds, where it is known; else 0."""
    is_program: bool = False
    """Whether the board is a program that runs on this computer in real time."""

    @property
    def needs_a_punctual_host(self) -> bool:
        """Whether a time that this computer measures is measured again while the computer is late.

        In virtual time nothing is late. A program on this computer is as late as the computer.
        """
        return not self.is_program and not self.virtual

    def run(self, scenario: Scenario) -> None:
        """Run a scenario on the board; it begins in the known state and ends without a lease."""
        (clock.run if self.virtual else asyncio.run)(self._run(scenario))

    async def check_wires(self) -> list[str]:
        """Check the harness of a real board; a sentence for each missing or wrong wire."""
        async with self.connect() as (transport, _):
            line = SerialLine(_logged(transport))
            key = DeviceKeys(keys_file()).of
            board = SerialBoard("harness", self.harness.check_config, line, key, flags=FLAGS)
            try:
                await known_state(board)
                return await wrong_wires(board, self.harness)
            finally:
                await board.close()
                line.close()

    async def _run(self, scenario: Scenario) -> None:
        async with self.connect() as (transport, raw_press):
            line = SerialLine(_logged(transport))

            async def press(action: str, pressed: bool) -> None:
                waited = raw_press(action, pressed)
                if waited is not None:
                    await waited

            key = KEY if self.virtual else DeviceKeys(keys_file()).of
            nonces = count(1)
            nonce = (lambda: next(nonces).to_bytes(8, "big")) if self.virtual else _random_nonce
            board = SerialBoard("harness", self.harness.config, line, key, nonce, FLAGS)
            try:
                identity = await known_state(board)
                await scenario(Bench(board, press, identity, self.harness))
            finally:
                await board.close()
                line.close()


async def known_state(board: SerialBoard) -> BoardIdentity:
    """Identify the board, configure the harness's table, stop all motion and clear faults."""
    identity = await board.start()
    await board.stop()
    await board.clear()
    return identity


def _logged(transport: Transport) -> Transport:
    """The transport, with the raw log of `--frames` if one is wanted."""
    return transport if settings.frames is None else LoggedTransport(transport, settings.frames)


def _random_nonce() -> bytes:
    return os.urandom(8)


# The virtual board


class _Loops:
    """The harness's wires between a virtual board's outputs and sensors."""

    def __init__(self) -> None:
        self.board: VirtualBoard | None = None

    def output(self, channel: str, value: int) -> None:
        driven = MEGA.config.channels[channel]
        pins = {driven.pin: value > 0}  # type: ignore[union-attr]
        if isinstance(driven, MotorChannel) and driven.reverse_pin is not None:
            pins[driven.reverse_pin] = value < 0
        for pin, high in pins.items():
            self._sense(MEGA.sensor_on_pin[MEGA.loops[pin]], high)

    def axis_begins(self, axis: str, start: float, target: float, seconds: float) -> None:
        self._sense("way", target > start)

    def axis_ends(self, axis: str, position: float) -> None: ...

    def dice(self, channel: str, count: int) -> tuple[int, ...]:
        return (1,) * count

    def tag(self, channel: str) -> int | None:
        return None

    def analog(self, channel: str) -> int:
        return 0

    def _sense(self, sensor: str, active: bool) -> None:
        assert self.board is not None
        loop = self.board.loop
        # The sensor changes after the board has ended the turn that drove the pin, as on a wire.
        loop.call_soon(self.board.sensor, sensor, active)


@asynccontextmanager
async def _virtual() -> AsyncIterator[tuple[Transport, Press]]:
    here, there = memory_line()
    loop, loops = asyncio.get_running_loop(), _Loops()
    board = VirtualBoard(MEGA.config, loops, loop, emergency=["emergency"])
    loops.board = board
    session = BoardSession(MEGA.config.address, board.execute, there.write, board.key)
    due: list[asyncio.TimerHandle] = []

    def tick() -> None:
        while due:
            due.pop().cancel()
        at = session.tick(loop.time())
        if at is not None:
            due.append(loop.call_at(at, tick))

    def send(event: object) -> None:
        session.emit(event)  # type: ignore[arg-type]
        tick()

    def receive(data: bytes) -> None:
        session.receive(data)
        tick()

    board.send = send
    there.connect(receive, lambda _: None)
    yield here, board.sensor


# The emulated processor


class _EmulatedHarness:
    """The flashed firmware in step with the virtual loop, with its outputs wired to its inputs."""

    def __init__(self, transport: MemoryTransport, loop: VirtualLoop) -> None:
        self._transport = transport
        self._loop = loop
        image = eeprom("SIM00000", KEY, 0).ljust(EEPROM_SIZE, b"\xff")
        self.processor = Processor(eeprom=image)
        low_at_start = [*MEGA.safety.values(), *MEGA.loops.values()]
        self.processor.drive([(0, pin, PinLevel.LOW) for pin in low_at_start])
        self._line_free = 0
        self._step_until = 0
        transport.connect(self._receive, lambda _: None)
        loop.companion = self._run

    def press(self, sensor: str, active: bool) -> None:
        self.processor.drive([(self.processor.cycle, MEGA.safety[sensor], int(active))])

    def _receive(self, data: bytes) -> None:
        at = max(self._now(), self._line_free)
        self._line_free = at + len(data) * LINK_BYTE
        self.processor.send(0, data, at, apart=LINK_BYTE)

    def _run(self, now: float, until: float) -> float:
        goal = int(until * FREQUENCY)
        while self.processor.cycle < goal:
            self.processor.run(min(self.processor.cycle + ECHO, goal))
            outputs = self.processor.take()
            for cycle, pin, level in outputs.pins:
                self._echo(cycle + ECHO, pin, level)
            sent = outputs.bytes_of(0)
            if sent:
                at = max(now, self.processor.cycle / FREQUENCY)
                self._loop.call_at(at, self._transport.write, sent)
                return min(at, until)
        return until

    def leave(self) -> None:
        """Free the processor."""
        self.processor.close()

    def close(self) -> None:
        """Free the processor."""
        self.processor.close()

    def _echo(self, cycle: int, pin: int, level: PinLevel) -> None:
        sensor = MEGA.loops.get(pin)
        if sensor is None:
            return
        if pin == MEGA.step_pin and level is not PinLevel.HIGH:
            cycle += STRETCHED
        self.processor.drive(
            [(cycle, sensor, PinLevel.HIGH if level is PinLevel.HIGH else PinLevel.LOW)]
        )

    def _now(self) -> int:
        return int(self._loop.time() * FREQUENCY)


_RUNNING: list[Rp2040] = []
"""The emulator of the Pico that the last test has left. To start Node takes longer than most tests,
and it executes the first second of a program several times more slowly than the next ones."""


def _new_pico(image: bytes) -> Rp2040:
    """A Pico at its first power-on with this storage, in the emulator that runs already if any."""
    if not _RUNNING:
        return Rp2040(eeprom=image)
    pico = _RUNNING.pop()
    pico.load_eeprom(image)
    pico.run(pico.cycle)
    pico.take()
    return pico


class _PicoHarness:
    """The Pico's firmware in step with the virtual loop; the emulator wires outputs to inputs."""

    def __init__(self, transport: MemoryTransport, loop: VirtualLoop) -> None:
        self._transport = transport
        self._loop = loop
        image = eeprom("SIM00000", KEY, 0).ljust(EEPROM_SIZE, b"\xff")
        self.processor = _new_pico(image)
        self._before = self.processor.cycle
        """The emulator's cycle at which this Pico was switched on."""
        low_at_start = [*PICO.safety.values(), *PICO.inputs]
        self.processor.drive([(self._before, pin, PinLevel.LOW) for pin in low_at_start])
        for output, sensor in PICO.loops.items():
            self.processor.wire(output, sensor, ECHO)
        self._line_free = 0
        transport.connect(self._receive, lambda _: None)
        loop.companion = self._run

    def press(self, sensor: str, active: bool) -> None:
        self.processor.drive([(self.processor.cycle, PICO.safety[sensor], int(active))])

    def _receive(self, data: bytes) -> None:
        at = max(int(self._loop.time() * FREQUENCY) + self._before, self._line_free)
        self._line_free = at + len(data) * LINK_BYTE
        self.processor.send(0, data, at, apart=LINK_BYTE)

    def _run(self, now: float, until: float) -> float:
        goal = int(until * FREQUENCY) + self._before
        while self.processor.cycle < goal:
            self.processor.run(goal, stop_at_byte=True)
            sent = self.processor.take().bytes_of(0)
            if sent:
                at = max(now, (self.processor.cycle - self._before) / FREQUENCY)
                self._loop.call_at(at, self._transport.write, sent)
                return min(at, until)
        return until

    def leave(self) -> None:
        """Leave the emulator to the next test."""
        _RUNNING.append(self.processor)

    def close(self) -> None:
        """End the emulator."""
        self.processor.close()


def _emulator(
    make: Callable[[MemoryTransport, VirtualLoop], _EmulatedHarness | _PicoHarness],
    *targets: str,
) -> Callable[[], AbstractAsyncContextManager[tuple[Transport, Press]]]:
    @asynccontextmanager
    async def connect() -> AsyncIterator[tuple[Transport, Press]]:
        _build(*targets)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        here, there = memory_line()
        emulated = make(there, loop)
        try:
            await asyncio.sleep(0.02)
            yield here, emulated.press
        except BaseException:
            loop.companion = None
            emulated.close()
            raise
        loop.companion = None
        emulated.leave()

    return connect


def _build(*targets: str) -> None:
    """Build firmware and emulator, once for all processes of a test run."""
    (FIRMWARE / "build").mkdir(exist_ok=True)
    with (FIRMWARE / "build" / ".lock").open("w") as lock:
        flock(lock, LOCK_EX)
        command = ["make", "-s", "-C", str(FIRMWARE), *targets]
        subprocess.run(command, check=True, capture_output=True)


# A board on a port


def _on_port(port: str) -> Callable[[], AbstractAsyncContextManager[tuple[Transport, Press]]]:
    @asynccontextmanager
    async def connect() -> AsyncIterator[tuple[Transport, Press]]:
        transport = open_serial(port)
        try:
            yield transport, settings.hand.press if settings.hand else _no_button
        finally:
            with suppress(BoardError):
                transport.close()

    return connect


def _no_button(sensor: str, active: bool) -> None:
    raise AssertionError(
        f"{sensor} cannot be pressed on this target; mark the test with needs('button')."
    )


def target(name: str) -> Target:
    """Return the target of this name. Raises ValueError if there is none."""
    if name == "sim":
        return Target(name, frozenset({"button"}), _virtual, virtual=True)
    pins = frozenset({"button", "pins", "steps"})
    if name == "emulated":
        return Target(
            name, pins, _emulator(_EmulatedHarness, "avr", "simavr"), virtual=True, wire_us=ECHO_US
        )
    if name == "rp2040":
        connect = _emulator(_PicoHarness, "rp2040", "rp2040js")
        return Target(name, pins, connect, virtual=True, harness=PICO, wire_us=ECHO_US)
    kind, _, port = name.partition(":")
    port, _, chip = port.partition(",")
    if kind != "serial" or not port or (chip and chip not in HARNESSES):
        raise ValueError(
            f"'{name}' is not a target; give sim, emulated, rp2040, serial:PORT or"
            " serial:PORT,rp2040."
        )
    wired = settings.harness or HARNESSES[chip or MEGA.chip]
    features = {"pins", "steps", "wall_clock"}
    if settings.hand is not None:
        names = {"emergency": "button"}
        features |= {names.get(action, action) for action in settings.hand.actions}
    program = is_pseudo_terminal(port)
    if program:
        wired = replace(wired, lease=LONGEST_LEASE)
    return Target(
        name, frozenset(features), _on_port(port), virtual=False, harness=wired, is_program=program
    )
