"""Public keys as C2SP verifier keys: NAME+KEYID+BASE64 (c2sp.org/signed-note)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Final, Literal

from controller.records.audit.errors import RefusedProofError
from controller.records.audit.notes.base64_text import decoded, encoded

SIGNATURE: Final = 1
COSIGNATURE: Final = 4
"""Signature types: Ed25519 over the note's text, and the timestamped cosignature of a witness."""
_NAME = re.compile(r"[^\s+\x00-\x1f\x7f]{1,200}")
_KEY_SIZE = 32

Purpose = Literal[1, 4]


@dataclass(frozen=True)
class VerifierKey:
    """A name, the type of its signatures, and an Ed25519 public key (32 bytes).

    Raises RefusedProofError for a name or a key that is not possible.
    """

    name: str
    public: bytes
    purpose: Purpose = SIGNATURE

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise RefusedProofError(
                f"{self.name!r} cannot name a key; use 1 to 200 characters without spaces and '+'."
            )
        if len(self.public) != _KEY_SIZE:
            raise RefusedProofError(
                f"The public key of {self.name} has {len(self.public)} bytes; Ed25519 has 32."
            )

    @cached_property
    def key_id(self) -> bytes:
        """The first 4 bytes of the SHA-256 of name, type and key."""
        text = self.name.encode() + b"\n" + bytes([self.purpose]) + self.public
        return sha256(text).digest()[:4]

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the public key as 8 groups of 8 digits, for people to compare."""
        digest = sha256(self.public).hexdigest()
        return " ".join(digest[at : at + 8] for at in range(0, 64, 8))

    def __str__(self) -> str:
        key = encoded(bytes([self.purpose]) + self.public)
        return f"{self.name}+{self.key_id.hex()}+{key}"

    @classmethod
    def parsed(cls, text: str) -> VerifierKey:
        """Parse NAME+KEYID+BASE64. Raises RefusedProofError."""
        parts = text.split("+", 2)
        if len(parts) != 3:
            raise RefusedProofError(f"{text!r} is not a key of the form NAME+KEYID+BASE64.")
        data = decoded(parts[2], f"The key of {parts[0]}")
        if not data or data[0] not in {SIGNATURE, COSIGNATURE}:
            raise RefusedProofError(f"The key of {parts[0]} has an unknown type.")
        key = cls(parts[0], data[1:], SIGNATURE if data[0] == SIGNATURE else COSIGNATURE)
        if str(key) != text:
            raise RefusedProofError(f"The key id of {parts[0]} does not belong to its key.")
        return key

    def verify(self, signature: bytes, message: bytes) -> bool:
        """Whether the bytes are a signature of the message by this key."""
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - takes 40 ms
        from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
            Ed25519PublicKey,
        )

        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True
