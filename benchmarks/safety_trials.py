"""A trial of the safety inputs on an emulated board: its table, its orders, and the check.

`safety_sweep` changes the inputs at every moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from benchmarks.emergency_phases import (
    AXIS,
    BRAKE_PIN,
    DIRECTION_PIN,
    DOME_PIN,
    EDGE_PIN,
    FORWARD_PIN,
    GUARDED_RECORDS,
    HELD_PIN,
    HOLD_PIN,
    HOME,
    HOME_PIN,
    KINDS,
    LEASE_MS,
    MOTOR,
    ONE_US,
    OUTPUT,
    OUTPUT_PIN,
    REVERSE_PIN,
    SAFE_LEVELS,
    STEP_PIN,
    STRIP_PIN,
    WAITING_PINS,
    PhaseKind,
)
from benchmarks.firmware_host import CURTAIN_PIN, EMERGENCY_PIN, Host, flooded_pico
from firmware_bridge.sim.processors.processor import (
    CYCLES_PER_US,
    PinChange,
    PinLevel,
    Processor,
)
from firmware_bridge.sim.processors.rp2040 import Rp2040
from firmware_bridge.wire.codec import configuration_crc
from firmware_bridge.wire.codes import Kind
from firmware_bridge.wire.messages import Commit, Configure, Home, Message, Move, Set, TakeLease

INPUTS: Mapping[str, int] = {"curtain": CURTAIN_PIN, "stop": EMERGENCY_PIN}
DUE_US: Mapping[str, int] = {"curtain": 1000, "stop": 50}
"""Microseconds from the change until all outputs are safe. The curtain has a filter of 30 us, and
the reflex waits for the main loop's lock and for other inputs that change at the same time."""
BRAKED_US = 14_000
"""Microseconds from a broken curtain until an axis has braked from 8 kHz. Its ramp of 2 ms begins
when the main loop has planned it, behind the segments that are prepared, each of 4.1 ms."""
BEFORE_US, BEFORE_STEP_US, AFTER_US = 400, 3000, 20
"""The critical time of an order, without `--full`: before and after its pin becomes active. A
motion of an axis is planned between its check and its first step."""
WATCHED_US = 600
RESTART = 150_000 * CYCLES_PER_US
"""Cycles after which the board has started from a reset: first it saves its state."""
RESET = "reset"
"""The name of the sweep over a start: the input changes between the reset and the first order."""

PICO_PINS: Mapping[int, int] = {
    FORWARD_PIN: 2,
    REVERSE_PIN: 3,
    BRAKE_PIN: 4,
    OUTPUT_PIN: 5,
    STRIP_PIN: 6,
    DOME_PIN: 7,
    STEP_PIN: 10,
    DIRECTION_PIN: 11,
    HOME_PIN: 12,
    EDGE_PIN: 13,
    HELD_PIN: 14,
    HOLD_PIN: 15,
    WAITING_PINS[0]: 16,
    WAITING_PINS[1]: 17,
    EMERGENCY_PIN: 20,
    CURTAIN_PIN: 21,
}
"""The pins of the Pico for those of the Mega."""


class Bench(NamedTuple):
    """A kind of board, and its pins for those of the Mega."""

    pins: Mapping[int, int]
    processor: Callable[[], Processor | Rp2040]

    def records(self, variant: int = 0) -> list[Configure]:
        """The table; tables of different `variant`s differ, so each Commit has something to do."""
        return [
            record._replace(
                pin=self.pins[record.pin],
                second_pin=self.pins.get(record.second_pin, record.second_pin)
                if record.kind in (Kind.MOTOR, Kind.AXIS)
                else record.second_pin,
                debounce_ms=variant if record.index == HOME else record.debounce_ms,
            )
            for record in GUARDED_RECORDS
        ]


BENCHES: Mapping[str, Bench] = {
    "mega": Bench({pin: pin for pin in PICO_PINS}, Processor),
    "pico": Bench(PICO_PINS, flooded_pico),
}


def _commit(bench: Bench, variant: int) -> PhaseKind:
    records = bench.records(variant)
    commit = Commit(len(records), configuration_crc(records))
    orders = (commit, TakeLease(LEASE_MS), Set(OUTPUT, 1))
    return PhaseKind(OUTPUT_PIN, orders, last_us=12_000, before=tuple(records))


