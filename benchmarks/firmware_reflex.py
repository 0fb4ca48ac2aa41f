"""Measures reaction times of the firmware, in cycles of a simulated processor at 16 MHz.

The flashed firmware runs in simavr. The link is full of commands, with eight in flight at any time,
and inputs change at random phases of the board's other work.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from random import Random
from statistics import median
from typing import NamedTuple

from benchmarks import Row
from benchmarks.firmware_host import EMERGENCY_PIN, LINK, Host
from firmware_bridge.board import Reason
from firmware_bridge.boards.encoding import BLANK
from firmware_bridge.sim.processors.processor import CYCLES_PER_US, FIRMWARE, PinLevel
from firmware_bridge.sim.processors.rp2040 import Rp2040
from firmware_bridge.wire.codes import Kind, UntilKind
from firmware_bridge.wire.messages import (
    NONE,
    Clear,
    Configure,
    Drive,
    Home,
    Message,
    MotionEnded,
    Move,
    Set,
    TakeLease,
)

PHASES = 10_000
PHASES_BESIDE_ONE = 3_000
PHASES_TOGETHER = 1_000
EMERGENCIES = 2_000
GOAL_US = 50.0
EACH_FURTHER_US = 5.0
"""Additional time for each further sensor that changes at the same instant."""
DEBOUNCED_GOAL_US = 150.0
"""Time after the end of a sensor's debounce time."""
EACH_FURTHER_DEBOUNCED_US = 20.0
STEP_GOAL_US = 10.0
LEASE_GOAL_MS = 5.0
LONG_LEASE_MS = 60_000
SHORT_LEASE_MS = 100
LEASES = 40

SENSORS = (22, 30, 38, 50, 54, 39, 62, 42, 2, 6, 14)
"""One sensor pin on each port of the chip."""
MOTORS = (23, 24, 25, 26, 27, 28, 29, 31, 32, 33, 34)
APART = 150 * CYCLES_PER_US
"""Least time from one drive's edge to the next one's, in cycles."""

ACTIVE_US = 3000
"""Microseconds for which a sensor stays active."""

SPEED = 8000.0
"""Steps a second."""
ACCELERATION = 40_000.0
RAMP_US = 250_000
"""Time after which an axis has reached its speed."""
WAY = 4000
STEP_NM = 50_000
AXIS_PINS = ((23, 24, 25), (26, 27, 28), (31, 32, 33))
"""Step, direction and home switch of each axis."""
BESIDE_PINS = ((35, 43, 44), (36, 45, 46), (40, 47, 48))
"""Step, direction and home switch of each axis that runs while motors are driven."""


class ReflexPins(NamedTuple):
    """Pins of the motors with their sensors, and of the axes, on a kind of board."""

    motors: tuple[int, ...]
    sensors: tuple[int, ...]
    axes: tuple[tuple[int, int, int], ...]
    beside: tuple[tuple[int, int, int], ...]
    processor: Callable[[], Rp2040] | None = None
    """Makes the processor; None for the Mega's."""
    link: int = LINK
    """The serial port of the session."""

    def host(self, *closed: int) -> Host:
        """Return a host of such a board."""
        processor = self.processor() if self.processor else None
        return Host(*closed, processor=processor, link=self.link)


MEGA = ReflexPins(MOTORS, SENSORS, AXIS_PINS, BESIDE_PINS)

BESIDE_WAY = 2_000_000
BESIDE_STEP_NM = 1_000
"""Nanometres per step: so short that the axes run for 4 minutes, longer than all drives."""


