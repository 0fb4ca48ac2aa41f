"""Secrets with which people log in: passwords, the link of the first start, and pairing codes.

Passwords are hashed by Argon2id with 19 MiB and 2 passes, which a Raspberry Pi computes in a
thread. The link and the codes can be used once.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from unicodedata import normalize

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from controller.service.user_roles import UserRole

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


FIRST_START_LIFE = 3600.0
"""Seconds for which the link of the first start is valid; a restart makes a new one."""
PAIRING_LIFE = 600.0
"""Seconds for which a pairing code is valid."""
MOST_CODES = 20
"""Pairing codes that are valid at the same time; the oldest is dropped."""

_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Letters and digits that are not easily confused: no I, L, O, 0 and 1."""
_CODE = 8
"""Letters of a pairing code: 39 bits, with at most 20 attempts before the address is locked."""


@dataclass(frozen=True)
class Pairing:
    """A device that may log in with a code: its name, its role, and until when."""

    name: str
    role: UserRole
    expires: float
    """Seconds of the clock of `OneTimeSecrets`."""
    maker: str = ""
    """Key of the technician who has made the code."""


class OneTimeSecrets:
    """Issues secrets and accepts each of them once, before it expires; kept in memory only.

    Times are seconds of a clock that cannot be set: a clock that is set back, or that is wrong
    until the network is there, would otherwise make a code valid for longer, or valid again.
    """

    def __init__(self) -> None:
        self._first_start: tuple[str, float] | None = None
        self._codes: dict[str, Pairing] = {}

    def issue_first_start(self, now: float) -> str:
        """A new token for the link of the first start; the one before becomes invalid."""
        self._first_start = (secrets.token_urlsafe(24), now + FIRST_START_LIFE)
        return self._first_start[0]

    def is_first_start(self, token: str, now: float) -> bool:
        """Whether the token is that of the link, and has not expired."""
        if self._first_start is None or now >= self._first_start[1]:
            return False
        return secrets.compare_digest(token.encode(), self._first_start[0].encode())

    def issue_code(
        self, name: str, role: UserRole, now: float, maker: str = ""
    ) -> tuple[str, Pairing]:
        """A new pairing code for a device."""
        self._codes = {code: each for code, each in self._codes.items() if now < each.expires}
        while len(self._codes) >= MOST_CODES:
            del self._codes[next(iter(self._codes))]
        code = "".join(secrets.choice(_LETTERS) for _ in range(_CODE))
        self._codes[code] = Pairing(name, role, now + PAIRING_LIFE, maker)
        return code, self._codes[code]

    def end_codes_of(self, maker: str) -> None:
        """End the codes that a technician has made."""
        self._codes = {code: each for code, each in self._codes.items() if each.maker != maker}

    def use_code(self, code: str, now: float) -> Pairing | None:
        """The device of a code, which becomes invalid; None for an unknown or expired code."""
        pairing = self._codes.pop(code.strip().upper().replace("-", "").replace(" ", ""), None)
        return pairing if pairing is not None and now < pairing.expires else None
