"""The keys of a log: the first one, and each later one, introduced by an event that the old signed.

A head of size n is signed by the key that was in use when event n-1 was added. The event that
introduces a new key is the last one under the old key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.event_line import AuditEvent
from controller.records.audit.notes import (
    SIGNATURE,
    Checkpoint,
    SignedNote,
    SigningKey,
    VerifierKey,
    decoded,
    encoded,
    verified_checkpoint,
)
from controller.records.data_folder import LOG_FORMAT

LOG_BEGUN, KEY_ROTATED = "log_begun", "key_rotated"
"""The first event of a log, and the event that introduces a new key."""


class KeyChain:
    """The keys of one log in order, each with the smallest size of a head that it signs."""

    def __init__(self, first: VerifierKey) -> None:
        self._keys = [(0, first)]

    @classmethod
    def restored(cls, keys: Sequence[tuple[int, VerifierKey]]) -> KeyChain:
        """The chain that has these `signers`. Raises ValueError if there is none."""
        if not keys:
            raise ValueError("A log has at least one key.")
        chain = cls(keys[0][1])
        chain._keys = list(keys)
        return chain

    @property
    def signers(self) -> tuple[tuple[int, VerifierKey], ...]:
        """All keys, oldest first, each with the smallest size of a head that it signs."""
        return tuple(self._keys)

    @property
    def keys(self) -> tuple[VerifierKey, ...]:
        """All keys, oldest first."""
        return tuple(key for _, key in self._keys)

    @property
    def latest(self) -> VerifierKey:
        """The key that signs now."""
        return self._keys[-1][1]

    @property
    def rotations(self) -> tuple[int, ...]:
        """The indexes of the events that introduce the keys after the first one."""
        return tuple(begin - 2 for begin, _ in self._keys[1:])

    def key_for(self, size: int) -> VerifierKey:
        """The key that signs a head of this size."""
        return next(key for begin, key in reversed(self._keys) if begin <= size)

    def take(self, event: AuditEvent) -> None:
        """Take an event `key_rotated`. Raises RefusedProofError."""
        details = event.details
        texts = [details.get(name) for name in ("old_key", "new_key", "signature")]
        if event.index + 2 <= self._keys[-1][0] or not all(type(text) is str for text in texts):
            raise RefusedProofError(f"Event {event.index} does not introduce a key.")
        old, new, signature = map(str, texts)
        key = VerifierKey.parsed(new)
        statement = rotation_statement(old, new, event.index)
        if (
            old != str(self.latest)
            or key.name != self.latest.name
            or key.purpose != SIGNATURE
            or not self.latest.verify(decoded(signature, "The signature of a new key"), statement)
        ):
            raise RefusedProofError(f"The new key of event {event.index} is not signed by the old.")
        self._keys.append((event.index + 2, key))

    def verified(self, note: SignedNote) -> Checkpoint:
        """The checkpoint of a head of this log. Raises RefusedProofError."""
        return verified_checkpoint(note, self.key_for(Checkpoint.parsed(note.text).size))


def first_key(event: AuditEvent) -> VerifierKey:
    """The key that the first event of a log names. Raises RefusedProofError."""
    details = event.details
    if event.what != LOG_BEGUN or details.get("format") != LOG_FORMAT:
        raise RefusedProofError(f"The first event does not begin a log of the format {LOG_FORMAT}.")
    return VerifierKey.parsed(str(details.get("key")))


def rotation_statement(old: str, new: str, index: int) -> bytes:
    """The message that the old key signs to introduce a new key by the event with this index."""
    return f"wallwright key rotation 1\n{old}\n{new}\n{index}\n".encode()


def rotation_details(old: SigningKey, new: VerifierKey, index: int) -> dict[str, Any]:
    """The details of the event that introduces a new key."""
    statement = rotation_statement(str(old.public), str(new), index)
    return {
        "old_key": str(old.public),
        "new_key": str(new),
        "signature": encoded(old.sign(statement)),
    }
