"""Has the heads of the table's audit log cosigned by the floor, and keeps the cosignatures.

A person who has the table's disk and its key can write another log, but not one with the floor's
cosignature. The floor gets a head only after it has stored every event below it.
"""

from __future__ import annotations

from controller.floor.table.source import TableSource
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.notes.checkpoint import Checkpoint
from controller.records.audit.notes.signed_note import NoteSignatureLine, SignedNote
from controller.records.audit.notes.verifier_key import VerifierKey

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

        Raises RefusedProofError if it is none of the floor's key, and SourceError.
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
