"""A host for the benchmarks of the emulated firmware: keeps the link full, in processor cycles.

The commands of the benchmark are sent first. The rest of the window is filled with `Read`s, so that
the board always has a command waiting, as at the busiest moment of a table.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path

from firmware_bridge.commissioning.provisioning import eeprom
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.host_session import HostSession
from firmware_bridge.sim.processors.processor import (
    CYCLES_PER_US,
    EEPROM_SIZE,
    ELF,
    PinChange,
    PinLevel,
    Processor,
)
from firmware_bridge.sim.processors.rp2040 import USB, Rp2040
from firmware_bridge.wire.codec import EVENTS, Decoder, configuration_crc
from firmware_bridge.wire.messages import (
    WINDOW,
    Commit,
    Configure,
    Identity,
    Message,
    Read,
    Refused,
    TakeLease,
    Value,
)

BYTE = 640
"""Cycles of a byte on the wire at 250,000 baud."""
SLICE = 200 * CYCLES_PER_US
START = 50_000 * CYCLES_PER_US
"""Cycles after which the board has started."""
PATIENCE = 2_000_000 * CYCLES_PER_US
ENUMERATED = 100_000 * CYCLES_PER_US
"""Cycles after which a host of USB has enumerated the board and opened its port."""
EMERGENCY_PIN, CURTAIN_PIN = 20, 21
LINK = 0
ADDRESS = 0
IDENTITY = eeprom("BENCH001", KEY, ADDRESS).ljust(EEPROM_SIZE, b"\xff")
"""What the board's storage contains at its first start."""


def flooded_pico() -> Rp2040:
    """A Pico whose USB port another host floods with requests and noise, beside the UART's host."""
    pico = Rp2040(eeprom=b"\xff" * EEPROM_SIZE)
    pico.usb(plug=True)
    pico.usb(floods=True)
    return pico


