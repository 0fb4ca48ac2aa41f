"""Breaks the light curtain, and presses the emergency stop, at every cycle of every order.

Each part of the table is guarded. While an order, a Commit, a new lease or a start is executed,
the input changes at one moment and stays so; the next trial takes the next moment. Afterwards every
part must be at rest: outputs `DUE_US` after the change at the latest, axes after their ramp.

On the Mega the moments are the instructions of the program, each of one or more cycles: simavr
applies inputs between two instructions. A copy of the process (fork) continues from each moment, so
only the time after it is simulated again. On the Pico, whose emulator is a process of its own, the
whole order is repeated for each microsecond, while another host floods its USB port.

    python -m benchmarks.safety_sweep [NAME ...] [--chip mega|pico] [--input curtain|stop]
        [--every N] [--full] [--jobs N]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

from benchmarks import Row
from benchmarks.emergency_phases import (
    LEASE_MS,
    MOTOR,
    OUTPUT,
    STEP_PIN,
    TAG_US,
    PhaseKind,
)
from benchmarks.firmware_host import Host
from benchmarks.safety_trials import (
    AFTER_US,
    BEFORE_STEP_US,
    BEFORE_US,
    BENCHES,
    BRAKED_US,
    DUE_US,
    INPUTS,
    MOVES_ON,
    NAMES,
    RESET,
    RESTART,
    WATCHED_US,
    Bench,
    activation,
    begin,
    cycles_until_safe,
    kind_of,
    prepare,
    send,
)
from firmware_bridge.sim.processors.processor import (
    CYCLES_PER_US,
    FIRMWARE,
    PinLevel,
)
from firmware_bridge.wire.messages import (
    Clear,
    Set,
    TakeLease,
)


class Sweep(NamedTuple):
    """The result of one sweep; times are microseconds after the command's last byte."""

    name: str
    input: str
    trials: int
    first_us: float
    last_us: float
    failures: tuple[float, ...]
    """The moments after which a part moved on."""
    slowest_us: float
    """The longest time from the change of the input until the last output was safe."""


# The Mega: a copy of the process for each moment


def _in_copy(task: Callable[[], int]) -> int:
    """Run a task in a copy of this process; return its result, a number of 64 bits."""
    ours, theirs = os.pipe()
    copy = os.fork()
    if copy == 0:
        code = 1
        try:
            os.write(theirs, task().to_bytes(8, "little", signed=True))
            code = 0
        finally:
            if code:
                traceback.print_exc()
            os._exit(code)
    os.close(theirs)
    answer = os.read(ours, 8)
    os.close(ours)
    os.waitpid(copy, 0)
    if len(answer) != 8:
        raise RuntimeError("A trial has failed; see the error output above.")
    return int.from_bytes(answer, "little", signed=True)


def _first_active(host: Host, pin: int, at: int, end: int) -> int:
    """Execute the order undisturbed, in a copy; return when its pin becomes active, or 0."""

    def task() -> int:
        host.processor.take()
        host.processor.run(end)
        return activation(BENCHES["mega"], pin, host.processor.take().pins, at)

    return _in_copy(task)


def sweep_mega(name: str, input_name: str, every: int = 1, full: bool = False) -> Sweep:
    """Change the input at each `every`th instruction of an order: its critical time, or all."""
    if name == RESET:
        return _sweep_start(input_name, every)
    bench = BENCHES["mega"]
    kind = kind_of(name, bench, 0)
    with begin(bench) as host:
        prepare(host, bench, kind)
        at = send(host, bench, kind.commands, kind.release)
        last = at + (kind.last_us + TAG_US * len(kind.commands)) * CYCLES_PER_US
        first = max(host.cycle, at + kind.first_us * CYCLES_PER_US)
        active = _first_active(host, kind.pin, at, last) if kind.commands or kind.release else 0
        if not full and name != "commit":
            before = (BEFORE_STEP_US if kind.pin == STEP_PIN else BEFORE_US) * CYCLES_PER_US
            middle = active or first + before
            first = max(first, middle - before)
            last = middle + AFTER_US * CYCLES_PER_US
        end = max(last, active) + WATCHED_US * CYCLES_PER_US
        times = (at, first, last, end)
        swept = _trials(host, bench, input_name, times, every, kind.pin == STEP_PIN)
        return Sweep(name, input_name, *swept)


