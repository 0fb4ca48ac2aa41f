"""The provisioned limits of a board, which a host's session cannot change.

`firmware_bridge/firmware/core/limits.c` is the board's part; `refusal` decides as that file does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from firmware_bridge.wire.codes import Flag, Kind, LimitFlag, Refusal
from firmware_bridge.wire.messages import NONE, Configure, Limits

LONGEST_LEASE = 2.0
"""Seconds; the longest lease of a board that is provisioned without a table."""
LONGEST_ON = 600.0
"""Seconds; the longest on-time of a board that is provisioned without a table."""
MOST_ON_MS = 2_000_000
"""The longest on-time that a board can measure."""
MOST_LEASE_MS = 0xFFFF
PIN_BYTES = 9
DRIVEN = (Kind.MOTOR, Kind.OUTPUT, Kind.STRIP, Kind.AXIS, Kind.DICE)
"""Kinds of channels that drive a pin."""
_TWO_PINS = (Kind.MOTOR, Kind.AXIS)
_CAN_BE_GUARDED = (Kind.MOTOR, Kind.AXIS, Kind.OUTPUT)


@dataclass(frozen=True)
class BoardLimits:
    """The limits of one board. Without `of_pins` no pin has a limit of its own."""

    lease_ms: int
    on_ms: int
    of_pins: bool = False
    guarded: frozenset[int] = frozenset()
    """Pins whose channels must be GUARDED."""
    unlimited: frozenset[int] = frozenset()
    """Pins that can be on without a maximum on-time, such as those of lamps and axes."""
    curtain: bool | None = None
    """Whether the light curtain is active when its pin is high; None if none is required."""

    @property
    def message(self) -> Limits:
        """The limits as a board reports them."""
        flags = LimitFlag.EXIST | (LimitFlag.OF_PINS if self.of_pins else 0)
        if self.curtain is not None:
            flags |= LimitFlag.NEEDS_CURTAIN | (LimitFlag.CURTAIN_HIGH if self.curtain else 0)
        return Limits(
            flags, self.lease_ms, self.on_ms, _packed(self.guarded), _packed(self.unlimited)
        )

    def permits_lease(self, milliseconds: int) -> bool:
        """Whether a host may take a lease of this time."""
        return milliseconds <= self.lease_ms

    def refusal(self, record: Configure) -> Refusal | None:
        """The reason for which the board refuses a record, or None."""
        if record.kind not in DRIVEN:
            return None
        is_guarded = record.kind in _CAN_BE_GUARDED and record.flags & Flag.GUARDED
        for pin in driven_pins(record):
            if pin in self.guarded and not is_guarded:
                return Refusal.NOT_GUARDED
            if pin not in self.unlimited and self._is_on_too_long(record):
                return Refusal.ON_TOO_LONG
        return None

    def has_curtain(self, table: Iterable[Configure], pin: int | None) -> bool:
        """Whether a table has the light curtain that is required, on this pin."""
        return self.curtain is None or any(
            record.kind == Kind.SENSOR
            and record.flags & Flag.CURTAIN
            and record.pin == pin
            and not record.high_mv
            and bool(record.active_high) is self.curtain
            for record in table
        )

    def _is_on_too_long(self, record: Configure) -> bool:
        longest = record.max_on_ms
        match record.kind:
            case Kind.MOTOR:
                return not 0 < longest <= self.on_ms or record.safe != 0
            case Kind.OUTPUT:
                return longest > self.on_ms or (self.of_pins and (longest == 0 or record.safe != 0))
            case Kind.DICE:
                return longest > self.on_ms
            case _:
                return self.of_pins


def summary(limits: Limits) -> str:
    """A description of the limits that a board reports."""
    if not limits.flags & LimitFlag.EXIST:
        return "no limits (provision it again, so that no host can exceed those of the table)"
    parts = [f"lease at most {limits.lease_ms} ms", f"on-time at most {limits.on_ms / 1000:g} s"]
    if limits.flags & LimitFlag.OF_PINS:
        guarded, unlimited = map(pins_of, (limits.guarded, limits.unlimited))
        parts.append(f"guarded pins {_listed(guarded)}")
        parts.append(f"pins without a maximum on-time {_listed(unlimited)}")
    if limits.flags & LimitFlag.NEEDS_CURTAIN:
        parts.append("light curtain required")
    return ", ".join(parts)


def driven_pins(record: Configure) -> Iterator[int]:
    """The pins that a record of a kind in `DRIVEN` drives."""
    both = (record.pin, record.second_pin) if record.kind in _TWO_PINS else (record.pin,)
    return (pin for pin in both if pin != NONE)


def _packed(pins: Iterable[int]) -> bytes:
    return sum(1 << pin for pin in pins).to_bytes(PIN_BYTES, "little")


def pins_of(pins: bytes) -> list[int]:
    """The numbers of the pins in a set of pins of `Limits`."""
    bits = int.from_bytes(pins, "little")
    return [pin for pin in range(8 * PIN_BYTES) if bits >> pin & 1]


def _listed(pins: list[int]) -> str:
    return " ".join(map(str, pins)) or "none"
