"""Limits of the motors' current: a low pass over eight milliseconds, and an inrush time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firmware_bridge.wire.codes import Flag, Kind
from firmware_bridge.wire.messages import NONE, Configure, Drive, Message, Pulse, Set

SAMPLE = 0.001
"""Seconds from one measurement to the next."""
SAMPLES = 8
"""The low pass moves by one part of this many in each sample."""
INRUSHES = 4
"""The time above the limit of starts in quick succession, in inrush times."""


def limits_current(record: Configure) -> bool:
    """Whether a record is an analogue input that limits the current of motors."""
    return record.kind == Kind.ANALOG and bool(record.flags & Flag.CURRENT)


@dataclass
class CurrentMeter:
    """The state of one input, as in the firmware: integers, and times counted in samples."""

    record: Configure
    mean: int = 0
    """In eighths of a millivolt."""
    over: int = 0
    """Samples for which the mean has been above the limit."""
    used: int = 0
    """Samples above the limit for which there was no sample below it, or at rest, since."""
    used_at: float = 0.0
    """The loop's time to which `used` belongs."""
    started: float = 0.0
    """The loop's time at the last start of the motor."""

    def filtered(self, millivolts: int) -> int:
        """The mean after one more sample."""
        return self.mean + millivolts - self.mean // SAMPLES

    def is_exceeded(self, millivolts: int, now: float) -> bool:
        """Take a sample while the motor runs; return whether the limit is exceeded."""
        self.mean = self.filtered(millivolts)
        if self.mean // SAMPLES <= self.record.high_mv:
            self.over = 0
            self._recover(now)
            return False
        self._recover(now - SAMPLE)
        self.over += 1
        self.used, self.used_at = self.used + 1, now
        inrush = self.record.dead_ms
        started = round((now - self.started) / SAMPLE)
        return started > inrush or self.over > inrush or self.used > INRUSHES * inrush

    def _recover(self, now: float) -> None:
        below = max(0, round((now - self.used_at) / SAMPLE))
        self.used, self.used_at = max(0, self.used - below), now


class MotorCurrents:
    """Measures the currents of a board's motors while one of them runs, and reports an excess.

    `runs`: whether a motor runs; `millivolts`: the level of an analogue channel, by its number.
    `exceeded` is called with the number of the motor, `measured` with the number and the current in
    mA of each motor; `most_mv` is the highest value that an analogue input measures. The current of
    all motors is only sampled while it changes or exceeds its limit.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        runs: Callable[[int], bool],
        millivolts: Callable[[int], int],
        exceeded: Callable[[int], None],
        measured: Callable[[int, int], None],
        most_mv: int,
    ) -> None:
        self._loop = loop
        self._runs, self._millivolts = runs, millivolts
        self._exceeded, self._measured = exceeded, measured
        self._most_mv = most_mv
        self._meters: list[CurrentMeter] = []
        self._motors: list[int] = []
        self._draws: dict[int, int] = {}
        self._last_started = NONE
        self._next: asyncio.TimerHandle | None = None

    def configure(self, records: Sequence[Configure]) -> None:
        """Take the limits and the motors of a channel table."""
        self._meters = [CurrentMeter(record) for record in records if limits_current(record)]
        self._motors = [record.index for record in records if record.kind == Kind.MOTOR]
        self._draws.clear()

    def ordered(self, order: Message, starts: bool) -> None:
        """Note an order that was accepted: a motor that `starts` has its inrush time."""
        if not isinstance(order, Set | Pulse | Drive) or not order.value:
            return
        if order.channel in self._motors and starts:
            self._last_started = order.channel
            for meter in self._meters:
                if meter.record.second_pin in (order.channel, NONE):
                    meter.started = self._loop.time()
        if order.channel in self._motors:
            self._sample_later()

    def draw(self, motor: int, milliamps: int) -> None:
        """Process the current of a motor from now on."""
        for meter in self._totals():
            if self._next is None:
                meter.mean = SAMPLES * self._total_mv(meter.record)
        self._draws[motor] = milliamps
        self._sample_later()

    def milliamps(self, motor: int) -> int:
        """The last measured current of a motor, or of all if it has no input of its own."""
        own = [meter for meter in self._meters if meter.record.second_pin == motor]
        for meter in own or self._totals():
            return meter.mean // SAMPLES * meter.record.low_mv // 1000
        return 0

    # Helpers

    def _totals(self) -> list[CurrentMeter]:
        return [meter for meter in self._meters if meter.record.second_pin == NONE]

    def _total_mv(self, record: Configure) -> int:
        return min(sum(self._draws.values()) * 1000 // record.low_mv, self._most_mv)

    def _sample_later(self) -> None:
        if self._next is None and any(map(self._is_sampled, self._meters)):
            self._next = self._loop.call_later(SAMPLE, self._sample)

    def _is_sampled(self, meter: CurrentMeter) -> bool:
        motor = meter.record.second_pin
        if motor != NONE:
            return self._runs(motor)
        level = self._total_mv(meter.record)
        changes = level != meter.mean // SAMPLES
        return changes or (level > meter.record.high_mv and any(map(self._runs, self._motors)))

    def _sample(self) -> None:
        self._next = None
        for meter in self._meters:
            record = meter.record
            motor = record.second_pin
            running = any(map(self._runs, self._motors)) if motor == NONE else self._runs(motor)
            if not running:
                meter.mean = meter.filtered(self._total_mv(record)) if motor == NONE else 0
                meter.over = 0
                continue
            level = self._total_mv(record) if motor == NONE else self._millivolts(record.index)
            if meter.is_exceeded(level, self._loop.time()):
                self._exceeded(self._last_started if motor == NONE else motor)
        for motor in self._motors:
            self._measured(motor, self.milliamps(motor))
        self._sample_later()