class Host:
    """A processor with the firmware, the history of its pins, and a host's session with it.

    `closed`: pins that are held low from the start. `processor`: another one than the Mega's.
    `link`: the serial port of the session; the host of a Pico's `USB` is plugged in at the start.
    Raises `RuntimeError` if an expected condition does not occur within two simulated seconds, or
    if the board refuses a command; with `may_refuse` the refused commands are collected in
    `refused` instead. `values` has the replies that are a value. Close it after use, or use it in
    a `with` statement.
    """

    def __init__(
        self,
        *closed: int,
        elf: Path = ELF,
        may_refuse: bool = False,
        processor: Processor | Rp2040 | None = None,
        link: int = LINK,
    ) -> None:
        self.processor: Processor | Rp2040 = processor or Processor(elf)
        self._link = link
        self.processor.load_eeprom(IDENTITY)
        self.may_refuse = may_refuse
        self.refused: list[Message] = []
        self.values: list[int] = []
        self.levels: dict[int, PinLevel] = {}
        self.changes: list[PinChange] = []
        self.events: deque[Message] = deque()
        self.fill = False
        self._decoder = Decoder()
        self._session = HostSession(ADDRESS, KEY)
        self._next_event = 0
        self._identity: Identity | None = None
        self._queued: deque[Message] = deque()
        self._in_flight: dict[int, Message] = {}
        self._line_free_at = 0
        self.processor.drive(
            (0, pin, PinLevel.LOW) for pin in (EMERGENCY_PIN, CURTAIN_PIN, *closed)
        )
        self.run(START)
        if link == USB and isinstance(self.processor, Rp2040):
            self.processor.usb(plug=True)
            self.run(ENUMERATED)

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the emulated processor. Idempotent."""
        self.processor.close()

    @property
    def cycle(self) -> int:
        """The number of cycles that the processor has executed."""
        return self.processor.cycle

    @property
    def line_free_at(self) -> int:
        """The cycle at which the last byte given to the line will have been sent."""
        return self._line_free_at

    def reset(self) -> None:
        """Reset the board and forget the session; the caller lets it start."""
        self.processor.reset()
        self.processor.run(self.cycle + 1)
        self.processor.take()
        self._decoder = Decoder()
        self._identity = None
        self._queued.clear()
        self._in_flight.clear()
        self._line_free_at = 0

    def begin(self, records: list[Configure], lease_ms: int) -> None:
        """Begin a session, configure the channels and take a lease."""
        self._put(self._session.identify(self.cycle.to_bytes(8, "little")))
        self.until(lambda: self._identity is not None)
        assert self._identity is not None
        self._put(self._session.authenticate(self._identity))
        self._next_event = self._session.next_event & 0xFF
        for record in records:
            self.ask(record)
        self.ask(Commit(len(records), configuration_crc(records)))
        self.ask(TakeLease(lease_ms))

    def ask(self, *commands: Message) -> None:
        """Send commands and wait for their replies."""
        self.send(*commands)
        self.until(lambda: not any(type(c) is not Read for c in self._outstanding()))

    def send(self, *commands: Message) -> None:
        """Send commands in this order, as soon as the window has room."""
        self._queued.extend(commands)
        self._send()

    def send_now(self, *commands: Message) -> int:
        """Put commands on the line; return the cycle at which the first one has arrived.

        The window must have room for all of them.
        """
        arrived = self.cycle
        for number, command in enumerate(commands):
            self.send(command)
            arrived = self.line_free_at if number == 0 else arrived
        return arrived

    def drain(self) -> None:
        """Stop filling the link, and wait for the reply to every command."""
        self.fill = False
        self.until(lambda: not self._outstanding())

    def until(self, done: Callable[[], bool]) -> None:
        """Run the processor until the condition is true."""
        give_up = self.cycle + PATIENCE
        while not done():
            if self.cycle > give_up:
                raise RuntimeError(
                    "The condition was not met within two simulated seconds; in flight:"
                    f" {self._in_flight}."
                )
            self._advance()

    def run(self, cycles: int) -> None:
        """Run the processor for this number of cycles."""
        end = self.cycle + cycles
        while self.cycle < end:
            self._advance(end)

    def drive(self, pin: int, level: PinLevel, at: int) -> None:
        """Set an input pin to this level at this cycle."""
        self.processor.drive([(at, pin, level)])

    def _outstanding(self) -> list[Message]:
        return [*self._in_flight.values(), *self._queued]

    def _advance(self, end: int | None = None) -> None:
        self._send()
        until = self.cycle + SLICE
        self.processor.run(until if end is None else min(until, end))
        outputs = self.processor.take()
        if outputs.resets:
            raise RuntimeError(f"The board was reset: {outputs.resets[0]}.")
        for change in outputs.pins:
            self.levels[change.pin] = change.level
        self.changes += outputs.pins
        for frame in self._decoder.feed(outputs.bytes_of(self._link)):
            sequence, message = frame.sequence, frame.message
            if type(message) is Refused:
                self._note_refusal(self._in_flight[sequence], message)
            if type(message) is Value:
                self.values.append(message.value)
            if type(message) is Identity:
                self._identity = message
            elif type(message) in EVENTS:
                self._take(sequence, message)
            else:
                self._in_flight.pop(sequence, None)
        self._send()

    def _note_refusal(self, command: Message, refused: Refused) -> None:
        if not self.may_refuse:
            raise RuntimeError(f"The board refuses {command}: {refused}.")
        self.refused.append(command)

    def _take(self, sequence: int, event: Message) -> None:
        """Accept an event only in its order, because a busy board repeats unacknowledged events."""
        if sequence == self._next_event:
            self.events.append(event)
            self._next_event = (sequence + 1) % 256
        self._put(self._session.received((self._next_event - 1) % 256))

    def _send(self) -> None:
        while len(self._in_flight) < WINDOW and (self._queued or self.fill):
            command = self._queued.popleft() if self._queued else Read(0)
            self._in_flight[self._session.sequence] = command
            self._put(self._session.command(command))

    def _put(self, frame: bytes) -> None:
        at = max(self.cycle, self._line_free_at)
        self.processor.send(self._link, frame, at, BYTE)
        self._line_free_at = at + len(frame) * BYTE
