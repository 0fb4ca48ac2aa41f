"""Checks the events of one board and passes what they report on, as typed values."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from firmware_bridge.board import Ended, FaultCode, ProtocolBreach, Reason
from firmware_bridge.boards.fault_feed import MOST_LATCHED, FaultFeed
from firmware_bridge.boards.incoming.board_clock import BoardClock
from firmware_bridge.boards.incoming.breaches import Breaches, MessageRate
from firmware_bridge.boards.incoming.ends import wrong_end, wrong_faces
from firmware_bridge.boards.incoming.replies import HIGHEST_COUNT
from firmware_bridge.boards.lease import Lease
from firmware_bridge.boards.motions import Motions
from firmware_bridge.boards.recognition import Recognition
from firmware_bridge.boards.subscriptions import Subscriptions
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.messages import NONE, Configure, Flag, Kind, Message

_REASONS = frozenset(map(int, Reason))
_FAULTS = frozenset(map(int, FaultCode))
_AT_AN_INPUT = {
    FaultCode.EMERGENCY_STOP: Flag.EMERGENCY,
    FaultCode.LIGHT_CURTAIN: Flag.CURTAIN,
}
"""Faults of an input, and the flag of its channel. The table waits until the input is released, so
another channel could keep it waiting for ever."""


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
