"""Electrics of the plant: the boards wired to it, their sensors, the motors' supply, home switches.

A sensor's change is not altered on the way to its board unless an injected fault occurs at the
sensor.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from config.schema import AxisChannel, MotorChannel, RelayModule, SensorChannel, Table
from firmware_bridge.sim.faults.injection import InjectedFaults
from firmware_bridge.sim.plant.below_lid.magazine import FALL_PULSE, WITHDRAWN_PULSE
from firmware_bridge.sim.plant.below_lid.pusher import VANE_PULSE
from firmware_bridge.sim.plant.below_lid.ring import RING_PULSE
from firmware_bridge.sim.plant.tiles import Holder, ImpossibleOrderError
from firmware_bridge.sim.plant.world import World

SHARE = 0.5
"""The time in which the contact closes or opens, as a share of the relay's maximum (our value)."""
_EXACT = 1e-6
"""Metres; positions closer together than this are the same."""
WORSE = 1 / 3
"""Growth of the lost part of a pulse each time, as a share of the first loss (our value)."""
TYPICAL = 0.2
"""Seconds of a pulse of a sensor without a typical pulse (our value)."""
BOUNCES = 3
"""The time between two bounces, in debounce times: long enough for each bounce to count."""


class BoardInputs(Protocol):
    """The interface of a board to the plant: a virtual board, or mock pins."""

    def sensor(self, channel: str, active: bool) -> None:
        """Called when an input takes this level."""

    def order_failed(self, channel: str, why: str) -> None:
        """Called when the mechanism of a channel cannot complete an earlier order."""

    def current(self, motor: str, milliamps: int) -> None:
        """Called when a motor begins to draw this current."""


class ConnectedBoards:
    """The boards of a table, by channel. Reports to a board that is not connected are dropped."""

    def __init__(
        self, table: Table, loop: asyncio.AbstractEventLoop, injected_faults: InjectedFaults
    ) -> None:
        self._table = table
        self._board_of: dict[str, BoardInputs] = {}
        self._drawn: dict[str, int] = {}
        self._sensor_faults = (
            SensorFaults(table, loop, injected_faults, self._report) if injected_faults else None
        )

    def connect(self, boards: Mapping[str, BoardInputs]) -> None:
        """Connect these boards to the plant, by name."""
        for name, board in boards.items():
            self._board_of.update(dict.fromkeys(self._table.boards[name].channels, board))

    def sense(self, channel: str, active: bool) -> None:
        """Report a sensor's change to its board at once, subject to injected faults."""
        if self._sensor_faults is None:
            self._report(channel, active)
        else:
            self._sensor_faults.sense(channel, active)

    def draw(self, motor: str, milliamps: int) -> None:
        """Report a motor's current to its board."""
        if motor in self._board_of:
            self._drawn[motor] = milliamps
            self._board_of[motor].current(motor, milliamps)

    def end_draw(self, motor: str) -> None:
        """Report that a motor's current is zero, if one was reported: its output has changed."""
        if self._drawn.get(motor):
            self.draw(motor, 0)

    def refuse(self, channel: str, why: str) -> None:
        """Report to a channel's board that its mechanism cannot complete an earlier order.

        Raises ImpossibleOrderError if no board is connected to the channel.
        """
        board = self._board_of.get(channel)
        if board is None:
            raise ImpossibleOrderError(why)
        board.order_failed(channel, why)

    def _report(self, channel: str, active: bool) -> None:
        board = self._board_of.get(channel)
        if board is not None:
            board.sensor(channel, active)


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


class Relay:
    """A relay. Its motors have no power while it is open; a `welded` contact stays closed."""

    holders: tuple[Holder, ...] = ()

    def __init__(self, world: World, module: RelayModule) -> None:
        self.channels = frozenset({module.coil})
        self.closed = False
        """Whether the motors have power."""
        self.dead = False
        """Whether the coil is burnt out."""
        self.welded = False
        self._world = world
        self._module = module
        self._coil = False
        self._moving: asyncio.TimerHandle | None = None

    def reset_sensors(self) -> None:
        """Report the contact's state to its sensor."""
        self._settle()

    def output(self, channel: str, value: int) -> None:
        self._coil = bool(value)
        if self._moving is not None:
            self._moving.cancel()
        self._moving = self._world.later(channel, SHARE * self._module.seconds, self._settle)

    def _settle(self) -> None:
        self.closed = self.welded or (self._coil and not self.dead)
        if self._module.contact is not None:
            self._world.sense(self._module.contact, self.closed)


class MotorSupply:
    """The supply of all motors and axes: a relay supplies those of its coil's board.

    `relays` are in the order of the table's relay modules. A motor without a relay always has
    power.
    """

    def __init__(self, table: Table, relays: Sequence[Relay]) -> None:
        self._relay_of = {
            name: relay
            for relay, module in zip(relays, table.modules.relay, strict=True)
            for name, channel in table.boards[table.board_of(module.coil)].channels.items()
            if isinstance(channel, MotorChannel | AxisChannel)
        }

    def check(self, channel: str) -> None:
        """Raise ImpossibleOrderError if the channel is a motor or axis without power."""
        relay = self._relay_of.get(channel)
        if relay is not None and not relay.closed:
            raise ImpossibleOrderError(f"{channel} cannot run: its relay is open.")


class HomeSwitches:
    """The home switches of all axes of a table; `sense` reports a switch's change."""

    def __init__(self, table: Table, sense: Callable[[str, bool], None]) -> None:
        self._sense = sense
        self._axes = {
            name: channel
            for board in table.boards.values()
            for name, channel in board.channels.items()
            if isinstance(channel, AxisChannel)
        }

    def reset_sensors(self) -> None:
        """Report the positions at power-on: 0.0 m, or the lower end of a rail above that."""
        for axis in self._axes.values():
            self._sense(axis.home_switch, axis.home == max(0.0, axis.low))

    def axis_begins(self, axis: str, start: float, target: float) -> None:
        """Process the start of a motion of an axis from one position to another, in metres."""
        if abs(target - start) > _EXACT:
            self._sense(self._axes[axis].home_switch, False)

    def axis_ends(self, axis: str, position: float) -> None:
        """Process the stop of an axis at this position, in metres."""
        if abs(position - self._axes[axis].home) <= _EXACT:
            self._sense(self._axes[axis].home_switch, True)
