"""What the firmware does on time, counted in cycles of the simulated processor at 16 MHz.

The very file that is flashed runs in simavr; the link is full of commands all the while, eight of
them always on their way, and inputs change at random phases of everything that the board does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from random import Random
from statistics import median
from typing import NamedTuple

from benchmarks import Row
from benchmarks.firmware_host import EMERGENCY_PIN, Host
from firmware_bridge.board import Reason
from firmware_bridge.messages import (
    NONE,
    Clear,
    Configure,
    Drive,
    Home,
    Kind,
    Message,
    MotionEnded,
    Move,
    Set,
    TakeLease,
    UntilKind,
)
from firmware_bridge.sim.processor import CYCLES_PER_US, Level
from firmware_bridge.words import BLANK

PHASES = 10_000
EMERGENCIES = 2_000
GOAL_US = 50.0
STEP_GOAL_US = 10.0
LEASE_GOAL_MS = 5.0
LONG_LEASE_MS = 60_000
SHORT_LEASE_MS = 100
LEASES = 40

SENSORS = (22, 30, 38, 50, 54, 39, 62, 42, 2, 6, 14)
"""One on each port of the chip."""
MOTORS = (23, 24, 25, 26, 27, 28, 29, 31, 32, 33, 34)
APART = 150 * CYCLES_PER_US
"""From one drive's edge to the next one's, at least."""

SPEED = 8000.0
"""Steps a second."""
ACCELERATION = 40_000.0
WAY = 4000
STEP_NM = 50_000
AXIS_PINS = ((23, 24, 25), (26, 27, 28), (31, 32, 33))
"""Step, direction and home switch of each axis."""


def main() -> Iterator[Row]:
    """Measure it, a claim after the other."""
    edges = drives(PHASES)
    yield _reflex(f"last sensor edge to motor pin off, worst of {len(edges):,} phases", edges)
    safe = emergencies(EMERGENCIES)
    yield _reflex(f"emergency pin to all outputs safe, worst of {len(safe):,} phases", safe)
    for axes, words in ((1, "one axis"), (3, "each of three axes")):
        late = max(map(abs, step_errors(axes)))
        yield Row(
            f"step error of {words} at 8 kHz against the ideal trapezoid, link full",
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


def _reflex(claim: str, cycles: Sequence[int]) -> Row:
    worst = max(cycles)
    return Row(
        f"{claim}, link full",
        f"{worst} cycles = {worst / CYCLES_PER_US:.1f} us",
        f"{GOAL_US:.0f} us",
        worst <= GOAL_US * CYCLES_PER_US,
    )


def drives(phases: int) -> list[int]:
    """Cycles from a sensor's edge to its motor's pin low, for so many drives."""
    random = Random(1)
    host = Host()
    count = len(MOTORS)
    records = [motor(index, pin) for index, pin in enumerate(MOTORS)]
    records += [sensor(count + index, pin) for index, pin in enumerate(SENSORS)]
    host.processor.drive((0, pin, Level.HIGH) for pin in SENSORS)
    host.begin(records, LONG_LEASE_MS)
    host.fill = True
    taken: list[int] = []
    while len(taken) < phases:
        host.tell(TakeLease(LONG_LEASE_MS))
        host.tell(
            *(
                Drive(index, 1000, UntilKind.EDGES, count + index, 1, 1000, 0)
                for index in range(count)
            )
        )
        host.until(lambda: all(host.levels[pin] is Level.HIGH for pin in MOTORS))
        at = host.cycle + APART
        edges: dict[int, int] = {}
        for index in random.sample(range(count), count):
            at += APART + random.randrange(APART)
            edges[MOTORS[index]] = at
            host.drive(SENSORS[index], Level.LOW, at)
            host.drive(SENSORS[index], Level.HIGH, at + 3000 * CYCLES_PER_US)
        host.changes.clear()
        host.until(lambda: len(host.events) >= count)
        off = {change.pin: change.cycle for change in host.changes if change.pin in edges}
        taken += [off[pin] - edge for pin, edge in edges.items()]
        _check_ends(host, Reason.EDGES)
    return taken


def emergencies(phases: int) -> list[int]:
    """Cycles from the emergency pin's rise to the last of all outputs low, so many times."""
    random = Random(2)
    host = Host()
    host.begin([motor(index, pin) for index, pin in enumerate(MOTORS)], LONG_LEASE_MS)
    host.fill = True
    taken: list[int] = []
    while len(taken) < phases:
        host.tell(TakeLease(LONG_LEASE_MS), *(Set(each, 1000) for each in range(len(MOTORS))))
        host.until(lambda: all(host.levels[pin] is Level.HIGH for pin in MOTORS))
        pressed = host.cycle + random.randrange(1000 * CYCLES_PER_US)
        host.drive(EMERGENCY_PIN, Level.HIGH, pressed)
        host.drive(EMERGENCY_PIN, Level.LOW, pressed + 100 * CYCLES_PER_US)
        host.changes.clear()
        host.until(lambda: len(host.events) > 0)
        host.events.clear()
        taken.append(_all_low(host, MOTORS) - pressed)
        host.run(200 * CYCLES_PER_US)
        host.ask(Clear())
    return taken


