"""Steps of the firmware's axes while inputs change all the time, in cycles of simulated processors.

Three axes make moves of 8,000 steps a second each. Inputs on every port change at random moments,
thousands of times a second each, which no intact sensor does; the link is full of commands. A step
that is much later than its neighbours makes a real motor lose its position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from random import Random
from typing import NamedTuple

from benchmarks import Row
from benchmarks.firmware_host import Host
from benchmarks.firmware_reflex import (
    ACCELERATION,
    AXIS_PINS,
    LONG_LEASE_MS,
    SPEED,
    STEP_NM,
    axes_at,
    begin_moves,
    motor,
    sensor,
)
from firmware_bridge.sim.processors.processor import CYCLES_PER_US, PinLevel
from firmware_bridge.sim.processors.rp2040 import Rp2040
from firmware_bridge.wire.codec import configuration_crc
from firmware_bridge.wire.messages import Commit, Configure, Faulted, MotionEnded, TakeLease, Watch

LATEST_US = 100.0
"""The most by which the time between two steps is longer than without chatter. At 300 a board
latches LATE_STEP."""
SOONEST = 0.85
"""The least time between two steps, as a share of the time at full speed."""
WAY = 2000
CHATTERING = (
    *(22, 29, 30, 34, 37, 38, 39, 41, 42, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62),
    *(63, 64, 65, 66, 67, 68, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17),
)
"""Inputs on every port of the Mega, without those of the axes."""
MOST_SENSORS = 45
"""Of a board with three home switches besides them."""


class Chatter(NamedTuple):
    """How the inputs change: their number, debounce time, and microseconds between changes."""

    inputs: int
    debounce_ms: int
    least_us: int
    most_us: int


WORST = Chatter(41, 5, 20, 25)
"""The chatter beside which axes had late steps most often, before each tick called less of C."""
CASES = (
    WORST,
    Chatter(41, 1, 20, 100),
    Chatter(41, 0, 20, 100),
    Chatter(41, 1, 500, 2000),
    Chatter(41, 5, 500, 2000),
    Chatter(41, 0, 20, 25),
    Chatter(20, 0, 20, 40),
    Chatter(1, 0, 20, 21),
)


PICO_CHATTERING = (*range(2, 13), 22)
PICO_CASES = (
    Chatter(12, 1, 20, 100),
    Chatter(12, 0, 20, 25),
    Chatter(12, 5, 20, 25),
    Chatter(12, 5, 500, 2000),
)


class LateStepError(RuntimeError):
    """The board has latched a fault: by its own measurement, a step was late."""


class Steps(NamedTuple):
    """The steps of an axis: how many, the longest pause against a quiet move, the shortest time."""

    count: int
    pause_us: float
    least_gap_us: float


def main() -> Iterator[Row]:
    """Measure the latest step of three axes beside each kind of chatter."""
    for case in CASES:
        steps = steps_beside(case, seed=1)
        late = max(axis.pause_us for axis in steps)
        soon = min(axis.least_gap_us for axis in steps)
        complete = all(axis.count == WAY for axis in steps)
        yield Row(
            f"longest pause of three axes at 8 kHz beside {case.inputs} input(s) that change every"
            f" {case.least_us} to {case.most_us} us, debounce {case.debounce_ms} ms, link full",
            f"{late:.0f} us longer, {soon:.0f} us apart",
            f"{LATEST_US:.0f} us, {SOONEST * 1e6 / SPEED:.0f} us",
            complete and late <= LATEST_US and soon >= SOONEST * 1e6 / SPEED,
        )


def steps_beside(
    case: Chatter,
    seed: int,
    pins: Sequence[int] = CHATTERING,
    processor: Callable[[], Rp2040] | None = None,
    axis_pins: tuple[tuple[int, int, int], ...] = AXIS_PINS,
) -> list[Steps]:
    """Return the steps of three axes that move together while inputs chatter.

    Each time between two steps is compared with the same one of a move without chatter. Raises
    LateStepError if the board latches a fault, and RuntimeError if it is reset, or does not end the
    motion by itself.
    """
    quiet = _quiet_rises(processor, axis_pins)
    beside = _rises(case, seed, pins[: case.inputs], processor, axis_pins)
    return [_compared(*axis) for axis in zip(beside, quiet, strict=True)]


@cache
def _quiet_rises(
    processor: Callable[[], Rp2040] | None, axis_pins: tuple[tuple[int, int, int], ...]
) -> list[list[int]]:
    return _rises(Chatter(0, 0, 0, 0), 0, (), processor, axis_pins)


def _rises(
    case: Chatter,
    seed: int,
    pins: Sequence[int],
    processor: Callable[[], Rp2040] | None,
    axis_pins: tuple[tuple[int, int, int], ...],
) -> list[list[int]]:
    """Return the cycles at which each axis's step pin rises."""
    host = Host(*(home for _, _, home in axis_pins), processor=processor() if processor else None)
    with host:
        records = axes_at(0, axis_pins, WAY, STEP_NM)
        first = len(records)
        records += [
            sensor(first + at, pin)._replace(debounce_ms=case.debounce_ms)
            for at, pin in enumerate(pins)
        ]
        host.processor.drive((0, pin, PinLevel.HIGH) for pin in pins)
        host.begin(records, LONG_LEASE_MS)
        host.ask(*(Watch(first + at, 1) for at in range(len(pins))))
        begin_moves(host, 0, len(axis_pins), WAY * STEP_NM // 1000)
        host.ask(TakeLease(LONG_LEASE_MS))  # with its reply, the board has accepted the move
        seconds = WAY / SPEED + SPEED / ACCELERATION
        host.processor.drive(chatter(case, pins, host.cycle, seconds, seed))
        host.run(round((seconds + 0.05) * 1e6) * CYCLES_PER_US)
        host.until(lambda: any(isinstance(event, MotionEnded) for event in host.events))
        if faults := [event for event in host.events if isinstance(event, Faulted)]:
            raise LateStepError(f"The board latches a fault: {faults[0]}.")
        return [
            [change.cycle for change in host.changes if change[1:] == (step, PinLevel.HIGH)]
            for step, _, _ in axis_pins
        ]


def commit_beside(case: Chatter, seed: int, pins: Sequence[int] = CHATTERING) -> float:
    """Change the debounce time of a table of the most sensors, twice, while its inputs chatter.

    Returns the milliseconds of the longest commit. Raises RuntimeError if the board is reset.
    """
    pins = pins[: case.inputs]

    def table(debounce_ms: int) -> list[Configure]:
        records = axes_at(0, AXIS_PINS, WAY, STEP_NM)
        records += [motor(len(records) + at, pin) for at, pin in enumerate((4, 35, 40, 43))]
        first = len(records)
        return records + [
            sensor(first + at, pin)._replace(debounce_ms=debounce_ms) for at, pin in enumerate(pins)
        ]

    with Host(*(home for _, _, home in AXIS_PINS)) as host:
        host.processor.drive((0, pin, PinLevel.HIGH) for pin in pins)
        host.begin(table(case.debounce_ms), LONG_LEASE_MS)
        host.processor.drive(chatter(case, pins, host.cycle, 1.3, seed))
        longest = 0
        for debounce_ms in (case.debounce_ms + 1, case.debounce_ms):
            records = table(debounce_ms)
            for (
                record
            ) in records:  # a busy board loses some of several, and this host does not resend
                host.ask(record)
            began = host.cycle
            host.ask(Commit(len(records), configuration_crc(records)))
            longest = max(longest, host.cycle - began)
        return longest / CYCLES_PER_US / 1000


def chatter(
    case: Chatter, pins: Sequence[int], begin: int, seconds: float, seed: int
) -> list[tuple[int, int, PinLevel]]:
    """Return changes of inputs that are high at first: cycle, pin and level, in order of time."""
    random = Random(seed)
    end = begin + round(seconds * 1e6) * CYCLES_PER_US
    changes = []
    for pin in pins:
        at, level = begin, PinLevel.HIGH
        while at < end:
            at += random.randrange(case.least_us * CYCLES_PER_US, case.most_us * CYCLES_PER_US)
            level = PinLevel.LOW if level is PinLevel.HIGH else PinLevel.HIGH
            changes.append((at, pin, level))
    return sorted(changes)


def _compared(rises: list[int], quiet: list[int]) -> Steps:
    """The steps against those of the quiet move."""
    gaps, quiet_gaps = ([b - a for a, b in pairwise(each)] for each in (rises, quiet))
    longer = max(gap - other for gap, other in zip(gaps, quiet_gaps, strict=False))
    return Steps(len(rises), longer / CYCLES_PER_US, min(gaps) / CYCLES_PER_US)


if __name__ == "__main__":
    for row in main():
        print(row.claim, row.goal, row.measured, sep=" | ")
