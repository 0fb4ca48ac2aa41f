"""Presses the emergency stop at every phase of every command that writes a pin.

The flashed firmware runs in simavr. For each kind of command, the stop opens at evenly spread
moments around the command's execution (`KINDS`). From `SAFE_WITHIN_US` after the press, every
output must be at its safe level and must stay there: while the stop is open, after it has closed,
and after Clear. A phase in which an output is away from its safe level is a failure.

    python -m benchmarks.emergency_phases [KIND ...] [--phases N] [--seed N] [--jobs N]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from random import Random
from typing import NamedTuple

from benchmarks import Row
from benchmarks.firmware_host import CURTAIN_PIN, EMERGENCY_PIN, Host
from benchmarks.firmware_reflex import axis, motor, sensor
from firmware_bridge.boards.encoding import BLANK
from firmware_bridge.sim.processors.processor import CYCLES_PER_US, PinChange, PinLevel
from firmware_bridge.wire.codes import Flag, Kind, UntilKind
from firmware_bridge.wire.messages import (
    NONE,
    Clear,
    Drive,
    Home,
    Message,
    Move,
    Pulse,
    Set,
    Stop,
    TakeLease,
    ThrowDice,
)

PHASES = 200
"""Phases of each kind in `make bench`; `make evidence` has 10,000."""
SAFE_WITHIN_US = 50
LEASE_MS = 60_000
TAG_US = 2000
"""Time until the board has verified the tag of a command and executes it."""
PRESSED_US = 6000
"""For how long the stop stays open: longer than one turn of the main loop."""
WATCHED_US = 1000
"""For how long the outputs are watched after the release, and again after Clear."""
MODULE = 1
ONE_US = 0.6
"""A WS2812 pulse longer than this is a one: a lit lamp."""

MOTOR, BRAKE, OUTPUT, STRIP, DICE, AXIS, HOME, EDGE, HELD, HOLD, WAITING, CURTAIN, STOP = range(13)
"""Channels of the table: `BRAKE` is an output whose safe value is 1, `HELD` a motor that the
sensor `HOLD` holds back, `WAITING` a motor with a dead time."""
FORWARD_PIN, REVERSE_PIN, BRAKE_PIN, OUTPUT_PIN, STRIP_PIN, DOME_PIN = 23, 31, 42, 6, 49, 10
STEP_PIN, DIRECTION_PIN, HOME_PIN, EDGE_PIN, HELD_PIN, HOLD_PIN = 35, 36, 37, 62, 39, 54
WAITING_PINS = (27, 28)
WATCHED = (
    *(FORWARD_PIN, REVERSE_PIN, BRAKE_PIN, OUTPUT_PIN, DOME_PIN, STEP_PIN, HELD_PIN),
    *WAITING_PINS,
)
"""The pins that must be safe; a direction pin moves nothing without steps."""
SAFE_LEVELS = {pin: PinLevel(pin == BRAKE_PIN) for pin in WATCHED}
WAY_UM = 100_000
ACCELERATION_UM_S2 = 200_000_000
"""So high that the first step comes 6 ms after the command's last byte."""
LAMPS = 8
ALL_LIT = (1 << LAMPS) - 1

RECORDS = [
    motor(MOTOR, FORWARD_PIN)._replace(second_pin=REVERSE_PIN),
    BLANK._replace(index=BRAKE, pin=BRAKE_PIN, safe=1),
    BLANK._replace(index=OUTPUT, pin=OUTPUT_PIN),
    BLANK._replace(index=STRIP, kind=Kind.STRIP, pin=STRIP_PIN, second_pin=LAMPS),
    BLANK._replace(index=DICE, kind=Kind.DICE, pin=DOME_PIN, second_pin=MODULE, max_on_ms=1),
    axis(AXIS, STEP_PIN, DIRECTION_PIN, WAY_UM // 50, 50_000)._replace(
        reverse_stop=HOME, acceleration_um_s2=ACCELERATION_UM_S2
    ),
    sensor(HOME, HOME_PIN),
    sensor(EDGE, EDGE_PIN),
    motor(HELD, HELD_PIN)._replace(hold=HOLD),
    sensor(HOLD, HOLD_PIN),
    motor(WAITING, WAITING_PINS[0])._replace(second_pin=WAITING_PINS[1], dead_ms=1),
    sensor(CURTAIN, CURTAIN_PIN)._replace(active_high=1, flags=Flag.CURTAIN),
    sensor(STOP, EMERGENCY_PIN)._replace(active_high=1, flags=Flag.EMERGENCY),
]
GUARDED_RECORDS = [
    record if record.kind == Kind.SENSOR else record._replace(flags=Flag.GUARDED)
    for record in RECORDS
]
"""The same table, with a light curtain that guards every part."""


