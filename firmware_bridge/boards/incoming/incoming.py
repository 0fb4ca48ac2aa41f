"""The entry of one board's messages: connects the checks of replies and events to its link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_bridge.board import Ended, ProtocolBreach, Reason
from firmware_bridge.boards.fault_feed import FaultFeed
from firmware_bridge.boards.incoming.breaches import Breaches
from firmware_bridge.boards.incoming.ends import wrong_end
from firmware_bridge.boards.incoming.events import IncomingEvents
from firmware_bridge.boards.incoming.replies import ReplyCheck
from firmware_bridge.boards.lease import Lease
from firmware_bridge.boards.motions import Motions
from firmware_bridge.boards.recognition import Recognition
from firmware_bridge.boards.subscriptions import Subscriptions
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.link import Link
from firmware_bridge.wire.messages import Configure, Message


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
