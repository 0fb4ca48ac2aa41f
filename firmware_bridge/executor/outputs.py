"""Motors, outputs and strips of a virtual board, which react to sensors without delay.

An output has its safe value or the value `wanted`; its pins have `wanted` unless a switch or
back-pressure holds the motor back. A drive ends at its n-th edge, its level, its time limit, its
current limit or a switch, without delay.
"""

from __future__ import annotations

from collections.abc import Iterable

from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.executor.channels import (
    BOTH_WAYS,
    BoardOutput,
    BoardSensor,
    Core,
    ImpossibleOrderError,
    PortDevice,
    Running,
)
from firmware_bridge.wire.codes import Kind, UntilKind
from firmware_bridge.wire.messages import DiceRead, Drive

MOST_DICE = 5
"""Dice in one throw: as many faces as the event `DiceRead` carries."""


class Outputs:
    """All of a board's outputs, and their drives and pulses in progress."""

    def __init__(self, core: Core, outputs: Iterable[BoardOutput]) -> None:
        self._core = core
        self._outputs = tuple(outputs)
        for output in self._outputs:
            # The motor may have run until the reset before this configuration.
            self._bar(output, BOTH_WAYS)

    # Commands

    def set(self, output: BoardOutput, value: int) -> None:
        """Set an output to a value and restart its maximum on-time."""
        self._order(output, value)

    def pulse(self, output: BoardOutput, value: int, seconds: float, ticket: int) -> None:
        loop = self._core.loop
        running = Running(ticket, loop.time())
        running.timer = loop.call_later(seconds, self._end, output, running, Reason.DONE)
        output.running = running
        self._order(output, value)

    def drive(
        self, motor: BoardOutput, command: Drive, sensor: BoardSensor | None, ticket: int
    ) -> None:
        """Run until the end condition holds; ends at once if it holds already."""
        loop = self._core.loop
        running = Running(ticket, loop.time(), sensor, limit_ma=command.limit_ma)
        if command.until == UntilKind.EDGES:
            running.edges = command.count
        elif command.until == UntilKind.LEVEL:
            running.level = bool(command.count)
        motor.running = running
        if sensor is not None:
            sensor.awaited_by.append(motor)
            if running.level is sensor.active:
                self._end(motor, running, Reason.LEVEL)
                return
        running.timer = loop.call_later(
            command.limit_ms / 1000, self._end, motor, running, Reason.TIME
        )
        self._order(motor, command.value)

    def stop(self, output: BoardOutput, reason: Reason) -> None:
        """Set the safe value and end the drive or pulse."""
        if output.running is not None:
            self._end(output, output.running, reason)
        else:
            self._order(output, output.record.safe)

    def stop_motion(self, reason: Reason) -> None:
        """Stop motors and pulses; lamps and gates that were set stay on."""
        for output in self._outputs:
            if output.running is not None or output.record.kind == Kind.MOTOR:
                self.stop(output, reason)

    def end_running(self, reason: Reason) -> None:
        """End drives and pulses; outputs that were set stay on."""
        for output in self._outputs:
            if output.running is not None:
                self._end(output, output.running, reason)

    def forget_tickets(self) -> None:
        """Let present drives and pulses end without a report, because their session has ended."""
        for output in self._outputs:
            if output.running is not None:
                output.running.ticket = None

    def release(self, reason: Reason) -> None:
        """Set every output to its safe value, now."""
        for output in self._outputs:
            self.stop(output, reason)

    def off(self) -> None:
        """Set every output to 0, not its safe value: for a board without power or channel table."""
        for output in self._outputs:
            output.wanted = 0
            self._write(output, 0)
            self._cancel_limit(output)
            if output.barred_until is not None:
                output.barred_until.cancel()

    # Sensors and supply

    def sensed(self, sensor: BoardSensor) -> None:
        """Process a sensor's change: end drives that wait for it; stop, hold or release motors."""
        for motor in tuple(sensor.awaited_by):
            self._check_end(motor, sensor)
        if sensor.active:
            for motor in sensor.stops_forward:
                self._stop_at_switch(motor, motor.wanted > 0, motor.reverse_stop)
            for motor in sensor.stops_reverse:
                self._stop_at_switch(motor, motor.wanted < 0, motor.forward_stop)
        for motor in sensor.holds:
            self._write(motor, motor.record.safe if sensor.active else motor.wanted)

    def current(self, motor: BoardOutput, milliamps: int) -> None:
        """Process a motor's current; a drive with a lower limit ends."""
        running = motor.running
        if running is not None and 0 < running.limit_ma < milliamps:
            self._end(motor, running, Reason.CURRENT)

    # Helpers

    def _check_end(self, motor: BoardOutput, sensor: BoardSensor) -> None:
        running = motor.running
        if running is None:
            return
        if running.level is not None:
            if sensor.active is running.level:
                self._end(motor, running, Reason.LEVEL)
        elif sensor.active:
            running.counted += 1
            if running.counted == running.edges:
                self._end(motor, running, Reason.EDGES)

    def _stop_at_switch(
        self, motor: BoardOutput, stops: bool, opposite: BoardSensor | None
    ) -> None:
        if stops:
            self.stop(motor, Reason.SWITCH)
        if opposite is not None and opposite.active:
            self._core.latch(FaultCode.BOTH_SWITCHES, motor.number)

    def _order(self, output: BoardOutput, value: int) -> None:
        """Apply a value from the host, unless a switch refuses it or back-pressure holds it."""
        switch = output.forward_stop if value > 0 else output.reverse_stop if value < 0 else None
        if switch is not None and switch.active:
            output.wanted = output.record.safe
            if output.running is not None:
                self._end(output, output.running, Reason.SWITCH)
            else:
                self._write(output, output.wanted)
            return
        output.wanted = value
        self._cancel_limit(output)
        held = output.hold is not None and output.hold.active
        self._write(output, output.record.safe if held else value)
        self._start_limit(output)

    def _bar(self, motor: BoardOutput, way: int) -> None:
        """Bar this direction (1, -1 or `BOTH_WAYS`) of a motor for its dead time from now."""
        dead = motor.record.dead_ms / 1000
        if not dead:
            return
        if motor.barred_until is not None:
            motor.barred_until.cancel()
        motor.barred = way
        motor.barred_until = self._core.loop.call_later(dead, self._end_dead_time, motor)

    def _end_dead_time(self, motor: BoardOutput) -> None:
        motor.barred, motor.barred_until = 0, None
        held = motor.hold is not None and motor.hold.active
        self._write(motor, motor.record.safe if held else motor.wanted)

    def _write(self, output: BoardOutput, value: int) -> None:
        before = output.value
        if before and value * before <= 0:
            self._bar(output, -1 if before > 0 else 1)
        if value and output.is_barred:
            value = 0
        if value == output.value:
            return
        output.value = value
        if value == output.record.safe:
            self._cancel_limit(output)
        try:
            self._core.wiring.output(output.name, value)
        except ImpossibleOrderError as refusal:
            self._core.impossible(output.number, str(refusal))
        self._start_limit(output)

    def _start_limit(self, output: BoardOutput) -> None:
        """Start the timer of the maximum on-time if the pins differ from the safe value."""
        longest = output.record.max_on_ms
        if longest and output.on_until is None and output.value != output.record.safe:
            output.on_until = self._core.loop.call_later(longest / 1000, self._exceed_limit, output)

    def _cancel_limit(self, output: BoardOutput) -> None:
        if output.on_until is not None:
            output.on_until.cancel()
            output.on_until = None

    def _exceed_limit(self, output: BoardOutput) -> None:
        # An order may last exactly as long as the maximum on-time. Its own timer was set before
        # this one, so it fires first, ends the order, and cancels this one.
        output.on_until = None
        self._core.latch(FaultCode.MAXIMUM_ON_TIME, output.number)

    def _end(self, output: BoardOutput, running: Running, reason: Reason) -> None:
        if output.running is not running:
            return
        output.running = None
        if running.timer is not None:
            running.timer.cancel()
        if running.sensor is not None:
            running.sensor.awaited_by.remove(output)
        self._order(output, output.record.safe)
        self._core.ended(running.ticket, output.number, reason, running.counted, running.began)


