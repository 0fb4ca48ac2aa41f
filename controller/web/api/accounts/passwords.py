"""Password hashes: Argon2id with 19 MiB and 2 passes, which a Raspberry Pi computes in a thread."""

from __future__ import annotations

from unicodedata import normalize

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

SHORTEST = 10
"""Fewest characters of a password."""
LONGEST = 200
"""Most characters of a password."""


class Passwords:
    """Hashes and verifies passwords. Both take tens of milliseconds: call them in a thread."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._nobodys = ""

    def hash(self, password: str) -> str:
        """The hash of a password, with a random salt and its cost.

        Keyboards write the same letter as one character or as two, so the composed form is hashed.
        """
        return self._hasher.hash(normalize("NFC", password))

    def verify(self, stored: str, password: str) -> bool:
        """Whether a password has this hash.

        An empty hash stands for an unknown user: then as much is computed, so that the duration
        does not show whether the user exists.
        """
        if not self._nobodys:
            self._nobodys = self._hasher.hash("no user has this password")
        # Versions before 0.3 have hashed a password as it was typed.
        for form in dict.fromkeys((normalize("NFC", password), password)):
            try:
                self._hasher.verify(stored or self._nobodys, form)
            except (Argon2Error, InvalidHashError):
                continue
            return bool(stored)
        return False
