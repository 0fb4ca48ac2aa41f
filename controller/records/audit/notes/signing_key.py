"""An Ed25519 key in a file that only its owner can read; it never leaves the file and the process.

The key is made on the computer that uses it. No method returns the private key.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from config.durable_files import sync_folder, write_new
from controller.records.audit.errors import AuditError, RefusedProofError
from controller.records.audit.notes.checkpoint import Checkpoint
from controller.records.audit.notes.signed_note import (
    NoteSignatureLine,
    SignedNote,
    cosigned_message,
)
from controller.records.audit.notes.verifier_key import COSIGNATURE, SIGNATURE, Purpose, VerifierKey

_HEADER = b"wallwright audit key 1\n"


class SigningKey:
    """A private key with its name and purpose."""

    def __init__(self, name: str, secret: bytes, purpose: Purpose = SIGNATURE) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415
            Ed25519PrivateKey,
        )

        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        self.public = VerifierKey(name, self._key.public_key().public_bytes_raw(), purpose)
        """The key that verifies its signatures."""

    def __repr__(self) -> str:
        return f"SigningKey({self.public})"

    def sign(self, message: bytes) -> bytes:
        """Sign a message: 64 bytes."""
        return bytes(self._key.sign(message))

    def signed(self, checkpoint: Checkpoint) -> SignedNote:
        """Sign a checkpoint of the log that this key belongs to."""
        assert self.public.purpose == SIGNATURE
        text = checkpoint.text
        return SignedNote(text, (self._line(self.sign(text.encode())),))

    def cosignature(self, checkpoint: Checkpoint, seconds: int) -> NoteSignatureLine:
        """Sign a checkpoint as its witness, at this time (seconds since 1970, UTC)."""
        assert self.public.purpose == COSIGNATURE
        signature = self.sign(cosigned_message(checkpoint.text, seconds))
        return self._line(seconds.to_bytes(8, "big") + signature)

    def _line(self, data: bytes) -> NoteSignatureLine:
        return NoteSignatureLine(self.public.name, self.public.key_id, data)


def is_key_file(data: bytes) -> bool:
    """Whether these are the contents of a file of `new_key`."""
    return data.startswith(_HEADER)


def new_key(path: Path, name: str, purpose: Purpose = SIGNATURE) -> SigningKey:
    """Make a key and write it to a new file with mode 0600. Raises AuditError."""
    secret = os.urandom(32)
    key = SigningKey(name, secret, purpose)
    try:
        text = _HEADER + f"{key.public}\n".encode() + secret.hex().encode() + b"\n"
        write_new(path, text, 0o600)
        sync_folder(path.parent)
    except OSError as error:
        raise AuditError(
            f"The key {path} cannot be written ({error.strerror}); correct the directory, and that"
            " no key is there yet."
        ) from error
    return key


def read_key(path: Path) -> SigningKey:
    """Read a key. Raises AuditError for a file that others can read, or that holds no key."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno())
            data = file.read(4096)
    except OSError as error:
        raise AuditError(
            f"The key {path} cannot be read ({error.strerror}); put the file back, or begin a new"
            " log in another directory."
        ) from error
    if stat.S_IMODE(mode.st_mode) & 0o077:
        raise AuditError(
            f"The key {path} can be read by other users (mode"
            f" {stat.S_IMODE(mode.st_mode):04o}); make a new key with"
            " `wallwright audit rotate-key` after `chmod 600` on this one."
        )
    try:
        public, secret, end = data.removeprefix(_HEADER).decode("ascii").split("\n")
        expected = VerifierKey.parsed(public)
        key = SigningKey(expected.name, bytes.fromhex(secret), expected.purpose)
    except (ValueError, RefusedProofError) as error:
        raise _no_key(path) from error
    if key.public != expected or end or not data.startswith(_HEADER):
        raise _no_key(path)
    return key


def _no_key(path: Path) -> AuditError:
    return AuditError(f"{path} does not hold an intact key; put back the key that was there.")