class PhaseKind(NamedTuple):
    """A way of writing a pin. The stop opens from `first_us` to `last_us` after the command."""

    pin: int
    """The pin that it makes active, in some phases before the stop."""
    commands: tuple[Message, ...]
    """The last byte of the first one arrives at moment 0; without any, `before` writes pins."""
    first_us: int = -100
    last_us: int = 900
    before: tuple[Message, ...] = ()
    """Commands that are executed before."""
    release: bool = False
    """The sensor `HOLD` becomes inactive at moment 0."""
    latched: bool = False
    """An earlier press is latched at moment 0, and its stop is closed again."""


def _move(to_um: int, permille: int = 1000) -> Move:
    return Move(AXIS, to_um, NONE, 0, NONE, 0, permille)


KINDS: Mapping[str, PhaseKind] = {
    "set": PhaseKind(OUTPUT_PIN, (Set(OUTPUT, 1),)),
    "set_safe_high": PhaseKind(BRAKE_PIN, (Set(BRAKE, 0),)),
    "set_motor": PhaseKind(FORWARD_PIN, (Set(MOTOR, 1000),)),
    "reverse_motor": PhaseKind(REVERSE_PIN, (Set(MOTOR, -1000),), before=(Set(MOTOR, 1000),)),
    "stop_motor": PhaseKind(FORWARD_PIN, (Stop(MOTOR),), before=(Set(MOTOR, 1000),)),
    "pulse": PhaseKind(OUTPUT_PIN, (Pulse(OUTPUT, 1, 1),), last_us=2500),
    "drive_edges": PhaseKind(FORWARD_PIN, (Drive(MOTOR, 1000, UntilKind.EDGES, EDGE, 1, 1000, 0),)),
    "drive_time": PhaseKind(
        REVERSE_PIN, (Drive(MOTOR, -1000, UntilKind.TIME, NONE, 0, 1, 0),), last_us=2500
    ),
    "set_pwm": PhaseKind(REVERSE_PIN, (Set(MOTOR, -300),)),
    "pwm": PhaseKind(FORWARD_PIN, (), first_us=0, last_us=10_000, before=(Set(MOTOR, 500),)),
    "dead_time": PhaseKind(
        WAITING_PINS[1], (Set(WAITING, -1000),), last_us=2500, before=(Set(WAITING, 1000),)
    ),
    "hold": PhaseKind(HELD_PIN, (), before=(Set(HELD, 1000),), release=True),
    "move": PhaseKind(STEP_PIN, (_move(40_000),), last_us=8000),
    "stepping": PhaseKind(STEP_PIN, (), first_us=20_000, last_us=25_000, before=(_move(60_000),)),
    "home": PhaseKind(STEP_PIN, (Home(AXIS),), last_us=8000),
    "dice": PhaseKind(DOME_PIN, (ThrowDice(DICE, 3),), last_us=2500),
    "strip": PhaseKind(STRIP_PIN, (Set(STRIP, ALL_LIT),), last_us=1900),
    "clear": PhaseKind(
        OUTPUT_PIN, (Clear(), Set(OUTPUT, 1)), first_us=-600, last_us=1500, latched=True
    ),
}
"""Every way in which a command changes a pin, by name."""


class PhaseFailure(NamedTuple):
    """An output was not safe: the press, and how long after it the pin was away for how long."""

    kind: str
    pressed_us: float
    """After the command's last byte."""
    pin: int
    after_us: float
    for_us: float


def phases(name: str, count: int, seed: int) -> tuple[list[PhaseFailure], float]:
    """Press at `count` phases of one kind; return the failures and the slowest press (µs).

    Raises `RuntimeError` if the kind's pin was active before the press in no phase at all.
    """
    kind = KINDS[name]
    random = Random(f"{name} {seed}")
    host = Host(may_refuse=True)
    for pin in (HOME_PIN, EDGE_PIN, HOLD_PIN):
        host.drive(pin, PinLevel.HIGH, host.cycle)
    host.begin(RECORDS, LEASE_MS)
    failures: list[PhaseFailure] = []
    slowest, active = 0.0, 0
    late_us = TAG_US * len(kind.commands)
    span = (kind.last_us + late_us - kind.first_us) * CYCLES_PER_US
    for phase in range(count):
        offset = kind.first_us * CYCLES_PER_US + int((phase + random.random()) * span / count)
        at, pressed = _press(host, kind, offset)
        after = (pressed - at) / CYCLES_PER_US
        failures += [PhaseFailure(name, after, *each) for each in _away(host.changes, pressed)]
        slowest = max(slowest, _until_safe(host.changes, pressed))
        active += any(change.pin == kind.pin for change in host.changes if change.cycle < pressed)
    if not active:
        raise RuntimeError(f"Pin {kind.pin} was active before the press in no phase of {name}.")
    return failures, slowest


