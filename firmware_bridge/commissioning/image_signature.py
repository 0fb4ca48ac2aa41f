"""Signatures of firmware images: Ed25519 (RFC 8032), in a file beside the image.

A build signs the image with the maker's signing key. An image is written to a board only if its
signature is that of a signer whom this host trusts. The signature covers the chip, the build and
the SHA-256 of the image. The board itself cannot check it, because its bootloader cannot.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from firmware_bridge.commissioning.device_keys import default_file
from firmware_bridge.commissioning.flashing import FlashingError

FORMAT = "wallwright firmware signature 1"
SUFFIX = ".sig"
OWN = "own"
"""The name of this host's own signer in the file of signers."""
_FIELDS = ("chip", "build", "sha256", "signer", "signature")
_KEY_SIZE = 32


def signing_key_file() -> Path:
    """The default file of the signing key: ~/.config/wallwright/signing_key, mode 0600."""
    return default_file().with_name("signing_key")


def signers_file() -> Path:
    """The default file of the trusted signers: ~/.config/wallwright/signers.

    A line is a name and a public key in hexadecimal.
    """
    return default_file().with_name("signers")


def _image_hash(image: Path) -> bytes:
    return hashlib.sha256(image.read_bytes()).digest()


def sign(image: Path, chip: str, build: bytes, key_file: Path, signers: Path) -> bytes:
    """Sign an image, and return the signer's public key.

    A signing key that does not exist is created; it then becomes a trusted signer of this host.
    Raises FlashingError for a file that cannot be used.
    """
    secret = _read_secret(key_file)
    created = secret is None
    if secret is None:
        secret = os.urandom(_KEY_SIZE)
        _write_new(key_file, secret.hex() + "\n", 0o600)
    key = Ed25519PrivateKey.from_private_bytes(secret)
    public: bytes = key.public_key().public_bytes_raw()
    if created:
        _trust(signers, public)
    text = _statement(chip, build, _image_hash(image), public)
    signature: bytes = key.sign(text.encode("ascii"))
    signed = image.with_name(image.name + SUFFIX)
    signed.write_text(f"{text}signature {signature.hex()}\n", encoding="ascii")
    return public


def require_signed(image: Path, chip: str, build: bytes, signers: Path) -> str:
    """The name of the trusted signer of an image. Raises FlashingError if there is none."""
    fields = _read_signature(image)
    public = bytes.fromhex(fields["signer"])
    trusted = _read_signers(signers)
    if public not in trusted:
        raise _refused(
            image,
            f"was signed by {public.hex()}, whom {signers} does not list; add a line with a name"
            " and this key, if it is the key that the maker publishes",
        )
    text = _statement(chip, build, _image_hash(image), public)
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(
            bytes.fromhex(fields["signature"]), text.encode("ascii")
        )
    except InvalidSignature:
        raise _refused(
            image,
            f"has a wrong signature: the image, its chip {chip} or its build {build.hex()} was"
            " changed after it was signed; get it again from the maker, or build it again",
        ) from None
    return trusted[public]


def _refused(image: Path, why: str) -> FlashingError:
    return FlashingError(
        f"{image} {why}. To write your own build without a signature, add --unsigned.",
        refused=True,
    )


def _statement(chip: str, build: bytes, sha256: bytes, public: bytes) -> str:
    """The signed text: all lines of the file but the last one."""
    return (
        f"{FORMAT}\nchip {chip}\nbuild {build.hex()}\nsha256 {sha256.hex()}\n"
        f"signer {public.hex()}\n"
    )


def _read_signature(image: Path) -> dict[str, str]:
    """The fields of the signature file of an image. Raises FlashingError."""
    file = image.with_name(image.name + SUFFIX)
    try:
        head, *lines = file.read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        raise _refused(
            image, "is not signed; sign it: wallwright firmware build signs what it builds"
        ) from None
    except (OSError, ValueError):
        head, lines = "", []
    fields = dict(line.split(" ", 1) for line in lines if " " in line)
    sizes = {"signer": _KEY_SIZE, "signature": 2 * _KEY_SIZE}
    sound = head == FORMAT and tuple(fields) == _FIELDS
    if not sound or not all(_is_hex(fields[name], size) for name, size in sizes.items()):
        raise _refused(image, f"has a damaged signature file, {file}; build and sign it again")
    return fields


def _is_hex(text: str, size: int) -> bool:
    try:
        return len(bytes.fromhex(text)) == size
    except ValueError:
        return False


def _read_secret(file: Path) -> bytes | None:
    """The signing key; None if the file does not exist. Raises FlashingError."""
    try:
        mode = file.stat().st_mode
        text = file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise FlashingError(
            f"The signing key {file} cannot be read ({error}); repair or remove it.", refused=True
        ) from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise FlashingError(
            f"The signing key {file} is readable by other users (mode {stat.S_IMODE(mode):04o});"
            f" restrict it: chmod 600 {file}.",
            refused=True,
        )
    if not _is_hex(text, _KEY_SIZE):
        raise FlashingError(
            f"{file} does not contain a signing key of {_KEY_SIZE} bytes in hexadecimal; remove it,"
            " and build again.",
            refused=True,
        )
    return bytes.fromhex(text)


def _read_signers(file: Path) -> dict[bytes, str]:
    """The names of the trusted signers by public key. Raises FlashingError."""
    try:
        mode = file.stat().st_mode
        lines = file.read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise FlashingError(
            f"The file of signers {file} cannot be read ({error}); repair or remove it.",
            refused=True,
        ) from error
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise FlashingError(
            f"The file of signers {file} is writable by other users (mode"
            f" {stat.S_IMODE(mode):04o}); restrict it: chmod 644 {file}.",
            refused=True,
        )
    signers: dict[bytes, str] = {}
    for number, line in enumerate(lines, 1):
        name, _, public = line.partition(" ")
        if not line.strip() or line.startswith("#"):
            continue
        if not name or not _is_hex(public, _KEY_SIZE):
            raise FlashingError(
                f"{file}:{number}: the line is not a name with a public key of {_KEY_SIZE} bytes in"
                " hexadecimal; correct or remove it.",
                refused=True,
            )
        signers[bytes.fromhex(public)] = name
    return signers


def _trust(signers: Path, public: bytes) -> None:
    """Add this host's own signing key to the trusted signers. Raises FlashingError."""
    known = _read_signers(signers)
    text = signers.read_text(encoding="ascii") if known else ""
    try:
        signers.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        signers.write_text(f"{text}{OWN} {public.hex()}\n", encoding="ascii")
        signers.chmod(0o644)
    except OSError as error:
        raise FlashingError(
            f"The file of signers {signers} cannot be written ({error.strerror}); name another one"
            " with --signers.",
            refused=True,
        ) from error


def _write_new(file: Path, text: str, mode: int) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(text)
    except OSError as error:
        raise FlashingError(
            f"The signing key {file} cannot be written ({error.strerror}); name another file with"
            " --signing-key.",
            refused=True,
        ) from error