class DiceUnits:
    """Shakes dice units, one throw of a unit at a time. The caller has checked the orders."""

    def __init__(self, core: Core, devices: Iterable[PortDevice]) -> None:
        self._core = core
        self._units = tuple(unit for unit in devices if unit.record.kind == Kind.DICE)

    def throw(self, unit: PortDevice, dice: int, ticket: int) -> None:
        """Begin to shake; the unit reads `dice` dice once they are at rest."""
        loop = self._core.loop
        self._core.memory.begun(unit.number, ticket, None)
        unit.shaking = Running(ticket, loop.time())
        unit.shaking.timer = loop.call_later(
            unit.record.max_on_ms / 1000, self._at_rest, unit, dice
        )
        self._shake(unit, 1)

    def stop(self, unit: PortDevice, reason: Reason) -> None:
        """Stop shaking and report the end of the throw; without a throw, do nothing."""
        running, unit.shaking = unit.shaking, None
        if running is None or running.timer is None:
            return
        running.timer.cancel()
        self._shake(unit, 0)
        self._core.ended(running.ticket, unit.number, reason, 0, running.began)

    def stop_all(self, reason: Reason) -> None:
        """Stop every unit."""
        for unit in self._units:
            self.stop(unit, reason)

    def forget_tickets(self) -> None:
        """Make the tickets of the previous session invalid: its throws end without reports."""
        for unit in self._units:
            if unit.shaking is not None:
                unit.shaking.ticket = None

    def _at_rest(self, unit: PortDevice, dice: int) -> None:
        running, unit.shaking = unit.shaking, None
        assert running is not None
        self._shake(unit, 0)
        shown = self._core.wiring.dice(unit.name, dice)
        self._core.memory.threw(unit.number, shown)
        seconds = self._core.loop.time() - running.began
        self._core.memory.ended(unit.number, Reason.DONE, 0, seconds)
        assert running.ticket is not None
        self._core.emit(DiceRead(running.ticket, *shown, *(0,) * (MOST_DICE - len(shown))))

    def _shake(self, unit: PortDevice, on: int) -> None:
        try:
            self._core.wiring.output(unit.name, on)
        except ImpossibleOrderError as refusal:
            self._core.impossible(unit.number, str(refusal))
