"""Password hashes: Argon2id with 19 MiB and 2 passes, which a Raspberry Pi computes in a thread."""

from __future__ import annotations

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
        """The hash of a password, with a random salt and its cost."""
        return self._hasher.hash(password)

    def verify(self, stored: str, password: str) -> bool:
        """Whether a password has this hash.

        An empty hash stands for an unknown user: then as much is computed, so that the duration
        does not show whether the user exists.
        """
        if not self._nobodys:
            self._nobodys = self._hasher.hash("no user has this password")
        try:
            self._hasher.verify(stored or self._nobodys, password)
        except (Argon2Error, InvalidHashError):
            return False
        return bool(stored)
