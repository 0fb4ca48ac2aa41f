"""Virtual board: executes every message as the firmware does, on the event loop's clock.

`execute` takes a command and returns its reply. `send`, which the transport sets, receives the
events. The plant calls `sensor` when an input changes. Every control loop (edge to motor off,
switch to stop, lease to safe) runs inside that call or at its timer. The board does not poll, so it
uses no CPU time while it is idle.

A latched fault of any channel stops the whole board, because that rule is simple to verify. An
expired lease is not a fault, but the board grants no new lease until the host has given the expired
one back. Orders that the host sent before it noticed the expiry are therefore refused. A new lease
begins with all outputs at their safe values.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from config.board_profiles import chip_of, profile_of
from config.schema import BoardConfig
from firmware_bridge.board import FaultCode, Reason
from firmware_bridge.executor.channel_table import ChannelTable
from firmware_bridge.executor.channels import OrderRefusedError, Wiring, build
from firmware_bridge.executor.memory import BoardMemory
from firmware_bridge.executor.motor_currents import MotorCurrents
from firmware_bridge.executor.rig import ChannelRig, Order
from firmware_bridge.executor.safety import FAULT_OF_RESET, LeaseTimer, SafetyInputs
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codes import Chip, Defect, Refusal, ResetCause
from firmware_bridge.wire.limits import PIN_BYTES, BoardLimits
from firmware_bridge.wire.messages import NONE, Message
from firmware_bridge.wire.session_security import PROOF_SIZE, board_nonce

KEY = b"wallwright simulation"
"""The device key of every simulated board."""
FIRMWARE = 3
BUILD = b"sim\0"
FIRST_START = 0x10000
"""Added to the number of starts in the nonces; firmware that counted 16 bits used lower ones."""
READ_BACK = 0.003  # seconds for which the pin of an output that is off is active before a fault
_WORD = 0xFFFFFFFF
_NO_LIMITS = wire.Limits(0, 0, 0, bytes(PIN_BYTES), bytes(PIN_BYTES))


class VirtualBoard:
    """One board: `config` names its channels in order, `wiring` is connected to them.

    `emergency` are the inputs that cut power in hardware. While no guarded part moves or waits to
    move, an interrupted light curtain is not a fault.
    """

    def __init__(
        self,
        config: BoardConfig,
        wiring: Wiring,
        loop: asyncio.AbstractEventLoop,
        *,
        emergency: Collection[str] = (),
        serial: bytes = b"SIM00000",
        key: bytes = KEY,
        limits: BoardLimits | None = None,
    ) -> None:
        self.loop = loop
        self.wiring = wiring
        self.send: Callable[[Message], None] = _discard
        self.line: Callable[[], tuple[int, int]] = lambda: (0, 0)
        """The numbers of damaged frames and of repeated commands."""
        self.refusals: list[str] = []
        """The sentences of ImpossibleOrderErrors, in order, because the wire cannot carry them."""
        self._names = tuple(config.channels)
        self._chip = Chip[chip_of(config).upper()]
        self._inputs = SafetyInputs(self._names, emergency, loop, self._curtain_interrupted)
        self.memory = BoardMemory()
        self._serial = serial
        self._limits = limits
        self._curtain_pin = profile_of(config).reserved("curtain")
        self.key = key
        self._boots = 1
        self._reset_cause = ResetCause.POWER
        self._positions: dict[str, float] = {}
        self._outbox: list[Message] = []
        self._executing = False
        self._faults: dict[tuple[FaultCode, int], None] = {}
        converter = profile_of(config).converter
        most_mv = converter.most_millivolts if converter else 0
        steps = profile_of(config).steps
        self.channel_table = ChannelTable(len(self._names), most_mv, steps, limits)
        self._currents = MotorCurrents(
            loop, self._drives, self._millivolts, self._over_current, self._measured, most_mv
        )
        self._rig: ChannelRig | None = None
        self._sessions = 0
        """The challenges since the start; each gets another nonce."""
        self._lease = LeaseTimer(loop, self._lease_expired)
        self._held_at: int | None = None
        self._supply_low = False
        self._defects, self._shorted = Defect(0), set[int]()

    # The host's side

    def execute(self, message: Message, sequence: int) -> Message:
        """Execute a command and return its reply; never raises. `sequence` is its ticket."""
        self._executing = True
        try:
            return self._dispatch(message, sequence)
        except OrderRefusedError as refusal:
            return wire.Refused(refusal.reason, refusal.channel)
        finally:
            self._executing = False
            if self._outbox:
                self.loop.call_soon(self._flush)

    def emit(self, event: Message) -> None:
        """Send an event, after the reply to the command that is being executed."""
        if self._executing or self._outbox:
            self._outbox.append(event)
        else:
            self.send(event)

    def ended(
        self, ticket: int | None, channel: int, reason: Reason, counted: int, began: float
    ) -> None:
        """Record a motion's end, and report it unless its session has ended."""
        seconds = self.loop.time() - began
        self.memory.ended(channel, reason, counted, seconds)
        if ticket is not None:
            micros = round(seconds * 1e6) & _WORD
            self.emit(wire.MotionEnded(ticket, channel, reason, min(counted, 0xFFFF), micros))
        self._report_held()

    # The plant's side

    def sensor(self, channel: str, active: bool, at: float | None = None) -> None:
        """Process an input's level, since that time of the loop's clock (None: from now on)."""
        inputs = self._inputs
        inputs.follow(channel, active)
        if active and channel in inputs.emergency:
            self.latch(FaultCode.EMERGENCY_STOP, inputs.emergency[channel])
        if self._rig is not None:
            self._rig.sensor(channel, active, at)

    def is_active(self, channel: str) -> bool:
        """Whether the last known level of an input is active."""
        return self._inputs.levels.get(channel, False)

    def voltage(self, channel: str, millivolts: int) -> None:
        """Process the voltage of a sensor with thresholds; between them it keeps its level."""
        record = self.channel_table.records[self._names.index(channel)]
        if millivolts >= record.high_mv or millivolts <= record.low_mv:
            self.sensor(channel, (millivolts >= record.high_mv) == bool(record.active_high))

    def current(self, motor: str, milliamps: int) -> None:
        """Process a motor's current from now on."""
        if self._rig is not None:
            self._currents.draw(self._names.index(motor), milliamps)

    def order_failed(self, channel: str, why: str) -> None:
        """Latch IMPOSSIBLE: the mechanism of a channel cannot complete an earlier order."""
        self.impossible(self._names.index(channel), why)

    def supply(self, low: bool) -> None:
        """Process the state of the board's supply from now on; a low one latches LOW_SUPPLY.

        The caller applies the hysteresis in voltage and time.
        """
        is_new, self._supply_low = low and not self._supply_low, low
        if is_new:
            self.latch(FaultCode.LOW_SUPPLY)

    def late_step(self, axis: str) -> None:
        """Latch LATE_STEP for an axis, which has lost its position by it."""
        number = self._names.index(axis)
        self._configured().lose_position(number)
        self.latch(FaultCode.LATE_STEP, number)

    def damage(self, part: Defect) -> None:
        """Let the board find its program, memory or clock damaged, until a reset."""
        self._defects |= part
        self.latch(FaultCode.SELF_TEST)

    def short(self, channel: str, active: bool) -> None:
        """Hold the pin of an output at its active level from now on, or no longer."""
        number = self._names.index(channel)
        self._shorted = self._shorted | {number} if active else self._shorted - {number}
        if active:
            self.loop.call_later(READ_BACK, self._read_back)

    @property
    def started(self) -> wire.Started:
        """The notice that the board sends when it has started."""
        return wire.Started(self._boots & 0xFFFF, self._reset_cause)

    def reset(self, cause: ResetCause) -> None:
        """Restart after a power loss or by the watchdog: no configuration, no lease, one more boot.

        Counts, last orders and dice are kept.
        """
        send, self.send = self.send, _discard
        self._make_safe(Reason.FAULT, dead=True)
        self._outbox.clear()
        self.send = send
        self._drop_rig()
        self._lease.end()
        self._faults.clear()
        self.channel_table.drop_draft()
        self._held_at = None
        self._supply_low = False
        self._defects = Defect(0)
        self._boots += 1
        self._sessions = 0
        self._reset_cause = cause
        if cause in FAULT_OF_RESET:
            self.latch(FAULT_OF_RESET[cause])
        for number in self._inputs.pressed:
            self.latch(FaultCode.EMERGENCY_STOP, number)

    # Faults

    @property
    def faults(self) -> tuple[FaultCode, ...]:
        """The codes of all latched faults, oldest first."""
        return tuple(code for code, _ in self._faults)

    def latch(self, code: FaultCode, channel: int = NONE) -> None:
        """Latch a fault: make outputs safe in this instant, and stop axes by their ramps.

        An emergency stop also cuts the axes' power, so they stop without a ramp.
        """
        if (code, channel) in self._faults:
            return
        self._faults[code, channel] = None
        self.emit(wire.Faulted(code, channel, round(self.loop.time() * 1e6) & _WORD))
        self._make_safe(Reason.FAULT, dead=code is FaultCode.EMERGENCY_STOP)

    def impossible(self, channel: int, why: str) -> None:
        """Latch IMPOSSIBLE for a blocked mechanism, and record the sentence `why` in `refusals`."""
        if not self.refusals or self.refusals[-1] != why:
            self.refusals.append(why)
        self.latch(FaultCode.IMPOSSIBLE, channel)

    # Commands

    def _dispatch(self, message: Message, sequence: int) -> Message:
        if isinstance(message, Order):
            return self._order(message, sequence)
        match message:
            case wire.TakeLease():
                return self._take_lease(message)
            case wire.Read() | wire.Watch() | wire.Count() | wire.Scan() | wire.Recall():
                return self._configured().ask(message)
            case wire.Stop():
                self._configured().stop(message)
                return wire.Ok()
            case wire.Clear():
                return self._clear()
            case wire.Identify():
                return self._identify(message)
            case wire.Authenticate():
                self._begin_session()
                return wire.Ok()
            case wire.ReadLimits():
                return self._limits.message if self._limits else _NO_LIMITS
            case wire.ReadSupply():
                return wire.Supply(0, 0)  # a virtual board has no supply that it could measure
            case wire.Configure():
                self.channel_table.add(message)
                return wire.Ok()
            case wire.Commit():
                return self._commit(message)
            case wire.SelfTest():
                outputs = Defect.OUTPUTS if any(map(self._reads_active, self._shorted)) else 0
                return wire.Value(self._defects | outputs)
            case wire.Report():
                resets, storage_used = self._boots - 1 & 0xFFFF, self.memory.storage_used
                return wire.Statistics(0, *self.line(), resets, storage_used)
            case wire.Bootloader():
                # A command for another board, or from before a reset, must not stop this one.
                if message.confirmation != self._boots & 0xFFFF:
                    raise OrderRefusedError(Refusal.OUT_OF_RANGE)
                self._make_safe(Reason.STOPPED, dead=True)
                self._drop_rig()
                self._lease.end()
                return wire.Ok()
            case _:
                raise OrderRefusedError(Refusal.OUT_OF_RANGE)

    def _order(self, order: Order, sequence: int) -> Message:
        rig = self._configured()
        if self._faults:
            raise OrderRefusedError(Refusal.FAULT_LATCHED, next(iter(self._faults))[1])
        if not self._lease.held:
            raise OrderRefusedError(Refusal.NO_LEASE)
        self._check_curtain(order)
        starts = rig.starts_motor(order)
        reply = rig.order(order, sequence)
        self._currents.ordered(order, starts)
        return reply

    def _configured(self) -> ChannelRig:
        if self._rig is None:
            raise OrderRefusedError(Refusal.NOT_CONFIGURED)
        return self._rig

    def _identify(self, message: wire.Identify) -> Message:
        """The identity with a new nonce; the session adds the proof."""
        if message.protocol != wire.PROTOCOL:
            raise OrderRefusedError(Refusal.WRONG_VERSION)
        boots, session = FIRST_START + self._boots & _WORD, self._sessions & _WORD
        self._sessions += 1
        return wire.Identity(
            wire.PROTOCOL,
            FIRMWARE,
            self._chip,
            BUILD,
            self._serial,
            boots & 0xFFFF,
            self._reset_cause,
            self.channel_table.digest,
            self.channel_table.crc,
            board_nonce(self.key, self._serial, boots, session),
            bytes(PROOF_SIZE),
        )

    def _begin_session(self) -> None:
        """Begin a session and end the motions of the previous one, whose tickets are invalid."""
        if self._rig is not None:
            self._rig.begin_session()
        for code, channel in self._faults:
            self.emit(wire.Faulted(code, channel, round(self.loop.time() * 1e6) & _WORD))

    def _commit(self, message: wire.Commit) -> Message:
        records = self.channel_table.take_draft(message)
        if self._rig is not None and records == self.channel_table.records:
            return wire.Ok()
        try:
            channels = build(self._names, records[: len(self._names)], self._axis_positions())
        except (TypeError, IndexError):
            raise OrderRefusedError(Refusal.WRONG_KIND) from None
        self.channel_table.check_safety_pins(records)
        if self._limits and not self._limits.has_curtain(records, self._curtain_pin):
            raise OrderRefusedError(Refusal.NO_CURTAIN)
        self._make_safe(Reason.STOPPED, dead=True)
        self._drop_rig()
        self._lease.end()
        self.channel_table.commit(records, message.crc)
        self._inputs.configure(records)
        self._currents.configure(records)
        self._rig = ChannelRig(self, channels, self._inputs.levels)
        self._rig.release(Reason.STOPPED)
        return wire.Ok()

    def _take_lease(self, message: wire.TakeLease) -> Message:
        self._configured()
        if message.duration_ms == 0:
            was_held = self._lease.held
            self._lease.end()
            if was_held:
                self._make_safe(Reason.STOPPED)
            return wire.Ok()
        if self._limits and not self._limits.permits_lease(message.duration_ms):
            raise OrderRefusedError(Refusal.LEASE_TOO_LONG)
        if self._lease.expired:
            raise OrderRefusedError(Refusal.NO_LEASE)
        self._lease.take(message.duration_ms / 1000)
        return wire.Ok()

    def _clear(self) -> Message:
        self._faults = dict.fromkeys(fault for fault in self._faults if self._persists(*fault))
        if self._faults:
            raise OrderRefusedError(Refusal.CAUSE_PERSISTS, next(iter(self._faults))[1])
        return wire.Ok()

    # Helpers

    def _lease_expired(self) -> None:
        self._make_safe(Reason.HELD)
        self._held_at = round(self.loop.time() * 1e6) & _WORD
        self._report_held()

    def _report_held(self) -> None:
        """Emit HELD, after the ends of all motions that the lease's end stopped."""
        if self._held_at is not None and not (self._rig is not None and self._rig.moving):
            at, self._held_at = self._held_at, None
            self.emit(wire.Held(at))

    def _drives(self, number: int) -> bool:
        return self._rig is not None and self._rig.drives(number)

    def _millivolts(self, number: int) -> int:
        return self.wiring.analog(self._names[number])

    def _measured(self, motor: int, milliamps: int) -> None:
        if self._rig is not None:
            self._rig.current(self._names[motor], milliamps)

    def _over_current(self, motor: int) -> None:
        self.latch(FaultCode.OVER_CURRENT, motor)

    def _curtain_interrupted(self, number: int) -> None:
        if self._rig is not None and any(map(self._rig.is_ordered, self._inputs.guarded)):
            self.latch(FaultCode.LIGHT_CURTAIN, number)

    def _check_curtain(self, order: Order) -> None:
        """Refuse a guarded order while the curtain is interrupted. Raises OrderRefusedError."""
        interrupted = self._inputs.interrupted
        if interrupted is not None and self._inputs.guards(order):
            self.latch(FaultCode.LIGHT_CURTAIN, interrupted)
            raise OrderRefusedError(Refusal.FAULT_LATCHED, interrupted)

    def _reads_active(self, number: int) -> bool:
        return number in self._shorted and self._rig is not None and self._rig.is_off(number)

    def _read_back(self) -> None:
        for number in filter(self._reads_active, sorted(self._shorted)):
            self.latch(FaultCode.UNEXPECTED_MOTION, number)
        if self._shorted:
            self.loop.call_later(READ_BACK, self._read_back)

    def _make_safe(self, reason: Reason, dead: bool = False) -> None:
        if self._rig is not None:
            self._rig.release(reason, dead)

    def _drop_rig(self) -> None:
        self._positions = self._axis_positions()
        if self._rig is not None:
            self._rig.off()
        self._rig = None
        self.channel_table.drop()

    def _axis_positions(self) -> dict[str, float]:
        return self._rig.positions() if self._rig is not None else self._positions

    def _persists(self, code: FaultCode, channel: int) -> bool:
        if code is FaultCode.LOW_SUPPLY:
            return self._supply_low
        if code is FaultCode.SELF_TEST:
            return bool(self._defects)
        if code is FaultCode.UNEXPECTED_MOTION:
            return self._reads_active(channel)
        if code is FaultCode.BOTH_SWITCHES and self._rig is not None:
            return self._rig.both_switches(channel)
        return self._inputs.cause_persists(code)

    def _flush(self) -> None:
        while self._outbox:
            self.send(self._outbox.pop(0))


def _discard(event: Message) -> None:
    """Discard events until a receiver is set."""
