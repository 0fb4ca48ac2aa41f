"""Checkpoints (c2sp.org/tlog-checkpoint): the origin of a log, its size and its root."""

from __future__ import annotations

import re
from dataclasses import dataclass

from controller.records.audit.errors import RefusedProofError
from controller.records.audit.notes.base64_text import decoded, encoded
from controller.records.audit.notes.signed_note import SignedNote
from controller.records.audit.notes.verifier_key import VerifierKey
from controller.records.audit.tree.hashing import HASH_SIZE

_SIZE = re.compile(r"0|[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class Checkpoint:
    """The head of a log's tree: the number of its events and its root (32 bytes).

    `extensions` are lines that the signer added; a verifier that has no rule for them ignores them.
    Raises RefusedProofError for values that a checkpoint cannot have.
    """

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        lines = (self.origin, *self.extensions)
        if any(not line or "\n" in line for line in lines):
            raise RefusedProofError("The origin and the extensions of a checkpoint are lines.")
        if self.size < 0 or len(self.root) != HASH_SIZE:
            raise RefusedProofError("A checkpoint has a size from 0 on and a root of 32 bytes.")

    @property
    def text(self) -> str:
        """The text that is signed."""
        lines = (self.origin, str(self.size), encoded(self.root), *self.extensions)
        return "".join(f"{line}\n" for line in lines)

    @classmethod
    def parsed(cls, text: str) -> Checkpoint:
        """Parse the text of a signed note. Raises RefusedProofError."""
        lines = text.split("\n")
        if len(lines) < 4 or lines[-1] or not _SIZE.fullmatch(lines[1]):
            raise RefusedProofError(
                "The text is not a checkpoint: its lines are origin, size, root and extensions."
            )
        return cls(
            lines[0], int(lines[1]), decoded(lines[2], "The checkpoint's root"), tuple(lines[3:-1])
        )


def verified_checkpoint(note: SignedNote, key: VerifierKey) -> Checkpoint:
    """The checkpoint of a note that is signed by this key. Raises RefusedProofError."""
    checkpoint = Checkpoint.parsed(note.text)
    if checkpoint.origin != key.name:
        raise RefusedProofError(
            f"The checkpoint belongs to {checkpoint.origin}; expected {key.name}."
        )
    if note.signature_of(key) is None:
        raise RefusedProofError(
            f"The checkpoint of size {checkpoint.size} has no signature of {key.name} with the key"
            f" {key.key_id.hex()}."
        )
    return checkpoint
