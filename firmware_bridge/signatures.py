"""Ed25519 keys (RFC 8032) in files: a private signing key, and the public keys of signers.

Firmware images, manifests of the program and updates are signed with these keys. A line of the file
of signers is a name and a public key in hexadecimal. Only the standard library and the package
`cryptography` are imported: a manifest is checked before the rest of the program is loaded.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from rules.errors import WallwrightError

OWN = "own"
"""The name of this host's own signer in the file of signers."""
KEY_SIZE = 32
"""Bytes of a private key and of a public key."""
SIGNATURE_SIZE = 64
"""Bytes of a signature."""


class SignatureError(WallwrightError):
    """A key file cannot be used, or a signature is wrong: one sentence with the next step."""


def signing_key(file: Path, signers: Path) -> Ed25519PrivateKey:
    """The private key in a file of mode 0600.

    A key that does not exist is created; it then becomes a trusted signer in the file `signers`.
    Raises SignatureError.
    """
    secret = _read_secret(file)
    if secret is not None:
        return Ed25519PrivateKey.from_private_bytes(secret)
    secret = os.urandom(KEY_SIZE)
    _write_new(file, secret.hex() + "\n", 0o600)
    key = Ed25519PrivateKey.from_private_bytes(secret)
    _trust(signers, key.public_key().public_bytes_raw())
    return key


def is_signed(text: bytes, signature: bytes, public: bytes) -> bool:
    """Whether the signature of a text was made with the private key of this public key."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, text)
    except InvalidSignature:
        return False
    return True


def is_hex(text: str, size: int) -> bool:
    """Whether a text is this number of bytes in hexadecimal."""
    try:
        return len(bytes.fromhex(text)) == size
    except ValueError:
        return False


def read_signers(file: Path) -> dict[bytes, str]:
    """The names of the trusted signers by public key; empty without a file.

    Raises SignatureError for a damaged file, and for one that other users can write.
    """
    try:
        mode = file.stat().st_mode
        lines = file.read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SignatureError(
            f"The file of signers {file} cannot be read ({error}); repair or remove it."
        ) from error
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise SignatureError(
            f"The file of signers {file} is writable by other users (mode"
            f" {stat.S_IMODE(mode):04o}); restrict it: chmod 644 {file}."
        )
    signers: dict[bytes, str] = {}
    for number, line in enumerate(lines, 1):
        name, _, public = line.partition(" ")
        if not line.strip() or line.startswith("#"):
            continue
        if not name or not is_hex(public, KEY_SIZE):
            raise SignatureError(
                f"{file}:{number}: the line is not a name with a public key of {KEY_SIZE} bytes in"
                " hexadecimal; correct or remove it."
            )
        signers[bytes.fromhex(public)] = name
    return signers


def _read_secret(file: Path) -> bytes | None:
    """The signing key; None if the file does not exist. Raises SignatureError."""
    try:
        mode = file.stat().st_mode
        text = file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SignatureError(
            f"The signing key {file} cannot be read ({error}); repair or remove it."
        ) from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SignatureError(
            f"The signing key {file} is readable by other users (mode {stat.S_IMODE(mode):04o});"
            f" restrict it: chmod 600 {file}."
        )
    if not is_hex(text, KEY_SIZE):
        raise SignatureError(
            f"{file} does not contain a signing key of {KEY_SIZE} bytes in hexadecimal; remove it,"
            " and sign again."
        )
    return bytes.fromhex(text)


def _trust(signers: Path, public: bytes) -> None:
    """Add this host's own signing key to the trusted signers. Raises SignatureError."""
    known = read_signers(signers)
    text = signers.read_text(encoding="ascii") if known else ""
    try:
        signers.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        signers.write_text(f"{text}{OWN} {public.hex()}\n", encoding="ascii")
        signers.chmod(0o644)
    except OSError as error:
        raise SignatureError(
            f"The file of signers {signers} cannot be written ({error.strerror}); name another one"
            " with --signers."
        ) from error


def _write_new(file: Path, text: str, mode: int) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(text)
    except OSError as error:
        raise SignatureError(
            f"The signing key {file} cannot be written ({error.strerror}); name another file with"
            " --signing-key."
        ) from error