def _press(host: Host, kind: PhaseKind, offset: int) -> tuple[int, int]:
    """Order, press, release and clear; return the cycles of moment 0 and of the press."""
    host.drive(HOLD_PIN, PinLevel.LOW if kind.release else PinLevel.HIGH, host.cycle)
    if isinstance((kind.before or kind.commands)[0], Move):
        _home(host)
    if kind.latched:
        _open_stop(host, host.cycle)
        host.run(3 * PRESSED_US * CYCLES_PER_US)
    host.refused.clear()
    host.changes.clear()
    host.ask(TakeLease(LEASE_MS), *kind.before)
    at = host.send_now(*kind.commands)
    if kind.release:
        host.drive(HOLD_PIN, PinLevel.HIGH, at)
    pressed = at + offset
    _open_stop(host, pressed)
    host.run(pressed + (PRESSED_US + WATCHED_US) * CYCLES_PER_US - host.cycle)
    host.ask(Clear())
    host.run(WATCHED_US * CYCLES_PER_US)
    host.events.clear()
    return at, pressed


def _open_stop(host: Host, at: int) -> None:
    host.drive(EMERGENCY_PIN, PinLevel.HIGH, at)
    host.drive(EMERGENCY_PIN, PinLevel.LOW, at + PRESSED_US * CYCLES_PER_US)


def _home(host: Host) -> None:
    """Make the present position of the axis its home; it does not move."""
    host.drive(HOME_PIN, PinLevel.LOW, host.cycle)
    host.run(100 * CYCLES_PER_US)
    host.ask(Home(AXIS))
    host.drive(HOME_PIN, PinLevel.HIGH, host.cycle)
    host.run(100 * CYCLES_PER_US)


def _levels(changes: Sequence[PinChange], pin: int) -> Iterator[tuple[int, PinLevel]]:
    yield 0, SAFE_LEVELS[pin]
    for change in changes:
        if change.pin == pin:
            yield change.cycle, change.level


def _away(changes: Sequence[PinChange], pressed: int) -> Iterator[tuple[int, float, float]]:
    """Return (pin, µs after the press, µs away) for each time a pin was not safe when it must."""
    due = pressed + SAFE_WITHIN_US * CYCLES_PER_US
    end = max((change.cycle for change in changes), default=due) + CYCLES_PER_US
    for pin in WATCHED:
        levels = [*_levels(changes, pin), (max(end, due + CYCLES_PER_US), SAFE_LEVELS[pin])]
        for (begins, level), (ends, _) in pairwise(levels):
            if level is not SAFE_LEVELS[pin] and ends > due:
                yield pin, (begins - pressed) / CYCLES_PER_US, (ends - begins) / CYCLES_PER_US
    rises = [
        (change.cycle, change.level)
        for change in changes
        if change.pin == STRIP_PIN and change.cycle > due
    ]
    for (begins, level), (ends, _) in pairwise(rises):
        if level is PinLevel.HIGH and ends - begins > ONE_US * CYCLES_PER_US:
            yield STRIP_PIN, (begins - pressed) / CYCLES_PER_US, (ends - begins) / CYCLES_PER_US


def _until_safe(changes: Sequence[PinChange], pressed: int) -> float:
    """Return the µs from the press to the last pin's change to its safe level by the interrupt."""
    due = pressed + SAFE_WITHIN_US * CYCLES_PER_US
    within = [
        change.cycle - pressed
        for change in changes
        if change.pin in SAFE_LEVELS
        and pressed <= change.cycle <= due
        and change.level is SAFE_LEVELS[change.pin]
    ]
    return max(within, default=0) / CYCLES_PER_US


def _claim(name: str, count: int, seed: int) -> Row:
    failures, slowest = phases(name, count, seed)
    return Row(
        f"emergency stop at {count:,} phases of {name}: outputs that were on afterwards",
        f"{len(failures)}; all safe after {slowest:.1f} us"
        + "".join(f"; {failure}" for failure in failures[:3]),
        "0",
        not failures,
    )


def main() -> Iterator[Row]:
    """Measure every kind, with few phases."""
    for name in KINDS:
        yield _claim(name, PHASES, 1)


def run(arguments: Sequence[str], show: Callable[[str], None] = print) -> int:
    """Measure the named kinds; return the exit code: 1 if an output was on after a press."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.emergency_phases")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"one of {', '.join(KINDS)}")
    parser.add_argument("--phases", type=int, default=10_000, help="presses for each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.kinds if name not in KINDS]:
        parser.error(f"KIND must be one of {', '.join(KINDS)}; got {unknown[0]}.")
    names = given.kinds or list(KINDS)
    met = True
    with ProcessPoolExecutor(given.jobs) as pool:
        rows = [pool.submit(_claim, name, given.phases, given.seed) for name in names]
        for row in rows:
            claim, measured, _, reached = row.result()
            met = met and reached is True
            show(f"{'passed' if reached else 'FAILED'}  {claim}: {measured}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