def _trials(
    host: Host,
    bench: Bench,
    input_name: str,
    times: tuple[int, int, int, int],
    every: int,
    axis_moves: bool,
) -> tuple[int, float, float, tuple[float, ...], float]:
    at, first, last, end = times
    processor = host.processor
    failures: list[float] = []
    trials = slowest = 0
    processor.run(first)
    while processor.cycle < last:
        for change in processor.take().pins:
            host.levels[change.pin] = change.level
        broken = processor.cycle

        def trial(broken: int = broken) -> int:
            due = broken + DUE_US[input_name] * CYCLES_PER_US
            processor.drive([(broken, INPUTS[input_name], PinLevel.HIGH)])
            until = max(end, due + CYCLES_PER_US)
            if axis_moves:
                until = max(until, broken + (BRAKED_US + WATCHED_US) * CYCLES_PER_US)
            processor.run(until)
            changes = processor.take().pins
            return cycles_until_safe(bench, host.levels, changes, broken, due)

        trials += 1
        cycles = _in_copy(trial)
        slowest = max(slowest, cycles)
        if cycles == MOVES_ON:
            failures.append((broken - at) / CYCLES_PER_US)
        for _ in range(every):
            processor.run(processor.cycle + 1)
    between = (first - at) / CYCLES_PER_US, (last - at) / CYCLES_PER_US
    return trials, *between, tuple(failures), slowest / CYCLES_PER_US


def _sweep_start(input_name: str, every: int) -> Sweep:
    """Change the input at each `every`th microsecond after a reset, up to the first order's end."""
    bench = BENCHES["mega"]
    failures: list[float] = []
    trials = 0
    with begin(bench) as host:
        host.ask(Set(OUTPUT, 1))
        host.reset()
        at = host.cycle

        def trial(broken: int) -> int:
            host.drive(INPUTS[input_name], PinLevel.HIGH, broken)
            host.run(at + RESTART - host.cycle)
            host.begin(bench.records(), LEASE_MS)
            host.changes.clear()
            host.ask(Set(OUTPUT, 1), Set(MOTOR, 1000))
            due = max(broken + DUE_US[input_name] * CYCLES_PER_US, host.cycle)
            host.run(2 * DUE_US["curtain"] * CYCLES_PER_US)
            return cycles_until_safe(bench, {}, host.changes, broken, due)

        while host.cycle < at + RESTART:
            trials += 1
            if _in_copy(partial(trial, host.cycle)) == MOVES_ON:
                failures.append((host.cycle - at) / CYCLES_PER_US)
            host.run(every * CYCLES_PER_US)
    return Sweep(RESET, input_name, trials, 0, RESTART / CYCLES_PER_US, tuple(failures), 0)


# The Pico: the whole order again for each moment


def sweep_pico(name: str, input_name: str, every: int = 1, full: bool = False) -> Sweep:
    """Change the input at each `every`th microsecond while an order is executed."""
    bench = BENCHES["pico"]
    failures: list[float] = []
    first_us, trials, slowest = -20.0, 0, 0
    with begin(bench) as host:
        moment, last_us = first_us, 0.0
        while not trials or moment <= last_us:
            kind = kind_of(name, bench, trials)
            last_us = kind.last_us if full else last_us
            prepare(host, bench, kind)
            host.changes.clear()
            at = send(host, bench, kind.commands, kind.release)
            if not trials and not full:
                last_us = _active_us(host, bench, kind, at) + AFTER_US
            else:
                broken = max(host.cycle, at + round(moment * CYCLES_PER_US))
                moment += every
                cycles = _breaks(host, bench, input_name, broken)
                slowest = max(slowest, cycles)
                if cycles == MOVES_ON:
                    failures.append((broken - at) / CYCLES_PER_US)
            trials += 1
    slowest_us = slowest / CYCLES_PER_US
    return Sweep(name, input_name, trials, first_us, last_us, tuple(failures), slowest_us)


