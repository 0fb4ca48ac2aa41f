"""Encrypts a backup in the age format, by a passphrase or for recipients, and opens it.

The format is that of age-encryption.org, so the program `age` opens a backup too. Passphrases and
private keys are never written or printed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyrage

from config.durable_files import sync_folder, write_new
from controller.records.backup.archive import BackupError

AGE = b"age-encryption.org/v1\n"
"""The first line of an encrypted file."""
SHORTEST_PASSPHRASE = 12
"""Characters of the shortest passphrase (our choice); each try of a guess takes about a second."""
_SCRYPT = b"-> scrypt "
_TOO_SLOW = "Excessive work parameter"
_MEASUREMENTS = 5
"""How often the speed of a busy computer is measured before a passphrase counts as too slow."""


@dataclass(frozen=True)
class Sealing:
    """How a backup is encrypted: by a passphrase, or for recipients; with neither it is plain."""

    passphrase: str | None = None
    recipients: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether the backup is not encrypted."""
        return self.passphrase is None and not self.recipients


def require_good(passphrase: str) -> str:
    """Return the passphrase. Raises BackupError for one that is too short."""
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise BackupError(
            f"The passphrase has {len(passphrase)} characters; it must have at least"
            f" {SHORTEST_PASSPHRASE}. Use several words."
        )
    return passphrase


def require_recipients(texts: Sequence[str]) -> None:
    """Raise BackupError for a text that is not a public key."""
    for text in texts:
        _recipient(text)


def _recipient(text: str) -> object:
    try:
        return pyrage.x25519.Recipient.from_str(text)
    except pyrage.RecipientError as error:
        raise BackupError(
            f"The recipient '{text[:12]}...' is not a public key; it begins with age1, as"
            " `wallwright backup make-key FILE` prints it."
        ) from error


def sealed(data: bytes, sealing: Sealing) -> bytes:
    """The encrypted data; the data itself if it is plain. Raises BackupError."""
    if sealing.passphrase is not None:
        return bytes(pyrage.passphrase.encrypt(data, sealing.passphrase))
    if sealing.recipients:
        return bytes(pyrage.encrypt(data, [_recipient(text) for text in sealing.recipients]))
    return data


def is_sealed(data: bytes) -> bool:
    """Whether a file is encrypted."""
    return data.startswith(AGE)


def needs_passphrase(data: bytes) -> bool:
    """Whether a file was encrypted by a passphrase."""
    return data[len(AGE) :].startswith(_SCRYPT)


def opened(data: bytes, passphrase: str | None, identities: Sequence[str]) -> bytes:
    """The decrypted data; plain data is returned as it is. Raises BackupError."""
    if not is_sealed(data):
        return data
    try:
        if needs_passphrase(data):
            if passphrase is None:
                raise BackupError(
                    "The backup is encrypted with a passphrase; give it with --passphrase-file "
                    "FILE,"
                    " or run the command at a terminal."
                )
            return _opened_by_passphrase(data, passphrase)
        keys = [pyrage.x25519.Identity.from_str(text) for text in identities]
        if not keys:
            raise BackupError(
                "The backup is encrypted for a key; give the file of the private key with"
                " --identity FILE."
            )
        return bytes(pyrage.decrypt(data, keys))
    except pyrage.IdentityError as error:
        raise BackupError(
            "The identity file has no private key that is written as AGE-SECRET-KEY-1...; name the"
            " file that `wallwright backup make-key` wrote."
        ) from error
    except pyrage.DecryptError as error:
        what = "passphrase" if needs_passphrase(data) else "private key"
        raise BackupError(
            f"The backup cannot be decrypted: the {what} is wrong, or the file was changed or cut"
            " off. Nothing was changed here."
        ) from error


def _opened_by_passphrase(data: bytes, passphrase: str) -> bytes:
    """Raises pyrage.DecryptError, and BackupError if this computer is too slow.

    age refuses a passphrase that would take more than about 16 s. It measures the computer's speed
    for a few milliseconds each time, so a busy computer can seem much too slow once.
    """
    for _ in range(_MEASUREMENTS):
        try:
            return bytes(pyrage.passphrase.decrypt(data, passphrase))
        except pyrage.DecryptError as error:
            if _TOO_SLOW not in str(error):
                raise
    raise BackupError(
        "The passphrase was not tried, because this computer would need more than about 16 s for"
        " it. Decrypt the backup on the computer that made it, or with the program age, whose"
        " files have the same format. Nothing was changed here."
    )


def make_identity(file: Path) -> str:
    """Write a new private key to a new file with mode 0600; returns its public key.

    Raises BackupError if the file cannot be written, also if there is one already.
    """
    identity = pyrage.x25519.Identity.generate()
    public = str(identity.to_public())
    try:
        write_new(file, f"# public key: {public}\n{identity}\n".encode("ascii"), 0o600)
        sync_folder(file.parent)
    except OSError as error:
        raise BackupError(
            f"The key {file} cannot be written ({error.strerror}); name a new file."
        ) from error
    return public


def read_secret(file: Path) -> str:
    """The text of a file with a secret. Raises BackupError if others can read it."""
    try:
        with file.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            text = stream.read(1 << 16).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text file"
        raise BackupError(f"The file {file} cannot be read ({reason}); name another.") from error
    if mode & 0o077:
        raise BackupError(
            f"The file {file} can be used by other users (mode {mode & 0o777:04o}); type: chmod 600"
            f" {file}."
        )
    return text


def passphrase_in(file: Path) -> str:
    """The first line of a file. Raises BackupError, also for an empty line."""
    line = read_secret(file).split("\n", 1)[0].rstrip("\r")
    if not line:
        raise BackupError(f"The first line of {file} is empty; write the passphrase there.")
    return line


def identities_in(file: Path) -> tuple[str, ...]:
    """The private keys in a file, one a line; lines that begin with # are comments."""
    lines = (line.strip() for line in read_secret(file).splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))
