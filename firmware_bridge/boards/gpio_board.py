"""GPIO board: a `Board` on the host's own GPIO pins, without a second processor.

The executor of the virtual board runs in the event loop and drives the pins through `GpioPins`. It
provides lease, maximum on-time, drive until, switches, back-pressure, debounce and latched faults.
A table on pins therefore behaves like one on a serial board, with one difference:

**The control loops run in the host.** The reaction from an edge to the motor's pin takes one turn
of the event loop: about a millisecond, and longer while the host is busy. If the host process hangs
or ends, there is no reaction, and neither the lease nor the maximum on-time is enforced. This is
sufficient for a bench whose motors may overrun. It is not sufficient for the heads and lifts of a
table, which need a serial board. The emergency stop must cut the motors' supply in hardware.

gpiozero reports changes in its own thread. `_changed` passes them to the event loop with
`call_soon_threadsafe`; all other code and all state belong to the event loop's thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import count

from gpiozero import Factory

from config.schema import BoardConfig, MotorChannel
from firmware_bridge.board import AnyFault, BoardIdentity, Edge, Ended, FaultCode, Reason, Until
from firmware_bridge.boards import encoding
from firmware_bridge.boards.feed import FaultFeed, Feed, Feeds
from firmware_bridge.boards.gpio_pins import GpioPins, check_direction, check_pins
from firmware_bridge.boards.lease import PinLease
from firmware_bridge.executor.virtual_board import VirtualBoard
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codec import configuration_crc
from firmware_bridge.wire.errors import BoardRefusedError
from firmware_bridge.wire.messages import NONE

SERIAL = b"GPIO0000"
"""The serial number that every GPIO board reports, because pins have none."""


class GpioBoard:
    """A `Board` on GPIO pins.

    `pin_factory` is one of gpiozero's (`gpio_pins.pi_pins()` on a Raspberry Pi, a mock elsewhere);
    the caller closes it. `emergency` names the sensors of the emergency stop, `curtain` those of
    the light curtain, and `guarded` the motors that the curtain stops.
    Raises BoardRefusedError for a channel that needs more than plain pins.
    """

    def __init__(
        self,
        name: str,
        config: BoardConfig,
        pin_factory: Factory,
        *,
        emergency: Collection[str] = (),
        curtain: Collection[str] = (),
        guarded: Collection[str] = (),
    ) -> None:
        check_pins(name, config)
        self._name = name
        self._config = config
        self._pin_factory = pin_factory
        self._emergency = emergency
        self._safety = tuple(name for name in (*emergency, *curtain) if name in config.channels)
        self._flags = encoding.flags(emergency, curtain, guarded)
        channels = encoding.ChannelNumbers(name, config.channels)
        self._number, self._name_of = channels.number, channels.name
        self._state: _OpenState | None = None
        self._identity: BoardIdentity | None = None
        self._tickets = count(1)
        self._motions: dict[int, asyncio.Future[Ended]] = {}
        self._last: dict[int, int] = {}
        """The ticket of each channel's last motion."""
        self._watched: dict[str, None] = {}
        self._edges: Feeds[Edge] = Feeds()
        self._faults = FaultFeed(name, channels.name)

    @property
    def name(self) -> str:
        return self._name

    # Start and close

    async def start(self) -> BoardIdentity:
        """Open the pins with outputs at their safe values; return the identity of the board.

        On a board that is open already, only the identity is returned.
        """
        if self._identity is None:
            state = self._state = self._open()
            try:
                self._identity = self._configure(state)
            except BoardRefusedError:
                self._state = None
                state.pins.close()
                raise
        return self._identity

    async def close(self) -> None:
        """Set every output to its safe value and release the pins; iterators end. Idempotent."""
        state = self._state
        if state is None:
            return
        try:
            state.lease.end()
        finally:
            self._state = self._identity = None
            state.pins.close()
            self._edges.end()
            self._faults.end()
        # One turn of the event loop, in which callers that wait for a motion receive its end.
        await asyncio.sleep(0)

    # The lease

    async def hold_lease(self) -> None:
        self._opened().lease.hold()

    async def release_lease(self) -> None:
        """Give the lease back; does nothing on a closed board, which holds no lease."""
        if self._state is None:
            return
        if not self._state.lease.held:
            raise BoardRefusedError(
                f"board {self._name}: release_lease() without a lease; call hold_lease() first."
            )
        self._state.lease.drop()

    # Orders

    async def set(self, channel: str, value: int) -> None:
        number = self._output(channel, value)
        self._ask(wire.Set(number, value), f"setting {channel} to {value}")

    async def pulse(self, channel: str, value: int, seconds: float) -> Ended:
        pulse = wire.Pulse(self._output(channel, value), value, encoding.milliseconds(seconds))
        return await self._run(pulse, f"a pulse of {channel}")

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        drive = encoding.drive(self._output(motor, value), value, until, limit, self._number)
        return await self._run(drive, f"a drive of {motor}")

    async def move(self, targets: Mapping[str, float], speed: int = 1000) -> Ended:
        raise self._unsupported("move", ", ".join(targets))

    async def home(self, axis: str) -> Ended:
        raise self._unsupported("home", axis)

    async def throw(self, channel: str, dice: int) -> tuple[int, ...]:
        raise self._unsupported("throw dice with", channel)

    async def thrown(self, channel: str) -> tuple[int, tuple[int, ...]]:
        raise self._unsupported("throw dice with", channel)

    async def recall(self, channel: str) -> Ended | None:
        number = self._number(channel)
        reply = self._ask(wire.Recall(number), f"the progress of {channel}")
        assert isinstance(reply, wire.Recalled)
        if reply.reason == NONE or reply.ticket != self._last.get(number):
            return None
        return Ended(Reason(reply.reason), reply.count, reply.elapsed_us / 1e6)

    async def scan(self, channel: str) -> int | None:
        raise self._unsupported("scan with", channel)

    async def stop(self, channel: str | None = None) -> None:
        number = NONE if channel is None else self._number(channel)
        self._ask(wire.Stop(number), f"the stop of {channel or 'all channels'}")

    def stop_all(self) -> None:
        """Stop all motors and pulses now; does nothing on a closed board."""
        if self._state is not None:
            self._ask(wire.Stop(NONE), "the stop of all channels")

    async def clear(self) -> None:
        try:
            self._ask(wire.Clear(), "clearing its faults")
        finally:
            still = self._state.core.faults if self._state else ()
            self._faults.keep(still)

    # Questions

    async def self_test(self) -> int:
        """Return 0 (passed): pins have no memory to test."""
        return 0

    async def storage_used(self) -> int | None:
        """Return None: pins have no storage."""
        return None

    async def read(self, channel: str) -> int:
        """A sensor's level, or the value at the pins of a motor or output."""
        return self._value(wire.Read(self._number(channel)), f"reading {channel}")

    async def count(self, sensor: str) -> int:
        return self._value(wire.Count(self._number(sensor)), f"counting {sensor}")

    def watch(self, *sensors: str) -> Feed[Edge]:
        """Every edge from this call on, even one before the board is started."""
        for sensor in sensors:
            number = self._number(sensor)
            if self._state is not None:
                self._ask(wire.Watch(number, 1), f"watching {sensor}")
            self._watched[sensor] = None
        return self._edges.listen(lambda edge: edge.sensor in sensors)

    @property
    def faults(self) -> Feed[AnyFault]:
        """The faults that are latched now, then every fault as it latches, and lost leases."""
        return self._faults.listen()

    # Events from pins and executor

    def _changed(self, sensor: str, active: bool, age: float) -> None:
        """Pass a pin's change `age` seconds ago to the loop; called from another thread."""
        state = self._state
        if state is not None:
            at = state.loop.time() - age
            state.loop.call_soon_threadsafe(self._sensed, sensor, active, at)

    def _sensed(self, sensor: str, active: bool, at: float) -> None:
        """Pass a change to the executor with the time at which the pin changed.

        The debouncing therefore does not depend on delays of the event loop.
        """
        if self._state is not None:
            self._state.core.sensor(sensor, active, at)

    def _event_arrived(self, event: wire.Message) -> None:
        match event:
            case wire.MotionEnded():
                motion = self._motions.get(event.ticket)
                if motion is not None and not motion.done():
                    reason = Reason(event.reason)
                    motion.set_result(Ended(reason, event.count, event.elapsed_us / 1e6))
            case wire.EdgeSeen() if self._state is not None:
                sensor, at = self._name_of(event.channel), self._state.loop.time()
                self._edges.emit(Edge(sensor, bool(event.active), at, event.count))
            case wire.Faulted():
                self._faults.latch(FaultCode(event.code), event.channel)
            case wire.Held():
                self._faults.lease_expired()

    # Helpers

    def _open(self) -> _OpenState:
        loop = asyncio.get_running_loop()
        pins = GpioPins(self._name, self._config, self._pin_factory, self._changed)
        core = VirtualBoard(
            self._config,
            pins,
            loop,
            emergency=self._emergency,
            serial=SERIAL,
        )
        core.send = self._event_arrived
        return _OpenState(loop, pins, core, PinLease(loop, self._config.lease, self._ask))

    def _configure(self, state: _OpenState) -> BoardIdentity:
        """Give the executor the sensors' levels, then its channel table."""
        self._faults.forget()
        for sensor, active in state.pins.levels().items():
            state.core.sensor(sensor, active)
        records = encoding.records(self._config, self._flags)
        for record in records:
            self._ask(record, f"the record of {self._name_of(record.index)}")
        self._ask(wire.Commit(len(records), configuration_crc(records)), "its channel table")
        identity = self._identify()
        for sensor in self._watched:
            self._ask(wire.Watch(self._number(sensor), 1), f"watching {sensor}")
        return identity

    def _identify(self) -> BoardIdentity:
        reply = self._ask(wire.Identify(wire.PROTOCOL, bytes(8)), "to identify itself")
        assert isinstance(reply, wire.Identity)
        return replace(encoding.identity(reply), build="gpio")

    async def _run(self, order: wire.Pulse | wire.Drive, action: str) -> Ended:
        """Order a motion and wait for its end. Cancelling the wait does not stop the motion."""
        ticket = next(self._tickets)
        self._last[order.channel] = ticket
        motion: asyncio.Future[Ended] = self._opened().loop.create_future()
        self._motions[ticket] = motion
        try:
            self._ask(order, action, ticket)
            return await motion
        finally:
            del self._motions[ticket]

    def _value(self, question: wire.Read | wire.Count, action: str) -> int:
        reply = self._ask(question, action)
        assert isinstance(reply, wire.Value)
        return reply.value

    def _ask(self, message: wire.Message, action: str, ticket: int = 0) -> wire.Message:
        """Execute a message at once. Raises BoardRefusedError, which names the action."""
        state = self._opened()
        if isinstance(message, wire.Set | wire.Pulse | wire.Drive | wire.Clear):
            self._read_safety_inputs(state)
        reply = state.core.execute(message, ticket)
        if isinstance(reply, wire.Refused):
            blamed = self._name_of(reply.channel)
            raise BoardRefusedError(
                encoding.refusal(self._name, action, reply, blamed), encoding.why(reply)
            )
        return reply

    def _read_safety_inputs(self, state: _OpenState) -> None:
        """Pass a safety input that is active at its pin to the executor, before an order.

        Its change may still be on the way from gpiozero's thread, or may have been lost.
        """
        for name in self._safety:
            if state.pins.is_active(name) and not state.core.is_active(name):
                state.core.sensor(name, True)

    def _opened(self) -> _OpenState:
        if self._state is None:
            raise BoardRefusedError(f"board {self._name} is closed; start it first.")
        return self._state

    def _output(self, channel: str, value: int) -> int:
        """The number of a channel whose value is to be set."""
        number = self._number(channel)
        configured = self._config.channels[channel]
        if isinstance(configured, MotorChannel):
            check_direction(self._name, channel, configured, value)
        return number

    def _unsupported(self, verb: str, channel: str) -> BoardRefusedError:
        return BoardRefusedError(
            f"board {self._name} cannot {verb} {channel}, because it has plain GPIO pins only; move"
            " that channel to a serial board."
        )


@dataclass
class _OpenState:
    """The pins of an open board, their executor, and the lease on it."""

    loop: asyncio.AbstractEventLoop
    pins: GpioPins
    core: VirtualBoard
    lease: PinLease
