"""Signed notes and checkpoints of C2SP, and the Ed25519 keys that sign and verify them.

A signed note (c2sp.org/signed-note) is a text, an empty line, and one line for each signature. The
text of a checkpoint (c2sp.org/tlog-checkpoint) is the origin of a log, its size and its root.
Public keys are verifier keys: NAME+KEYID+BASE64. A private key is made on the computer that uses
it, in a file that only its owner can read; no method returns it.
"""

from __future__ import annotations

import binascii
import os
import re
import stat
from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

from config.durable_files import sync_folder, write_new
from controller.records.audit.errors import AuditError, RefusedProofError
from controller.records.audit.tree import HASH_SIZE


def encoded(data: bytes) -> str:
    """Encode bytes as base64 (RFC 4648, section 4)."""
    return b64encode(data).decode("ascii")


def decoded(text: str, what: str) -> bytes:
    """Decode base64. Raises RefusedProofError for a text that `encoded` does not write."""
    try:
        data = b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise RefusedProofError(f"{what} is not base64 ({error}).") from error
    if encoded(data) != text:
        raise RefusedProofError(f"{what} is not canonical base64.")
    return data


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


_DASH = "\N{EM DASH} "
_LONGEST = 1_000_000
"""Characters of the longest note that is parsed (our choice)."""


@dataclass(frozen=True)
class NoteSignatureLine:
    """One signature: the name of its key, the key's id (4 bytes), and the signature's bytes."""

    name: str
    key_id: bytes
    data: bytes

    def __str__(self) -> str:
        return f"{_DASH}{self.name} {encoded(self.key_id + self.data)}"

    @classmethod
    def parsed(cls, line: str) -> NoteSignatureLine:
        """Parse a line. Raises RefusedProofError."""
        name, space, text = line.removeprefix(_DASH).partition(" ")
        if not line.startswith(_DASH) or not name or not space:
            raise RefusedProofError(f"{line[:80]!r} is not a signature line.")
        data = decoded(text, f"The signature of {name}")
        if len(data) < 5:
            raise RefusedProofError(f"The signature of {name} is too short.")
        return cls(name, data[:4], data[4:])


@dataclass(frozen=True)
class SignedNote:
    """A text, whose lines all end with a newline, and its signatures."""

    text: str
    signatures: tuple[NoteSignatureLine, ...]

    def __str__(self) -> str:
        return self.text + "\n" + "".join(f"{line}\n" for line in self.signatures)

    @classmethod
    def parsed(cls, note: str) -> SignedNote:
        """Parse a note. Raises RefusedProofError for a note that `str` does not write."""
        text, separator, below = note.rpartition("\n\n")
        lines = below.split("\n")
        if len(note) > _LONGEST or not separator or not text or lines[-1]:
            raise RefusedProofError("The text is not a signed note: its last lines must be signed.")
        if any(ord(letter) < 32 and letter != "\n" for letter in note):
            raise RefusedProofError("The signed note contains a control character.")
        signatures = tuple(NoteSignatureLine.parsed(line) for line in lines[:-1])
        if not signatures:
            raise RefusedProofError("The note has no signature.")
        return cls(text + "\n", signatures)

    def signature_of(self, key: VerifierKey) -> NoteSignatureLine | None:
        """The verified signature of a key; None if the note has none.

        Raises RefusedProofError if the note has one that does not verify.
        """
        for line in self.signatures:
            if line.name == key.name and line.key_id == key.key_id:
                if not _is_valid(line, key, self.text):
                    raise RefusedProofError(f"The signature of {key.name} is wrong.")
                return line
        return None

    def with_signature(self, line: NoteSignatureLine) -> SignedNote:
        """The note with one more signature; the same note if it has this one already."""
        if line in self.signatures:
            return self
        return SignedNote(self.text, (*self.signatures, line))


def cosigned_message(text: str, seconds: int) -> bytes:
    """The message that a witness signs: checkpoint text and time (c2sp.org/tlog-cosignature)."""
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()


def cosigned_at(line: NoteSignatureLine) -> int:
    """The time of a cosignature, in seconds since 1970 (UTC)."""
    return int.from_bytes(line.data[:8], "big")


def _is_valid(line: NoteSignatureLine, key: VerifierKey, text: str) -> bool:
    if key.purpose == COSIGNATURE:
        return key.verify(line.data[8:], cosigned_message(text, cosigned_at(line)))
    return key.verify(line.data, text.encode())


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
            raise RefusedProofError(
                "The origin and each extension of a checkpoint must be one line."
            )
        if self.size < 0 or len(self.root) != HASH_SIZE:
            raise RefusedProofError(
                "A checkpoint must have a size of 0 or more and a root of 32 bytes."
            )

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
            f"The key {path} cannot be written ({error.strerror}); correct the directory, and "
            "check that it contains no key yet."
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
            f" {stat.S_IMODE(mode.st_mode):04o}); run `chmod 600` on it, then make a new key with "
            "`wallwright audit rotate-key`."
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
