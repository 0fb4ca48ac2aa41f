"""Files of the authority: a new file never overwrites one; others are replaced as a whole."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from config import durable_files, file_locks
from controller.floor.certificates.certificate import CertificateError

PRIVATE, PUBLIC = 0o600, 0o644
LARGEST = 1 << 20
"""Bytes of the largest file that is read; a revocation list with 20,000 entries is shorter."""


def write_new(file: Path, data: bytes, mode: int, owner: str | None = None) -> None:
    """Write a file that does not exist yet, down to the disk. Raises CertificateError.

    It belongs to the user `owner`, if this computer has that user.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        durable_files.write_new(file, data, mode, owner)
    except OSError as error:
        raise CertificateError(
            f"{file} cannot be written ({error.strerror}); an existing file is never overwritten. "
            "Correct the folder and its permissions."
        ) from error


def replace(file: Path, data: bytes, mode: int, owner: str | None = None) -> None:
    """Replace a file as a whole, also at a power cut. Raises CertificateError.

    A reader gets the old file or the new one, each with its owner. `owner` is
    as of `write_new`.
    """
    fresh = file.with_name(f".{file.name}.new")
    try:
        fresh.unlink(missing_ok=True)
        write_new(fresh, data, mode, owner)
        fresh.replace(file)
        durable_files.sync_folder(file.parent)
    except OSError as error:
        raise CertificateError(
            f"{file} cannot be replaced ({error.strerror}); correct the folder and its permissions."
        ) from error


def read(file: Path) -> bytes:
    """Read a file. Raises CertificateError."""
    try:
        with file.open("rb") as stream:
            return stream.read(LARGEST)
    except OSError as error:
        raise CertificateError(
            f"{file} cannot be read ({error.strerror}). Name a folder that `wallwright floor ca"
            " init` has made, as a user who may read it."
        ) from error


def read_certificate(file: Path) -> x509.Certificate:
    """The certificate in a PEM file. Raises CertificateError."""
    data = read(file)
    try:
        return x509.load_pem_x509_certificate(data)
    except ValueError:
        raise CertificateError(
            f"{file} does not contain a certificate; restore it from a copy."
        ) from None


def read_key(file: Path) -> ec.EllipticCurvePrivateKey:
    """The private key in a PEM file that only its owner can read. Raises CertificateError."""
    data = read(file)
    mode = stat.S_IMODE(file.stat().st_mode)
    if mode & 0o077:
        raise CertificateError(
            f"The private key {file} can be read by other users (mode {mode:04o}); if they can be"
            " trusted, run `chmod 600` on it, or else make a new authority."
        )
    try:
        key = serialization.load_pem_private_key(data, None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise CertificateError(
            f"{file} does not contain a private key of P-256; restore it from a copy."
        )
    return key


def pem(value: x509.Certificate | x509.CertificateRevocationList) -> bytes:
    """A certificate or a revocation list as PEM."""
    return value.public_bytes(serialization.Encoding.PEM)


def key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """A private key as PEM, not encrypted."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Exclude other processes that change the folder. Raises CertificateError."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
    except OSError as error:
        raise CertificateError(
            f"{folder} cannot be used ({error.strerror}). Name a folder that `wallwright floor ca"
            " init` has made, as a user who may write it."
        ) from error
    try:
        file_locks.lock(descriptor)
    except OSError:
        raise CertificateError(f"Another command changes {folder}; wait until it ends.") from None
    else:
        yield
    finally:
        os.close(descriptor)
