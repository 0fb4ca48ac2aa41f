"""Checks every message of a board once, where it enters; what passes is trusted typed data.

A message that breaks the protocol is counted, reported as a `ProtocolFault`, and ignored. No
message raises an exception here, so the messages behind it are processed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from firmware_bridge.board import Ended, FaultCode, ProtocolBreach, Reason
from firmware_bridge.boards.feed import MOST_LATCHED, FaultFeed, Subscriptions
from firmware_bridge.boards.lease import Lease
from firmware_bridge.boards.motions import Motions
from firmware_bridge.boards.recognition import Recognition
from firmware_bridge.boards.replies import (
    HIGHEST_COUNT,
    Breaches,
    MessageRate,
    ReplyCheck,
    wrong_end,
    wrong_faces,
)
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codes import Flag, Kind
from firmware_bridge.wire.link import Link
from firmware_bridge.wire.messages import NONE, Configure, Message

_REASONS = frozenset(map(int, Reason))
_FAULTS = frozenset(map(int, FaultCode))
_AT_AN_INPUT = {
    FaultCode.EMERGENCY_STOP: Flag.EMERGENCY,
    FaultCode.LIGHT_CURTAIN: Flag.CURTAIN,
}
"""Faults of an input, and the flag of its channel. The table waits until the input is released, so
another channel could keep it waiting for ever."""
_WORD = 0x100000000
TOLERANCE = 60.0
"""Seconds by which an event may differ from the host's clock: host or line can be stalled."""
DRIFT = 0.02
"""Relative difference between the clocks of a board and of its host."""
_AHEAD = 60_000_000
"""Microseconds after the last event within which a time is plausible without a comparison."""


class Incoming:
    """Takes every message of one board; its channels have these records."""

    def __init__(
        self,
        link: Link,
        records: Sequence[Configure],
        motions: Motions,
        subscriptions: Subscriptions,
        faults: FaultFeed,
        lease: Lease,
        recognition: Recognition,
    ) -> None:
        self._breaches = Breaches(link.name, faults.report)
        self._events = IncomingEvents(
            records, self._breaches, motions, subscriptions, faults, lease, recognition
        )
        link.check_reply = ReplyCheck(records, self._breaches).check
        link.on_event = self._events.take
        link.on_surplus = self._events.surplus
        link.forgery.on_forged = self._forged

    @property
    def breaches(self) -> Mapping[ProtocolBreach, int]:
        """The number of messages that broke the protocol, by rule, since the board was created."""
        return self._breaches.counts

    def begin_session(self) -> None:
        """Forget the counts and times of the previous session."""
        self._events.begin_session()

    def check_start(self, started: wire.Started | None) -> None:
        """Report a notice that ended a session although the board had not started."""
        if started is not None:
            self._breaches.add(ProtocolBreach.FALSE_START, f"{started}")

    def _forged(self) -> None:
        self._breaches.add(ProtocolBreach.FORGED, "a frame without the tag of this session")

    # Replies whose check needs more than the command

    def check_count(self, command: wire.Count, count: int, floor: int) -> None:
        """Check the reply to `Count`; `floor` is the count that was known when it was sent.

        Raises BoardProtocolError for a lower count.
        """
        if count < floor:
            raise self._breaches.add(
                ProtocolBreach.COUNT_FELL, f"the count {count} to {command}, after {floor}"
            )

    def progress(self, order: Message, recalled: wire.Recalled) -> Ended:
        """The progress of an order in the reply to `Recall`.

        Raises BoardProtocolError for an end that the order cannot have.
        """
        reason = Reason(recalled.reason)
        if not (isinstance(order, wire.ThrowDice) and reason is Reason.DONE):
            wrong = wrong_end(order, reason, recalled.count, recalled.elapsed_us)
            if wrong:
                raise self._breaches.add(ProtocolBreach.WRONG_END, f"{recalled}; {wrong}")
        return Ended(reason, recalled.count, recalled.elapsed_us / 1e6)