LEASE = PhaseKind(
    OUTPUT_PIN,
    (TakeLease(0), TakeLease(LEASE_MS), Set(OUTPUT, 1)),
    last_us=4000,
    before=(Set(MOTOR, 1000),),
)
NAMES = (*KINDS, "lease", "commit", RESET)


def kind_of(name: str, bench: Bench, variant: int) -> PhaseKind:
    """What is executed while the input changes."""
    if name == "commit":
        return _commit(bench, 1 + variant % 2)
    return LEASE if name == "lease" else KINDS[name]


# Parts of a trial


def begin(bench: Bench) -> Host:
    """Start a board, and begin a session with its table and a lease."""
    host = Host(may_refuse=True, processor=bench.processor())
    for pin in (HOME_PIN, EDGE_PIN, HOLD_PIN):
        host.drive(bench.pins[pin], PinLevel.HIGH, host.cycle)
    host.begin(bench.records(), LEASE_MS)
    return host


def prepare(host: Host, bench: Bench, kind: PhaseKind) -> None:
    """Do what comes before an order of this kind."""
    hold = PinLevel.LOW if kind.release else PinLevel.HIGH
    host.drive(bench.pins[HOLD_PIN], hold, host.cycle)
    if isinstance((kind.before or kind.commands)[0], Move):
        home = bench.pins[HOME_PIN]
        host.drive(home, PinLevel.LOW, host.cycle)
        host.run(100 * CYCLES_PER_US)
        host.ask(Home(AXIS))
        host.drive(home, PinLevel.HIGH, host.cycle)
        host.run(100 * CYCLES_PER_US)
    if kind.latched:
        host.drive(EMERGENCY_PIN, PinLevel.HIGH, host.cycle)
        host.run(2000 * CYCLES_PER_US)
        host.drive(EMERGENCY_PIN, PinLevel.LOW, host.cycle)
        host.run(2000 * CYCLES_PER_US)
    host.ask(TakeLease(LEASE_MS))
    for command in kind.before:
        host.ask(command)


def send(host: Host, bench: Bench, commands: Sequence[Message], release: bool) -> int:
    """Put commands on the line; return the cycle at which the first one has arrived."""
    at = host.send_now(*commands) if commands else host.cycle
    if release:
        host.drive(bench.pins[HOLD_PIN], PinLevel.HIGH, at)
    return at


MOVES_ON = -1


def cycles_until_safe(
    bench: Bench,
    levels: Mapping[int, PinLevel],
    changes: Iterable[PinChange],
    broken: int,
    due: int,
) -> int:
    """Return the cycles from `broken` until the last output is at its safe level, or released.

    `MOVES_ON`: one is away from it after `due`, or an axis steps after its ramp.
    """
    slowest = 0
    braked = broken + BRAKED_US * CYCLES_PER_US
    now = {
        bench.pins[pin]: levels.get(bench.pins[pin], level) for pin, level in SAFE_LEVELS.items()
    }
    safe = {bench.pins[pin]: level for pin, level in SAFE_LEVELS.items()}
    step, strip = bench.pins[STEP_PIN], bench.pins[STRIP_PIN]
    rose = None
    for change in changes:
        if change.pin == strip and change.cycle > due:
            if change.level is PinLevel.HIGH:
                rose = change.cycle
            elif rose is not None and change.cycle - rose > ONE_US * CYCLES_PER_US:
                return MOVES_ON
        if change.pin not in now:
            continue
        limit = braked if change.pin == step else due
        is_safe = change.level in (safe[change.pin], PinLevel.RELEASED)
        if change.cycle > limit and not is_safe:
            return MOVES_ON
        was_safe = now[change.pin] in (safe[change.pin], PinLevel.RELEASED)
        if change.cycle <= due:
            now[change.pin] = change.level
        if is_safe and not was_safe and change.pin != step and broken <= change.cycle <= due:
            slowest = change.cycle - broken
    del now[step]
    rests = all(level in (safe[pin], PinLevel.RELEASED) for pin, level in now.items())
    return slowest if rests else MOVES_ON


def activation(bench: Bench, pin: int, changes: Iterable[PinChange], at: int) -> int:
    """Return the cycle, after `at`, at which this pin of the Mega becomes active; 0 if never."""
    at_rest = (SAFE_LEVELS.get(pin, PinLevel.LOW), PinLevel.RELEASED)
    return next(
        (
            change.cycle
            for change in changes
            if change.pin == bench.pins[pin] and change.cycle > at and change.level not in at_rest
        ),
        0,
    )
