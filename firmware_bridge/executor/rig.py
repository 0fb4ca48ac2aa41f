"""Channel rig: executes orders on a committed channel table and debounces its inputs.

The virtual board passes orders to the rig if it is configured, without faults and under a lease.
The rig refuses orders that the named channels cannot execute, and keeps the state of all motions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from firmware_bridge.board import Reason
from firmware_bridge.executor.channels import (
    Axis,
    BoardOutput,
    BoardSensor,
    Channel,
    Core,
    OrderRefusedError,
    PortDevice,
)
from firmware_bridge.executor.motion import AxesMotion
from firmware_bridge.executor.outputs import MOST_DICE, DiceUnits, Outputs
from firmware_bridge.wire.codes import Flag, Kind, Refusal, UntilKind
from firmware_bridge.wire.messages import (
    NONE,
    Count,
    Drive,
    EdgeSeen,
    Home,
    Message,
    Move,
    Ok,
    Pulse,
    Read,
    Recall,
    Scan,
    Set,
    Stop,
    Tag,
    ThrowDice,
    Value,
    Watch,
)

C = TypeVar("C", BoardSensor, Axis, BoardOutput, PortDevice)

Order = Set | Pulse | Drive | Move | Home | ThrowDice
"""Messages that need a lease."""
Question = Read | Watch | Count | Scan | Recall
"""Messages that need no lease."""
_WORD = 0xFFFFFFFF


class ChannelRig:
    """All channels of one board, linked as in its records, with the inputs' initial levels."""

    def __init__(self, core: Core, channels: Sequence[Channel], levels: Mapping[str, bool]) -> None:
        self._core = core
        self._channels = tuple(channels)
        self._dice = DiceUnits(core, (d for d in channels if isinstance(d, PortDevice)))
        self._axes = tuple(axis for axis in channels if isinstance(axis, Axis))
        self._outputs = Outputs(core, (o for o in channels if isinstance(o, BoardOutput)))
        self._motion = AxesMotion(core, self._axes)
        self._sensors = {s.name: s for s in channels if isinstance(s, BoardSensor)}
        for sensor in self._sensors.values():
            sensor.raw = sensor.active = levels.get(sensor.name, False)
        core.memory.restore(self._sensors)

    # Requests of the host

    def order(self, order: Order, ticket: int) -> Message:
        """Begin an order. Raises OrderRefusedError."""
        match order:
            case Set():
                self._outputs.set(self._idle_output(order.channel, order.value), order.value)
            case Pulse():
                self._pulse(order, ticket)
            case Drive():
                self._drive(order, ticket)
            case Move():
                self._move(order, ticket)
            case Home():
                axis = self._idle_axis(self._find(order.channel, Axis))
                self._motion.check_home(axis)
                self._motion.home(axis, ticket)
            case ThrowDice():
                self._throw(order, ticket)
        return Ok()

    def starts_motor(self, order: Order) -> bool:
        """Whether an order starts a motor, which runs the other way or is at rest now."""
        if not isinstance(order, Set | Pulse | Drive) or order.channel >= len(self._channels):
            return False
        output = self._channels[order.channel]
        return isinstance(output, BoardOutput) and order.value * output.wanted <= 0

    def ask(self, question: Question) -> Message:
        """Answer a question. Raises OrderRefusedError."""
        match question:
            case Read():
                return Value(self._read(question.channel))
            case Watch():
                self._find(question.channel, BoardSensor).watched = bool(question.on)
                return Ok()
            case Count():
                return Value(self._count(question.channel) & 0x7FFFFFFF)
            case Recall():
                counts = {name: sensor.count for name, sensor in self._sensors.items()}
                return self._core.memory.recall(self._channel(question.channel).number, counts)
            case Scan():
                reader = self._find(question.channel, PortDevice)
                if reader.record.kind != Kind.READER:
                    raise OrderRefusedError(Refusal.WRONG_KIND, reader.number)
                return Tag(self._core.wiring.tag(reader.name) or 0)

    def stop(self, stop: Stop) -> None:
        """Stop one channel's motion, or every motion. Raises OrderRefusedError."""
        if stop.channel == NONE:
            self._outputs.stop_motion(Reason.STOPPED)
            self._motion.release(Reason.STOPPED)
            self._dice.stop_all(Reason.STOPPED)
            return
        match self._channel(stop.channel):
            case BoardOutput() as output:
                self._outputs.stop(output, Reason.STOPPED)
            case Axis() as axis:
                self._motion.stop(axis, Reason.STOPPED)
            case PortDevice() as unit if unit.record.kind == Kind.DICE:
                self._dice.stop(unit, Reason.STOPPED)
            case channel:
                raise OrderRefusedError(Refusal.WRONG_KIND, channel.number)

    def begin_session(self) -> None:
        """End all motions of the previous session, without reports: their tickets are invalid."""
        self._outputs.forget_tickets()
        self._motion.forget_tickets()
        self._dice.forget_tickets()
        self._outputs.end_running(Reason.STOPPED)
        self._motion.release(Reason.STOPPED)
        self._dice.stop_all(Reason.STOPPED)

    # Inputs of the board

    def sensor(self, name: str, active: bool, at: float | None = None) -> None:
        """Process an input's change at this time of the loop's clock (None: now).

        A change counts once the level has lasted for the debounce time by the changes' own times.
        A delayed host receives several changes at once, which must not count as bounces.
        """
        sensor = self._sensors.get(name)
        if sensor is None or sensor.raw is active:
            return
        at = self._core.loop.time() if at is None else at
        debounce = sensor.record.debounce_ms / 1000
        if sensor.settling is not None:
            sensor.settling.cancel()
            sensor.settling = None
            if at - sensor.changed < debounce:
                sensor.raw = active
                return
            self._settle(sensor)
        sensor.raw, sensor.changed = active, at
        if debounce:
            sensor.settling = self._core.loop.call_at(at + debounce, self._settle, sensor)
        else:
            self._settle(sensor)

    def current(self, name: str, milliamps: int) -> None:
        """Process a motor's present current."""
        for channel in self._channels:
            if channel.name == name and isinstance(channel, BoardOutput):
                self._outputs.current(channel, milliamps)

    def release(self, reason: Reason, dead: bool = False) -> None:
        """Set all outputs to safe values after a lost lease, a fault or a reset.

        Axes stop by their ramps, or (`dead`) at once.
        """
        self._outputs.release(reason)
        self._motion.release(reason, dead)
        self._dice.stop_all(reason)

    def both_switches(self, number: int) -> bool:
        """Whether both stops of a motor are active, which no motor position can cause."""
        motor = self._channels[number]
        return (
            isinstance(motor, BoardOutput)
            and motor.forward_stop is not None
            and motor.reverse_stop is not None
            and motor.forward_stop.active
            and motor.reverse_stop.active
        )

    def drives(self, number: int) -> bool:
        """Whether a motor or axis moves, or an output differs from its safe value."""
        match self._channels[number]:
            case BoardOutput() as output:
                return output.running is not None or output.value != output.record.safe
            case Axis() as axis:
                return axis.travel is not None
        return False

    def is_off(self, number: int) -> bool:
        """Whether the pin of an output or dome is to have its safe level; a strip has none."""
        match self._channels[number]:
            case BoardOutput() as output:
                return output.value == output.record.safe and output.record.kind != Kind.STRIP
            case PortDevice() as device:
                return device.shaking is None
        return False

    def is_ordered(self, number: int) -> bool:
        """Whether a channel runs an order, or has a value that is not safe or will not be.

        An output that is held back, or whose dead time runs, would begin to move by itself.
        """
        match self._channels[number]:
            case BoardOutput() as output:
                return output.running is not None or output.wanted != output.record.safe
            case Axis() as axis:
                return axis.travel is not None
            case PortDevice() as device:
                return device.shaking is not None
        return False

    @property
    def moving(self) -> bool:
        """Whether any axis moves."""
        return any(axis.travel is not None for axis in self._axes)

    def positions(self) -> dict[str, float]:
        """Each axis's present position, metres."""
        now = self._core.loop.time()
        return {axis.name: axis.position(now) for axis in self._axes}

    def off(self) -> None:
        """Stop all outputs and timers after a power loss or before another channel table."""
        self._core.memory.keep(self._sensors)
        self._outputs.off()
        for sensor in self._sensors.values():
            if sensor.settling is not None:
                sensor.settling.cancel()

    # Orders, each checked completely before any motion begins

    def _pulse(self, order: Pulse, ticket: int) -> None:
        output = self._idle_output(order.channel, order.value)
        longest = output.record.max_on_ms
        if longest and order.duration_ms > longest:
            raise OrderRefusedError(Refusal.OUT_OF_RANGE, output.number)
        self._core.memory.begun(output.number, ticket, None)
        self._outputs.pulse(output, order.value, order.duration_ms / 1000, ticket)

    def _drive(self, order: Drive, ticket: int) -> None:
        motor = self._idle_output(order.channel, order.value)
        if motor.record.kind != Kind.MOTOR:
            raise OrderRefusedError(Refusal.WRONG_KIND, motor.number)
        sensor = None
        if order.until != UntilKind.TIME:
            sensor = self._find(order.sensor, BoardSensor)
        counts = order.until == UntilKind.EDGES
        if (
            order.value == 0
            or order.limit_ms == 0
            or order.until not in tuple(UntilKind)
            or (counts and order.count == 0)
        ):
            raise OrderRefusedError(Refusal.OUT_OF_RANGE, motor.number)
        self._core.memory.begun(motor.number, ticket, sensor if counts else None)
        self._outputs.drive(motor, order, sensor, ticket)

    def lose_position(self, number: int) -> None:
        """Let an axis count as not homed."""
        self._find(number, Axis).homed = False

    def _move(self, order: Move, ticket: int) -> None:
        targets: dict[Axis, float] = {}
        pairs = (
            (order.first, order.first_um),
            (order.second, order.second_um),
            (order.third, order.third_um),
        )
        for number, target in pairs:
            if number == NONE:
                continue
            axis = self._idle_axis(self._find(number, Axis))
            if axis in targets or not axis.record.low_um <= target <= axis.record.high_um:
                raise OrderRefusedError(Refusal.OUT_OF_RANGE, number)
            if not axis.homed:
                raise OrderRefusedError(Refusal.NOT_HOMED, number)
            targets[axis] = target / 1e6
        if not targets or not 1 <= order.speed <= 1000:
            raise OrderRefusedError(Refusal.OUT_OF_RANGE, order.first)
        self._motion.check_move(targets, order.speed)
        self._motion.move(targets, order.speed, ticket)

    def _throw(self, order: ThrowDice, ticket: int) -> None:
        dome = self._find(order.channel, PortDevice)
        if dome.record.kind != Kind.DICE:
            raise OrderRefusedError(Refusal.WRONG_KIND, dome.number)
        if dome.shaking is not None:
            raise OrderRefusedError(Refusal.BUSY, dome.number)
        if not 1 <= order.dice <= MOST_DICE:
            raise OrderRefusedError(Refusal.OUT_OF_RANGE, dome.number)
        self._dice.throw(dome, order.dice, ticket)

    def _read(self, number: int) -> int:
        match self._channel(number):
            case BoardSensor() as sensor:
                return int(sensor.active)
            case BoardOutput() as output:
                return output.value
            case Axis() as axis:
                return round(axis.position(self._core.loop.time()) * 1e6)
            case PortDevice() as unit if unit.record.kind == Kind.ANALOG:
                return self._core.wiring.analog(unit.name)
            case PortDevice() as unit if unit.record.kind == Kind.DICE:
                return self._core.memory.dice_of(unit.number).packed
            case unit:
                raise OrderRefusedError(Refusal.WRONG_KIND, unit.number)

    def _count(self, number: int) -> int:
        match self._channel(number):
            case BoardSensor() as sensor:
                return sensor.count
            case PortDevice() as unit if unit.record.kind == Kind.DICE:
                return self._core.memory.dice_of(unit.number).throws
            case channel:
                raise OrderRefusedError(Refusal.WRONG_KIND, channel.number)

    # Helpers

    def _channel(self, number: int) -> Channel:
        if number >= len(self._channels):
            raise OrderRefusedError(Refusal.UNKNOWN_CHANNEL, number)
        return self._channels[number]

    def _find(self, number: int, kind: type[C]) -> C:
        channel = self._channel(number)
        if not isinstance(channel, kind):
            raise OrderRefusedError(Refusal.WRONG_KIND, number)
        return channel

    def _idle_output(self, number: int, value: int) -> BoardOutput:
        output = self._find(number, BoardOutput)
        if not _accepts(output, value):
            raise OrderRefusedError(Refusal.OUT_OF_RANGE, number)
        if output.running is not None:
            raise OrderRefusedError(Refusal.BUSY, number)
        return output

    @staticmethod
    def _idle_axis(axis: Axis) -> Axis:
        if axis.travel is not None:
            raise OrderRefusedError(Refusal.BUSY, axis.number)
        return axis

    def _settle(self, sensor: BoardSensor) -> None:
        sensor.settling = None
        sensor.active = sensor.raw
        sensor.count += sensor.active
        if sensor.watched:
            at = round(self._core.loop.time() * 1e6) & _WORD
            self._core.emit(EdgeSeen(sensor.number, sensor.active, at, sensor.count & _WORD))
        self._outputs.sensed(sensor)
        self._motion.sensed(sensor)


def _accepts(output: BoardOutput, value: int) -> bool:
    """Whether a value is valid: permille for a motor, 0 or 1 for an output, bits for a strip."""
    if output.record.kind == Kind.MOTOR and output.record.flags & Flag.FULL_ONLY:
        return value in (-1000, 0, 1000)
    if output.record.kind == Kind.MOTOR:
        return -1000 <= value <= 1000
    if output.record.kind == Kind.OUTPUT:
        return value in (0, 1)
    return 0 <= value < 1 << output.record.second_pin