def main() -> Iterator[Row]:
    """Build the firmware and measure the claims one after the other."""
    command = ["make", "-s", "-C", str(FIRMWARE), "avr", "simavr"]
    subprocess.run(command, check=True, timeout=300)  # noqa: S603 - nothing in it varies
    for axes, phases, beside in (
        (0, PHASES, "no axis moving"),
        (1, PHASES_BESIDE_ONE, "one axis at 8 kHz"),
        (3, PHASES, "three axes at 8 kHz"),
    ):
        edges = drives(phases, axes)
        claim = f"last sensor edge to motor pin off, {beside}, worst of {len(edges):,} phases"
        yield _reflex(claim, edges)
    for debounce_ms, axes, beside in ((0, 0, "no axis"), (0, 3, "three axes"), (1, 0, "no axis")):
        for together in (1, 2, 4, 11) if debounce_ms else (2, 4, 11):
            yield _coincident(together, axes, beside, debounce_ms)
    safe = emergencies(EMERGENCIES)
    yield _reflex(f"emergency pin to all outputs safe, worst of {len(safe):,} phases", safe)
    for axes, name in ((1, "one axis"), (3, "each of three axes")):
        late = max(map(abs, step_errors(axes)))
        yield Row(
            f"step error of {name} at 8 kHz against the ideal trapezoid, link full",
            f"{late:.1f} us",
            f"{STEP_GOAL_US:.0f} us",
            late <= STEP_GOAL_US,
        )
    over = max(lost_leases(LEASES)) / CYCLES_PER_US / 1000
    yield Row(
        "lease lost to all outputs safe, link full",
        f"lease + {over:.1f} ms",
        f"lease + {LEASE_GOAL_MS:.0f} ms",
        over <= LEASE_GOAL_MS,
    )


def _coincident(together: int, axes: int, beside: str, debounce_ms: int) -> Row:
    edges = drives(PHASES_TOGETHER, axes, together, debounce_ms)
    worst, promised = max(edges) / CYCLES_PER_US, promised_us(together, debounce_ms)
    claim = (
        f"{together} edge(s) at once to the last motor pin off, debounce {debounce_ms} ms,"
        f" {beside} moving, worst of {len(edges):,} phases, link full"
    )
    return Row(claim, f"{worst:.1f} us", f"{promised:.0f} us", worst <= promised)


def _reflex(claim: str, cycles: Sequence[int]) -> Row:
    worst = max(cycles)
    return Row(
        f"{claim}, link full",
        f"{worst} cycles = {worst / CYCLES_PER_US:.1f} us",
        f"{GOAL_US:.0f} us",
        worst <= GOAL_US * CYCLES_PER_US,
    )


def drives(
    phases: int, axes: int, together: int = 1, debounce_ms: int = 0, pins: ReflexPins = MEGA
) -> list[int]:
    """Return the cycles from a sensor's edge to its motor's low pin, one for each drive."""
    random = Random(1)
    taken: list[int] = []
    with busy_host(axes, debounce_ms, pins) as host:
        while len(taken) < phases:
            taken += drive_all(host, random, together, debounce_ms, pins)
            host.changes.clear()
    return taken


def promised_us(together: int, debounce_ms: int = 0) -> float:
    """Return within how many µs a motor is off after an edge that comes with others at once."""
    if debounce_ms == 0:
        return GOAL_US + EACH_FURTHER_US * (together - 1)
    return 1000 * debounce_ms + DEBOUNCED_GOAL_US + EACH_FURTHER_DEBOUNCED_US * (together - 1)


