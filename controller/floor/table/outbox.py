"""Chooses the next events and heads of a table's audit log to send to the floor.

Events are sent in order, and again after a loss (go-back-N). The floor answers each message with
the number of events that it has stored. The outbox goes back to the first event that is not stored
if the floor asks for that, or if no answer has a new position for some time. If a busy floor
answers late, the outbox waits twice as long as the last answer took, because repeated messages
would add to its load. No method of `Outbox` waits; times are seconds of one clock.

A person who has the table's disk and its key can write another log, but not one with the floor's
cosignature. The floor gets a head only after it has stored every event below it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from controller.floor.table.source import TableSource
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.notes import Checkpoint, NoteSignatureLine, SignedNote, VerifierKey

WINDOW = 4
"""Messages that are sent without an answer to the first of them."""
RESEND, LONGEST_RESEND = 10.0, 40.0
"""The least and the most seconds without news after which events are sent again."""
SOONEST = 2.0
"""Least seconds between two times that the outbox goes back because the floor asks for it."""


@dataclass(frozen=True)
class _Sent:
    """A message with events below index `end`, sent at time `at`."""

    end: int
    at: float


class Outbox:
    """The sending state of one log."""

    def __init__(self) -> None:
        self.stored = 0
        """The floor has every event below this index, as far as its answers show."""
        self._next = 0
        self._in_flight: deque[_Sent] = deque()
        self._went_back = float("-inf")
        self._news_at = float("-inf")
        self._patience = RESEND

    def restart(self) -> None:
        """Begin a connection: messages of the earlier one may be lost."""
        self._patience = RESEND
        self._go_back()

    def first_to_send(self, size: int, now: float) -> int | None:
        """The index of the next event to send from a log of this size; None if none is due."""
        due = self.resend_at()
        if due is not None and now >= due:
            self._patience = min(2 * self._patience, LONGEST_RESEND)
            self._go_back()
        if self._next >= size or len(self._in_flight) >= WINDOW:
            return None
        return self._next

    def sent(self, end: int, now: float) -> None:
        """Record that events up to `end` (without it) were sent."""
        self._next = end
        self._in_flight.append(_Sent(end, now))

    def take_position(self, stored: int, size: int, now: float, *, resend: bool = False) -> bool:
        """Take the floor's answer; returns False if it has more events than the log.

        That is only possible if the log was put back to an older state, which its own checks find.
        """
        if stored > size:
            return False
        is_unexpected = stored < self.stored or stored > self._next
        if stored != self.stored:
            self._news_at = now
        self.stored = stored
        if self._in_flight and self._in_flight[0].end <= stored:
            took = now - self._in_flight[0].at
            self._patience = min(max(RESEND, 2 * took), LONGEST_RESEND)
        while self._in_flight and self._in_flight[0].end <= stored:
            self._in_flight.popleft()
        if is_unexpected or (resend and self._in_flight and now >= self._went_back + SOONEST):
            self._went_back = now
            self._go_back()
        return True

    def resend_at(self) -> float | None:
        """The time to repeat the unanswered messages, unless a new position comes before it."""
        if not self._in_flight:
            return None
        return max(self._in_flight[0].at, self._news_at) + self._patience

    def _go_back(self) -> None:
        self._next = self.stored
        self._in_flight.clear()


ASK_EVERY = 300.0
"""Least seconds between two heads that the floor is asked to cosign (our choice)."""


class HeadCosigning:
    """Chooses the heads; it outlives connections. `witness` is the floor's key, None for no heads.

    Times are seconds of one clock.
    """

    def __init__(self, source: TableSource, witness: VerifierKey | None) -> None:
        self._source, self._witness = source, witness
        self.cosigned = 0
        """The size of the last head with a cosignature; 0 before the first one."""
        self._asked: SignedNote | None = None
        self._next = float("-inf")

    async def next_head(self, stored: int, now: float) -> SignedNote | None:
        """The head to send now, if one is due. The floor has stored `stored` events.

        Raises SourceError.
        """
        if self._witness is None or now < self._next or stored <= self.cosigned:
            return None
        head = await self._source.head(stored)
        if head is None or Checkpoint.parsed(head.text).size <= self.cosigned:
            return None
        self._asked, self._next = head, now + ASK_EVERY
        return head

    async def take(self, text: str) -> None:
        """Keep a cosignature of the head that was sent last; an earlier one is ignored.

        Raises RefusedProofError if it was not made with the floor's key, and SourceError.
        """
        if self._witness is None or self._asked is None:
            return
        line = NoteSignatureLine.parsed(text)
        head = self._asked.with_signature(line)
        if head.signature_of(self._witness) is None:
            raise RefusedProofError(
                f"A cosignature is signed by {line.name} ({line.key_id.hex()}); expected"
                f" {self._witness.name} ({self._witness.key_id.hex()}). Compare `witness` in the"
                " table's floor file with the line that `wallwright floor serve` prints."
            )
        await self._source.keep_cosigned(head, self._witness)
        self.cosigned, self._asked = Checkpoint.parsed(head.text).size, None
