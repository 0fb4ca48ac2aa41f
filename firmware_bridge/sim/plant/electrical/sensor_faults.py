"""Sensor faults: passes every sensor's changes to its board, altered by injected faults.

A change is not altered unless an injected fault occurs at its sensor.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from config.schema import SensorChannel, Table
from firmware_bridge.sim.faults.injection import InjectedFaults
from firmware_bridge.sim.plant.below_lid.magazine import FALL_PULSE, WITHDRAWN_PULSE
from firmware_bridge.sim.plant.below_lid.pusher import VANE_PULSE
from firmware_bridge.sim.plant.below_lid.ring import RING_PULSE

WORSE = 1 / 3
"""Growth of the lost part of a pulse each time, as a share of the first loss (our value)."""
TYPICAL = 0.2
"""Seconds of a pulse of a sensor without a typical pulse (our value)."""
BOUNCES = 3
"""The time between two bounces, in debounce times: long enough for each bounce to count."""


class SensorFaults:
    """The faults of all sensors. `emit` reports a sensor's level to its board."""

    def __init__(
        self,
        table: Table,
        loop: asyncio.AbstractEventLoop,
        injected_faults: InjectedFaults,
        emit: Callable[[str, bool], None],
    ) -> None:
        self._loop = loop
        self._injected_faults = injected_faults
        self._emit = emit
        self._pulses = _pulses(table)
        self._debounce = _debounce(table)
        self._actual: dict[str, bool] = {}
        """The level of each sensor without its fault."""
        self._stuck: set[str] = set()
        self._dirt: dict[str, int] = {}
        """How many pulses of each sensor dirt has shortened."""
        self._pending: dict[str, list[asyncio.TimerHandle]] = {}

    def sense(self, channel: str, active: bool) -> None:
        """Process the level that a sensor would have without its fault."""
        before = self._actual.get(channel)
        self._actual[channel] = active
        if before is active:
            return
        if before is None or channel not in self._debounce:
            self._emit(channel, active)
            return
        for timer in self._pending.pop(channel, ()):
            timer.cancel()
        if channel in self._stuck or self._is_stuck(channel, active):
            return
        if active and (lost := self._lost_share(channel)):
            if lost < 1.0:
                self._later(channel, lost * self._pulses.get(channel, TYPICAL), True)
            return
        self._emit(channel, active)
        if self._injected_faults.on_occasion("bouncing_sensor", channel):
            self._activate("bouncing_sensor", channel)
            gap = BOUNCES * self._debounce[channel]
            self._later(channel, gap, not active)
            self._later(channel, 2 * gap, active)

    def _is_stuck(self, channel: str, active: bool) -> bool:
        kinds = ("stuck_sensor", "limit_switch") if active else ("stuck_sensor",)
        for kind in kinds:
            if self._injected_faults.on_occasion(kind, channel):
                self._stuck.add(channel)
                self._activate(kind, channel)
                return True
        return False

    def _lost_share(self, channel: str) -> float:
        """The share of this pulse that dirt hides, which grows with each pulse."""
        hit = self._injected_faults.on_occasion("dirty_sensor", channel)
        if hit is None:
            return 0.0
        self._activate("dirty_sensor", channel)
        times = self._dirt[channel] = self._dirt.get(channel, 0) + 1
        return hit.amount * (1 + WORSE * (times - 1))

    def _activate(self, kind: str, channel: str) -> None:
        self._injected_faults.deactivate(kind, channel)
        self._injected_faults.activate(kind, channel, lambda: self._repair(channel))

    def _repair(self, channel: str) -> None:
        """Remove the sensor's fault."""
        self._stuck.discard(channel)
        self._dirt.pop(channel, None)
        for timer in self._pending.pop(channel, ()):
            timer.cancel()
        self._emit(channel, self._actual[channel])

    def _later(self, channel: str, seconds: float, active: bool) -> None:
        timer = self._loop.call_later(seconds, self._emit, channel, active)
        self._pending.setdefault(channel, []).append(timer)


def _pulses(table: Table) -> Mapping[str, float]:
    """The typical pulses of counters, vanes, the chain's corner sensor and the magazine, s."""
    heads = table.modules.heads
    pulses: dict[str, float] = {}
    for head in heads.ports if heads else ():
        assert heads is not None
        pulses[head.counter] = table.tiles.shortest_mm / 1000 / heads.belt_speed
        if head.vane:
            pulses[head.vane] = VANE_PULSE
    if table.modules.chain:
        pulses[table.modules.chain.corner] = RING_PULSE
    if magazine := table.modules.magazine:
        pulses[magazine.vane] = RING_PULSE
        pulses[magazine.withdrawn] = WITHDRAWN_PULSE
        pulses[magazine.passed] = FALL_PULSE
    return pulses


def _debounce(table: Table) -> Mapping[str, float]:
    """The debounce time of every sensor except the safety inputs, seconds."""
    safety = {*table.modules.emergency, *table.modules.curtain}
    return {
        name: max(1.0, channel.debounce_ms) / 1000
        for board in table.boards.values()
        for name, channel in board.channels.items()
        if isinstance(channel, SensorChannel) and name not in safety
    }
