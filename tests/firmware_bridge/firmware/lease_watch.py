"""Checks, from the pins and the bytes of a board alone, that no output is active without a lease.

Every change of a pin is compared, with its cycle, with the leases that the host has sent. A lease
counts from the moment at which its first byte can reach the board, if the board has identified
itself since its last reset, until its time has passed or the host has given it back.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from config.schema import (
    AxisChannel,
    BoardConfig,
    DiceChannel,
    MotorChannel,
    OutputChannel,
)
from firmware_bridge.sim.processors.emulated_board import EmulatedBoard
from firmware_bridge.sim.processors.processor import FREQUENCY, PinLevel, PinOutputs
from firmware_bridge.wire.codec import Decoder
from firmware_bridge.wire.messages import Identity, TakeLease

LED = 13
"""The pin that the bootloader itself drives."""
AFTER_LEASE = FREQUENCY * 5 // 1000
"""Cycles after the end of a lease until every output is safe."""
GIVING_BACK = FREQUENCY * 20 // 1000
"""Cycles until a board has received and executed the command that gives a lease back."""
RAMP = 0.1
"""Seconds by which an axis may stop later than its ramp takes."""


@dataclass
class LeaseWatch:
    """Watches one board from now on; `violations` has a sentence for each breach."""

    board: EmulatedBoard
    config: BoardConfig
    violations: list[str] = field(default_factory=list)
    changes: int = 0
    """Number of changes of output pins that were checked."""
    activations: int = 0
    """Number of times that an output pin became active."""
    resets: int = 0

    def __post_init__(self) -> None:
        self._safe: dict[int, PinLevel] = {}
        self._late: dict[int, int] = {}
        for channel in self.config.channels.values():
            match channel:
                case MotorChannel(pin=pin, reverse_pin=reverse, safe=safe):
                    self._add(pin, safe > 0)
                    if reverse is not None:
                        self._add(reverse, safe < 0)
                case OutputChannel(pin=pin, safe=safe):
                    self._add(pin, safe > 0)
                case DiceChannel(pin=pin, safe=safe):
                    self._add(pin, bool(safe))
                case AxisChannel():
                    ramp = channel.speed / channel.acceleration + RAMP
                    self._add(channel.pin, high=False, late=round(ramp * FREQUENCY))
        self._ends = 0
        self._identified = False
        self._active: dict[int, int] = {}
        self._sent, self._received = Decoder(), Decoder()
        self.board.observe = self._observe
        receive = self.board.receive

        def watched(data: bytes) -> None:
            self._host_sends(data)
            receive(data)

        self.board.receive = watched  # type: ignore[method-assign]

    def finish(self) -> None:
        """Check the pins that are active still."""
        for pin in tuple(self._active):
            self._check_end(pin, self.board.cycle)

    def _add(self, pin: int, high: bool, late: int = AFTER_LEASE) -> None:
        self._safe[pin] = PinLevel.HIGH if high else PinLevel.LOW
        self._late[pin] = late

    def _host_sends(self, data: bytes) -> None:
        for frame in self._received.feed(data):
            if frame.address != self.config.address or not isinstance(frame.message, TakeLease):
                continue
            if self._identified:
                self._end_active_of_lapsed_lease()
                length = frame.message.duration_ms * FREQUENCY // 1000
                self._ends = self.board.cycle + (length or GIVING_BACK)

    def _end_active_of_lapsed_lease(self) -> None:
        """Before a lease begins anew: pins that outlasted the last one are violations."""
        for pin in tuple(self._active):
            if self.board.cycle > self._ends + self._late[pin]:
                self._check_end(pin, self.board.cycle)
                self._active[pin] = self.board.cycle

    def _observe(self, before: int, out: PinOutputs) -> None:
        for cycle, _ in out.resets:
            self.resets += 1
            self._identified = False
            for pin in tuple(self._active):
                self._check_end(pin, before + cycle)
            self._ends = min(self._ends, before + cycle)
        for cycle, pin, level in out.pins:
            if pin not in self._safe or pin == LED:
                continue
            self.changes += 1
            if level in (self._safe[pin], PinLevel.RELEASED):
                self._check_end(pin, before + cycle)
            elif pin not in self._active:
                self._active[pin] = before + cycle
                self.activations += 1
                if before + cycle > self._ends + self._late[pin]:
                    self._violate(pin, before + cycle, "became active")
        if any(isinstance(f.message, Identity) for f in self._sent.feed(out.bytes_of(0))):
            self._identified = True

    def _check_end(self, pin: int, cycle: int) -> None:
        began = self._active.pop(pin, None)
        if began is not None and cycle > self._ends + self._late[pin]:
            self._violate(pin, cycle, "was active still")

    def _violate(self, pin: int, cycle: int, what: str) -> None:
        self.violations.append(
            f"pin {pin} {what} at {cycle / FREQUENCY:.6f} s; the lease ended at"
            f" {self._ends / FREQUENCY:.6f} s"
        )