def step_errors(axes: int) -> list[float]:
    """Microseconds by which each step at full speed was late, the whole move's start being free."""
    moved = AXIS_PINS[:axes]
    host = Host(*(home for _, _, home in moved))
    records = [
        record
        for index, (step, direction, home) in enumerate(moved)
        for record in (
            axis(2 * index, step, direction, home=2 * index + 1),
            sensor(2 * index + 1, home),
        )
    ]
    host.begin(records, LONG_LEASE_MS)
    for index in range(axes):
        host.ask(Home(2 * index))
        _await_end(host)
    host.fill = True
    host.changes.clear()
    targets = [
        field
        for index in range(3)
        for field in ((2 * index, WAY * STEP_NM // 1000) if index < axes else (NONE, 0))
    ]
    host.tell(Move._make([*targets, 1000]))
    _await_end(host)
    return [error for step, _, _ in moved for error in _errors_at_full_speed(host, step)]


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
    rises = [change.cycle for change in host.changes if change[1:] == (pin, Level.HIGH)]
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
    """Cycles by which outputs outlive a lease that nobody renews, at most.

    The lease is counted from the moment at which its command has come in whole, with no other
    before it; then the link is full again.
    """
    host = Host()
    host.begin([motor(index, pin) for index, pin in enumerate(MOTORS)], LONG_LEASE_MS)
    host.fill = True
    over: list[int] = []
    for _ in range(times):
        host.ask(TakeLease(0))
        host.ask(TakeLease(LONG_LEASE_MS), *(Set(each, 1000) for each in range(len(MOTORS))))
        host.changes.clear()
        host.drain()
        host.tell(TakeLease(SHORT_LEASE_MS))
        lost = host.line_free_at + SHORT_LEASE_MS * 1000 * CYCLES_PER_US
        host.fill = True
        host.until(lambda: len(host.events) > 0)
        host.events.clear()
        over.append(_all_low(host, MOTORS) - lost)
    return over


def motor(index: int, pin: int) -> Configure:
    """A motor that runs one way."""
    return _record(index, Kind.MOTOR, pin)


def sensor(index: int, pin: int) -> Configure:
    """A sensor that is active when low, and believed at once."""
    return _record(index, Kind.SENSOR, pin)._replace(active_high=0)


def axis(index: int, step: int, direction: int, home: int) -> Configure:
    """An axis of 8 kHz whose home switch is a sensor's channel."""
    return _record(index, Kind.AXIS, step)._replace(
        second_pin=direction,
        reverse_stop=home,
        low_um=0,
        high_um=WAY * STEP_NM // 1000,
        speed_um_s=int(SPEED) * STEP_NM // 1000,
        acceleration_um_s2=int(ACCELERATION) * STEP_NM // 1000,
        step_nm=STEP_NM,
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
            raise RuntimeError(f"A motion should have ended by itself, and the board says {event}.")


def _all_low(host: Host, pins: Sequence[int]) -> int:
    """The cycle at which the last of these pins fell."""
    fallen = {change.pin: change.cycle for change in host.changes if change.level is not Level.HIGH}
    return max(fallen[pin] for pin in pins)


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