def _active_us(host: Host, bench: Bench, kind: PhaseKind, at: int) -> float:
    """Execute the order undisturbed; return when its pin changes, or the end of a short time."""
    host.run((kind.last_us + BRAKED_US) * CYCLES_PER_US)
    first = activation(bench, kind.pin, host.changes, at)
    _recover(host)
    return min((first - at) / CYCLES_PER_US, float(kind.last_us)) if first else float(BEFORE_US)


def _breaks(host: Host, bench: Bench, input_name: str, broken: int) -> int:
    before = dict(host.levels)
    host.drive(INPUTS[input_name], PinLevel.HIGH, broken)
    host.run(broken - host.cycle + (BRAKED_US + 2 * WATCHED_US) * CYCLES_PER_US)
    due = broken + DUE_US[input_name] * CYCLES_PER_US
    cycles = cycles_until_safe(bench, before, host.changes, broken, due)
    host.drive(INPUTS[input_name], PinLevel.LOW, host.cycle)
    _recover(host)
    return cycles


def _recover(host: Host) -> None:
    host.run(1000 * CYCLES_PER_US)
    host.ask(Clear())
    host.ask(TakeLease(0))
    host.run(BRAKED_US * CYCLES_PER_US)
    host.events.clear()
    host.refused.clear()


# Output

SWEEPS: Mapping[str, Callable[[str, str, int, bool], Sweep]] = {
    "mega": sweep_mega,
    "pico": sweep_pico,
}


def _row(chip: str, swept: Sweep) -> Row:
    failures = "".join(f"; after {each:.1f} us" for each in swept.failures[:5])
    return Row(
        f"{chip}: {swept.input} at {swept.trials:,} moments of {swept.name}"
        f" ({swept.first_us:.0f} to {swept.last_us:.0f} us): motions that go on",
        f"{len(swept.failures)}{failures}; all safe after {swept.slowest_us:.1f} us",
        "0",
        not swept.failures,
    )


def main() -> Iterator[Row]:
    """Build both programs and sweep the critical time of every order, with gaps."""
    command = ["make", "-s", "-C", str(FIRMWARE), "avr", "simavr", "rp2040", "rp2040js"]
    subprocess.run(command, check=True, timeout=300)  # noqa: S603 - nothing in it varies
    for input_name in INPUTS:
        for name in NAMES:
            every = 1000 if name == RESET else 16
            yield _row("mega", sweep_mega(name, input_name, every))
            if name != RESET:
                yield _row("pico", sweep_pico(name, input_name, 8))


def run(arguments: Sequence[str], show: Callable[[str], None] = print) -> int:
    """Sweep the named orders; return the exit code: 1 if a part moved on."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.safety_sweep")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(NAMES)}")
    parser.add_argument("--chip", choices=SWEEPS, default="mega")
    parser.add_argument("--input", choices=INPUTS, action="append")
    parser.add_argument("--every", type=int, default=1, help="instructions, or us on the Pico")
    parser.add_argument("--full", action="store_true", help="the whole time of each order")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    given = parser.parse_args(arguments)
    swept = [name for name in NAMES if name != RESET or given.chip == "mega"]
    if unknown := [name for name in given.names if name not in swept]:
        parser.error(f"NAME must be one of {', '.join(swept)}; got {unknown[0]}.")
    met = True
    with ProcessPoolExecutor(given.jobs) as pool:
        sweeps = [
            pool.submit(SWEEPS[given.chip], name, input_name, given.every, given.full)
            for input_name in given.input or INPUTS
            for name in given.names or swept
        ]
        for sweep in sweeps:
            claim, measured, _, reached = _row(given.chip, sweep.result())
            met = met and reached is True
            show(f"{'passed' if reached else 'FAILED'}  {claim}: {measured}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