def busy_host(axes: int, debounce_ms: int = 0, pins: ReflexPins = MEGA) -> Host:
    """Return a host whose board has a motor and a sensor on each port, and axes at full speed.

    If the board is on time, all axes step at the same instants.
    """
    beside = pins.beside[:axes]
    host = pins.host(*(home for _, _, home in beside))
    count = len(pins.motors)
    records = [motor(index, pin) for index, pin in enumerate(pins.motors)]
    records += [
        sensor(count + index, pin)._replace(debounce_ms=debounce_ms)
        for index, pin in enumerate(pins.sensors)
    ]
    first = len(records)
    records += axes_at(first, beside, BESIDE_WAY, BESIDE_STEP_NM)
    host.processor.drive((0, pin, PinLevel.HIGH) for pin in pins.sensors)
    host.begin(records, LONG_LEASE_MS)
    begin_moves(host, first, axes, BESIDE_WAY * BESIDE_STEP_NM // 1000)
    host.run(RAMP_US * CYCLES_PER_US)
    host.changes.clear()
    return host


def drive_all(
    host: Host, random: Random, together: int = 1, debounce_ms: int = 0, pins: ReflexPins = MEGA
) -> list[int]:
    """Drive every motor until its sensor's edge; return the cycles from edge to pin of each.

    The edges of `together` sensors each come at the same instant.
    """
    count = len(pins.motors)
    host.ask(TakeLease(LONG_LEASE_MS))  # its reply shows that the board has read all earlier bytes
    host.send(
        *(Drive(index, 1000, UntilKind.EDGES, count + index, 1, 1000, 0) for index in range(count))
    )
    host.until(lambda: all(host.levels[pin] is PinLevel.HIGH for pin in pins.motors))
    at = host.cycle + APART
    edges: dict[int, int] = {}
    for place, index in enumerate(random.sample(range(count), count)):
        if place % together == 0:
            at += together * APART + random.randrange(APART)
        edges[pins.motors[index]] = at
        host.drive(pins.sensors[index], PinLevel.LOW, at)
        host.drive(pins.sensors[index], PinLevel.HIGH, at + ACTIVE_US * CYCLES_PER_US)
    host.until(lambda: len(host.events) >= count)
    _check_ends(host, Reason.EDGES)
    if debounce_ms:
        idle_at = at + (ACTIVE_US + 2000 * debounce_ms) * CYCLES_PER_US
        host.until(lambda: host.cycle >= idle_at)
    off = {change.pin: change.cycle for change in host.changes if change.pin in edges}
    return [off[pin] - edge for pin, edge in edges.items()]


def emergencies(phases: int, pins: ReflexPins = MEGA) -> list[int]:
    """Return the cycles from the emergency pin's rise until all outputs are low, for each stop."""
    random = Random(2)
    taken: list[int] = []
    with pins.host() as host:
        host.begin([motor(index, pin) for index, pin in enumerate(pins.motors)], LONG_LEASE_MS)
        host.fill = True
        while len(taken) < phases:
            host.send(
                TakeLease(LONG_LEASE_MS), *(Set(each, 1000) for each in range(len(pins.motors)))
            )
            host.until(lambda: all(host.levels[pin] is PinLevel.HIGH for pin in pins.motors))
            pressed = host.cycle + random.randrange(1000 * CYCLES_PER_US)
            host.drive(EMERGENCY_PIN, PinLevel.HIGH, pressed)
            host.drive(EMERGENCY_PIN, PinLevel.LOW, pressed + 100 * CYCLES_PER_US)
            host.changes.clear()
            host.until(lambda: len(host.events) > 0)
            host.events.clear()
            taken.append(_all_low(host, pins.motors) - pressed)
            host.run(200 * CYCLES_PER_US)
            host.ask(Clear())
    return taken


def step_errors(axes: int, pins: ReflexPins = MEGA) -> list[float]:
    """Return by how many µs each step at full speed is late, relative to the move's median."""
    moved = pins.axes[:axes]
    with pins.host(*(home for _, _, home in moved)) as host:
        host.begin(axes_at(0, moved, WAY, STEP_NM), LONG_LEASE_MS)
        begin_moves(host, 0, axes, WAY * STEP_NM // 1000)
        _await_end(host)
    return [error for step, _, _ in moved for error in _errors_at_full_speed(host, step)]


def begin_moves(host: Host, first: int, axes: int, to_um: int) -> None:
    """Home axes whose channels begin at `first`, fill the link, and start all axes at once."""
    for index in range(axes):
        host.ask(Home(first + 2 * index))
        _await_end(host)
    host.fill = True
    host.changes.clear()
    if axes == 0:
        return
    targets = [
        field
        for index in range(3)
        for field in ((first + 2 * index, to_um) if index < axes else (NONE, 0))
    ]
    host.send(Move._make([*targets, 1000]))


class _Trapezoid(NamedTuple):
    speed: float
    acceleration: float
    way: float

    def seconds_to(self, position: float) -> float:
        ramp = self.speed / self.acceleration
        within = self.speed * ramp / 2
        if position < within:
            return sqrt(2 * position / self.acceleration)
        if self.way - position < within:
            return (
                self.way / self.speed + ramp - sqrt(2 * (self.way - position) / self.acceleration)
            )
        return position / self.speed + ramp / 2


def _errors_at_full_speed(host: Host, pin: int) -> list[float]:
    rises = [change.cycle for change in host.changes if change[1:] == (pin, PinLevel.HIGH)]
    if len(rises) != WAY:
        raise RuntimeError(f"The axis of pin {pin} made {len(rises)} steps instead of {WAY}.")
    ideal = _Trapezoid(SPEED, ACCELERATION, WAY)
    late = [
        rise / CYCLES_PER_US - ideal.seconds_to(step + 0.5) * 1e6 for step, rise in enumerate(rises)
    ]
    ramp = int(SPEED * SPEED / ACCELERATION / 2)
    begun = median(late)
    return [error - begun for error in late[ramp : WAY - ramp]]


def lost_leases(times: int) -> list[int]:
    """Return the cycles for which outputs stay active after the end of a lost lease.

    The lease is counted from the moment at which its command has arrived completely, with no other
    command before it; afterwards the link is full again.
    """
    over: list[int] = []
    with Host() as host:
        host.begin([motor(index, pin) for index, pin in enumerate(MOTORS)], LONG_LEASE_MS)
        host.fill = True
        for _ in range(times):
            host.ask(TakeLease(0))
            host.ask(TakeLease(LONG_LEASE_MS), *(Set(each, 1000) for each in range(len(MOTORS))))
            host.changes.clear()
            host.drain()
            host.send(TakeLease(SHORT_LEASE_MS))
            lost = host.line_free_at + SHORT_LEASE_MS * 1000 * CYCLES_PER_US
            host.fill = True
            host.until(lambda: len(host.events) > 0)
            host.events.clear()
            over.append(_all_low(host, MOTORS) - lost)
    return over


def motor(index: int, pin: int) -> Configure:
    """Return the record of a motor with one direction."""
    return _record(index, Kind.MOTOR, pin)


def sensor(index: int, pin: int) -> Configure:
    """Return the record of a sensor that is active when low, without a debounce time."""
    return _record(index, Kind.SENSOR, pin)._replace(active_high=0)


def axes_at(
    first: int, pins: Sequence[tuple[int, int, int]], way: int, step_nm: int
) -> list[Configure]:
    """Return axes of 8 kHz with this number of steps, each followed by its home switch."""
    return [
        record
        for index, (step, direction, home) in enumerate(pins)
        for record in (
            axis(first + 2 * index, step, direction, way, step_nm),
            sensor(first + 2 * index + 1, home),
        )
    ]


def axis(index: int, step: int, direction: int, way: int, step_nm: int) -> Configure:
    """Return the record of an axis of 8 kHz whose home switch is the next channel."""
    return _record(index, Kind.AXIS, step)._replace(
        second_pin=direction,
        reverse_stop=index + 1,
        low_um=0,
        high_um=way * step_nm // 1000,
        speed_um_s=int(SPEED) * step_nm // 1000,
        acceleration_um_s2=int(ACCELERATION) * step_nm // 1000,
        step_nm=step_nm,
    )


def _record(index: int, kind: Kind, pin: int) -> Configure:
    return BLANK._replace(index=index, kind=kind, pin=pin)


def _await_end(host: Host) -> None:
    host.until(lambda: len(host.events) > 0)
    _check_ends(host, Reason.DONE, Reason.SWITCH)


def _check_ends(host: Host, *reasons: Reason) -> None:
    while host.events:
        event: Message = host.events.popleft()
        if not isinstance(event, MotionEnded) or event.reason not in reasons:
            raise RuntimeError(f"A motion was expected to end by itself; the board sent {event}.")


def _all_low(host: Host, pins: Sequence[int]) -> int:
    """Return the cycle at which the last of these pins became low."""
    fallen = {
        change.pin: change.cycle for change in host.changes if change.level is not PinLevel.HIGH
    }
    return max(fallen[pin] for pin in pins)


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
