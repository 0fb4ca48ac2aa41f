"""Seals the machine's shares in the journal until they are revealed.

People with the role auditor may read the journal while a round is played, and its copy can be on a
device that is taken away. A share in the journal is therefore encrypted with a key that stays in a
file of its own beside the journal. That file is never sent and no part of the diagnostics; of
backups, only encrypted ones contain it.
"""

from __future__ import annotations

import hmac
from pathlib import Path

from config.durable_files import replace_file
from controller.run.chance.records import frame
from controller.run.chance.source import SHARE, ChanceSource
from rules.errors import WallwrightError


class SealBrokenError(WallwrightError):
    """The key for the sealed shares is missing or damaged; the message names its file."""


class ShareSeal:
    """The key beside one journal; without a file (None) the key is kept in memory.

    The key is drawn when the first share is sealed. It encrypts each share with a pad of its own:
    HMAC-SHA-256 of the key, the device and the cycle, combined with the share by exclusive or.
    """

    def __init__(self, journal: Path | None) -> None:
        self._file = None if journal is None else journal.with_name(f"{journal.name}.chance-key")
        self._key: bytes | None = None

    @property
    def name(self) -> str:
        """The file of the key, for messages."""
        return "in memory" if self._file is None else str(self._file)

    @property
    def exists(self) -> bool:
        """Whether the key is in its file: then the journal has had a record of a sealed share."""
        return self._file is not None and self._file.exists()

    def seal(self, source: ChanceSource, device: str, cycle: int, share: bytes) -> str:
        """The sealed share, hexadecimal. Raises SealBrokenError, OSError, EntropyFailureError."""
        if self._key is None:
            self._key = self._read() or self._write(source.share("seal"))
        return _combined(share, self._key, device, cycle).hex()

    def open(self, device: str, cycle: int, sealed: str) -> bytes:
        """The share that was sealed. Raises SealBrokenError, and OSError if the file is unreadable.

        A key that was replaced gives a wrong share, which its commitment shows.
        """
        self._key = self._key or self._read()
        if self._key is None:
            raise SealBrokenError(
                f"the key {self.name}, which opens the share of cycle {cycle}, is missing"
            )
        return _combined(bytes.fromhex(sealed), self._key, device, cycle)

    def _read(self) -> bytes | None:
        """The key in its file; None if there is no file."""
        if self._file is None or not self._file.exists():
            return None
        key = self._file.read_bytes()
        if len(key) != SHARE:
            raise SealBrokenError(
                f"the key {self.name} has {len(key)} bytes instead of {SHARE}; restore it"
            )
        return key

    def _write(self, key: bytes) -> bytes:
        """Write a new key to its file, readable by its owner only, and to the disk."""
        if self._file is None:
            return key
        replace_file(self._file, key, 0o600)
        return key


def _combined(share: bytes, key: bytes, device: str, cycle: int) -> bytes:
    pad = hmac.digest(key, frame(b"seal", device.encode(), cycle.to_bytes(8, "big")), "sha256")
    return bytes(one ^ other for one, other in zip(share, pad, strict=True))
