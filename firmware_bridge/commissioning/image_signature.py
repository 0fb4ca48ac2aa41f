"""Signatures of firmware images: Ed25519 (RFC 8032), in a file beside the image.

A build signs the image with the maker's signing key. An image is written to a board only if its
signature is that of a signer whom this host trusts. The signature covers the chip, the build and
the SHA-256 of the image. The board itself cannot check it, because its bootloader cannot.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from firmware_bridge.commissioning.flashing import FlashingError
from firmware_bridge.signatures import (
    KEY_SIZE,
    SIGNATURE_SIZE,
    SignatureError,
    is_hex,
    is_signed,
    read_signers,
    signing_key,
)

FORMAT = "wallwright firmware signature 1"
SUFFIX = ".sig"
_FIELDS = ("chip", "build", "sha256", "signer", "signature")


def _image_hash(image: Path) -> bytes:
    return hashlib.sha256(image.read_bytes()).digest()


def sign(image: Path, chip: str, build: bytes, key_file: Path, signers: Path) -> bytes:
    """Sign an image, and return the signer's public key.

    A signing key that does not exist is created; it then becomes a trusted signer of this host.
    Raises FlashingError for a file that cannot be used.
    """
    try:
        key = signing_key(key_file, signers)
    except SignatureError as error:
        raise FlashingError(str(error), refused=True) from error
    public: bytes = key.public_key().public_bytes_raw()
    text = _statement(chip, build, _image_hash(image), public)
    signature: bytes = key.sign(text.encode("ascii"))
    signed = image.with_name(image.name + SUFFIX)
    signed.write_text(f"{text}signature {signature.hex()}\n", encoding="ascii")
    return public


def require_signed(image: Path, chip: str, build: bytes, signers: Path) -> str:
    """The name of the trusted signer of an image. Raises FlashingError if there is none."""
    fields = _read_signature(image)
    public = bytes.fromhex(fields["signer"])
    try:
        trusted = read_signers(signers)
    except SignatureError as error:
        raise FlashingError(str(error), refused=True) from error
    if public not in trusted:
        raise _refused(
            image,
            f"was signed with the key {public.hex()}, which {signers} does not list; add a line "
            "with a name"
            " and this key, if it is the key that the maker publishes",
        )
    text = _statement(chip, build, _image_hash(image), public)
    if not is_signed(text.encode("ascii"), bytes.fromhex(fields["signature"]), public):
        raise _refused(
            image,
            f"has a wrong signature: the image, its chip {chip} or its build {build.hex()} was"
            " changed after it was signed; get it again from the maker, or build it again",
        )
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
    sizes = {"signer": KEY_SIZE, "signature": SIGNATURE_SIZE}
    sound = head == FORMAT and tuple(fields) == _FIELDS
    if not sound or not all(is_hex(fields[name], size) for name, size in sizes.items()):
        raise _refused(image, f"has a damaged signature file, {file}; build and sign it again")
    return fields
