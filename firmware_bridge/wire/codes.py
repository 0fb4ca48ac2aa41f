"""Codes in the fields of wire messages: kinds, flags, refusals, causes, chips."""

from __future__ import annotations

import enum


class Kind(enum.IntEnum):
    """Channel kinds in a `Configure` record."""

    MOTOR = 1
    OUTPUT = 2
    STRIP = 3
    SENSOR = 4
    AXIS = 5
    DICE = 6
    READER = 7
    ANALOG = 8


class Flag(enum.IntFlag):
    """Further properties of a channel, in a `Configure` record."""

    GUARDED = 1
    """A motor or axis that moves within reach of hands; the light curtain stops it."""
    EMERGENCY = 2
    """The sensor that is the emergency stop."""
    CURTAIN = 4
    """The sensor that is the light curtain."""
    FULL_ONLY = 8
    """A motor that the board drives fully or not at all: it refuses a part of the full drive."""
    CURRENT = 16
    """An analogue input that measures and limits the current of a motor, or of all motors."""


class LimitFlag(enum.IntFlag):
    """The limits that a board has, in `Limits`."""

    EXIST = 1
    """The board has limits; without it, nothing else in `Limits` is valid."""
    OF_PINS = 2
    """The sets of pins are valid."""
    NEEDS_CURTAIN = 4
    """A table is accepted only with the light curtain on its pin."""
    CURTAIN_HIGH = 8
    """That curtain is active when its pin is high."""


class Defect(enum.IntFlag):
    """The parts of a board that fail its self-test, in the reply to `SelfTest`."""

    TABLE = 1
    """The memory no longer contains the table that was committed."""
    PROGRAM = 2
    """The program differs from the one that was built."""
    MEMORY = 4
    """A byte of the memory does not keep what is written to it."""
    CLOCK = 8
    """The processor's clock differs from another oscillator by a third or more."""
    OUTPUTS = 16
    """The pin of an output that is off has the level of one that is on."""


class UntilKind(enum.IntEnum):
    """The condition that ends a `Drive`."""

    EDGES = 1
    LEVEL = 2
    TIME = 3


class Refusal(enum.IntEnum):
    """The reason for which a board refuses a command."""

    UNKNOWN_CHANNEL = 1
    WRONG_KIND = 2
    OUT_OF_RANGE = 3
    NO_LEASE = 4
    NOT_CONFIGURED = 5
    FAULT_LATCHED = 6
    BUSY = 7
    WRONG_VERSION = 8
    CAUSE_PERSISTS = 9
    NOT_HOMED = 10
    NOT_STORED = 11
    LEASE_TOO_LONG = 12
    ON_TOO_LONG = 13
    NOT_GUARDED = 14
    NO_CURTAIN = 15


class ResetCause(enum.IntEnum):
    """The cause of a board's last reset, in `Identity` and `Started`."""

    POWER = 0
    """The supply was switched on, or the RAM had never been used by this firmware."""
    EXTERNAL = 1
    """The reset button, or a port that was opened (DTR)."""
    BROWN_OUT = 2
    """The supply voltage fell too low; the RAM has kept its contents."""
    WATCHDOG = 3
    """The firmware hung."""
    BOOTLOADER = 4
    """The bootloader, which the host has ordered."""
    UNKNOWN = 5
    """The bootloader did not hand the cause over, and the RAM is damaged in part."""


class Chip(enum.IntEnum):
    """The kind of board, in `Identity`: its board profile (docs/build/BOARDS.md)."""

    MEGA2560 = 1
    """Arduino Mega 2560."""
    RP2040 = 2
    """Raspberry Pi Pico."""
    RASPBERRY_PI = 3
    """The pins of a Raspberry Pi, which have no wire; the number is never sent."""