class IncomingEvents:
    """The events of one board, whose channels have these records."""

    def __init__(
        self,
        records: Sequence[Configure],
        breaches: Breaches,
        motions: Motions,
        subscriptions: Subscriptions,
        faults: FaultFeed,
        lease: Lease,
        recognition: Recognition,
    ) -> None:
        self._records = records
        self._breaches = breaches
        self._motions = motions
        self._subscriptions = subscriptions
        self._faults = faults
        self._lease = lease
        self._recognition = recognition
        now = asyncio.get_running_loop().time
        self._clock = BoardClock(now)
        self._rate = MessageRate(breaches, now)
        self._counts: dict[int, int] = {}
        """The count in the last edge of each sensor, in this session."""
        self._takes: dict[type[Message], Callable[..., None]] = {
            wire.EdgeSeen: self._edge,
            wire.MotionEnded: self._motion_ended,
            wire.DiceRead: self._dice_read,
            wire.Faulted: self._faulted,
            wire.Held: self._held,
        }

    def begin_session(self) -> None:
        """Forget counts and times of the previous session."""
        self._clock.begin_session()
        self._counts.clear()

    def surplus(self) -> None:
        """Count a repeated or early event, or a reply that no command expects."""
        self._rate.add()

    def take(self, event: Message) -> None:
        """Process an event; one that breaks the protocol is reported and otherwise ignored."""
        self._rate.add()
        self._takes[type(event)](event)

    def _edge(self, event: wire.EdgeSeen) -> None:
        channel, active, at_us, count = event
        records = self._records
        if channel >= len(records) or records[channel].kind != Kind.SENSOR:
            self._breaches.add(ProtocolBreach.WRONG_CHANNEL, f"{event}")
        elif active > 1 or count > HIGHEST_COUNT:
            self._breaches.add(ProtocolBreach.OUT_OF_RANGE, f"{event}")
        elif count < self._counts.get(channel, 0):
            self._breaches.add(ProtocolBreach.COUNT_FELL, f"{event}, after {self._counts[channel]}")
        elif wrong := self._clock.check(at_us):
            self._breaches.add(ProtocolBreach.WRONG_TIME, f"{event}; {wrong}")
        else:
            self._counts[channel] = count
            self._recognition.counted(channel, count)
            at = self._clock.seconds(at_us)
            if not self._subscriptions.deliver(channel, active == 1, at, count):
                self._breaches.add(ProtocolBreach.NOT_REQUESTED, f"{event}")

    def _motion_ended(self, event: wire.MotionEnded) -> None:
        motion = self._motions.find(event.ticket, event.channel)
        if motion is None:
            self._breaches.add(ProtocolBreach.UNKNOWN_TICKET, f"{event}")
        elif event.reason not in _REASONS:
            error = self._breaches.add(ProtocolBreach.UNKNOWN_CODE, f"{event}")
            self._motions.fail_one(motion, error)
        else:
            reason = Reason(event.reason)
            wrong = wrong_end(motion.command.message, reason, event.count, event.elapsed_us)
            if wrong:
                error = self._breaches.add(ProtocolBreach.WRONG_END, f"{event}; {wrong}")
                self._motions.fail_one(motion, error)
            else:
                self._motions.end(motion, Ended(reason, event.count, event.elapsed_us / 1e6))

    def _dice_read(self, event: wire.DiceRead) -> None:
        ticket, *faces = event
        motion = self._motions.find(ticket, NONE)
        if motion is None:
            self._breaches.add(ProtocolBreach.UNKNOWN_TICKET, f"{event}")
        elif wrong := wrong_faces(motion.command.message, tuple(faces)):
            error = self._breaches.add(ProtocolBreach.WRONG_END, f"{event}; {wrong}")
            self._motions.fail_one(motion, error)
        else:
            self._motions.end(motion, tuple(faces))

    def _faulted(self, event: wire.Faulted) -> None:
        channel = event.channel
        if event.code not in _FAULTS:
            self._breaches.add(ProtocolBreach.UNKNOWN_CODE, f"{event}")
        elif channel != NONE and channel >= len(self._records):
            self._breaches.add(ProtocolBreach.WRONG_CHANNEL, f"{event}")
        else:
            code = FaultCode(event.code)
            flag = _AT_AN_INPUT.get(code)
            if flag is not None and channel != NONE and not self._records[channel].flags & flag:
                self._breaches.add(ProtocolBreach.WRONG_CHANNEL, f"{event}")
            elif not self._faults.latch(code, channel):
                self._breaches.add(
                    ProtocolBreach.TOO_MANY_FAULTS, f"{event}, with {MOST_LATCHED} latched already"
                )

    def _held(self, event: wire.Held) -> None:
        # Motions have already ended by HELD; this event reports that outputs without a motion have
        # gone to their safe values.
        if self._lease.expire():
            self._faults.lease_expired()
        else:
            self._breaches.add(ProtocolBreach.NOT_REQUESTED, f"{event}, without a lease")


class BoardClock:
    """Converts a board's microseconds, which wrap every 71 minutes, to continuous seconds.

    `clock` is the host's clock, seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._micros = 0
        self._last = 0
        self._compared: tuple[int, float] | None = None
        """The board's and the host's time when the two were compared last, in this session."""

    def begin_session(self) -> None:
        """Accept any time next: the board may have been reset, which sets its clock to 0."""
        self._compared = None

    def check(self, at_us: int) -> str:
        """The reason why an event that arrives now cannot have this time; "" if it can.

        The clocks are compared if the time is earlier than the last one, or much later.
        """
        if self._compared is None or not 0 <= at_us - self._last <= _AHEAD:
            now = self._clock()
            if self._compared is not None:
                before, then = self._compared
                late = at_us - before - round((now - then) * 1e6)
                off = ((late + _WORD // 2) % _WORD - _WORD // 2) / 1e6
                if abs(off) > TOLERANCE + DRIFT * (now - then):
                    return f"its clock differs by {off:.0f} s"
            self._compared = at_us, now
        self._last = at_us
        return ""

    def seconds(self, at_us: int) -> float:
        """The continuous time of an event, seconds."""
        ahead = (at_us - self._micros) & 0xFFFFFFFF
        # A board that was reset counts from 0 again, which looks like a very large step ahead.
        self._micros = self._micros + ahead if ahead < 1 << 31 else at_us
        return self._micros / 1e6
