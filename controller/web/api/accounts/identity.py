"""Identities: users, credentials, what the API derives from a valid credential, and refusals."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal
from unicodedata import normalize

from controller.service.user_roles import UserRole
from rules.errors import WallwrightError

THIS_COMPUTER = "this computer"
"""The source of all clients on the table's own computer."""
CredentialKind = Literal["login", "token", "device", "touchscreen"]


@dataclass(frozen=True)
class User:
    """A person with a password. `created` is in seconds since 1970 (UTC)."""

    name: str
    role: UserRole
    created: float

    @property
    def key(self) -> str:
        """The name in the form by which two names are equal."""
        return self.name.casefold()


@dataclass(frozen=True)
class Credential:
    """A secret that was issued: a login's, a machine's, a device's or the touchscreen's.

    The secret itself is not kept. `name` is the user's name or the label of a machine or device;
    `role` is that of the issue, and for a login the user's present role counts instead. Times are
    in seconds since 1970 (UTC); `expires` None is a credential that is valid until it is revoked.
    """

    id: str
    kind: CredentialKind
    name: str
    role: UserRole
    created: float
    expires: float | None
    maker: str = ""
    """Key of the user by whose rights it was made; empty if an earlier version has made it."""
    ends: float | None = None
    """Seconds for which the service has run when it ends, if it ends by itself."""


@dataclass(frozen=True)
class Identity:
    """The user, device or machine that sends a request, as its credential shows."""

    name: str
    role: UserRole
    credential: str
    kind: CredentialKind
    csrf: str = ""
    """The token that a page sends with requests that change something; empty for machines."""
    maker: str = ""
    """Key of the user by whose rights the caller acts: the user's own, or that of the person who
    made the token or paired the device."""


def key_of(name: str) -> str:
    """The key of a name that a person has typed: some keyboards write a letter as two characters.

    The names of users have the simplest form, unless a version before 0.3 has accepted another.
    """
    return normalize("NFKC", name).casefold()


def digest(secret: str) -> str:
    """The SHA-256 of a random secret, by which it is found. Passwords are hashed with Argon2."""
    return sha256(secret.encode()).hexdigest()


def csrf_token(secret: str) -> str:
    """The CSRF token of a login, derived from its secret."""
    return hmac.new(secret.encode(), b"csrf", sha256).hexdigest()[:32]


class AccountRefusedError(WallwrightError):
    """An account request is refused; `code` names the reason for programs."""

    def __init__(self, code: str, sentence: str, next_step: str, wait: float = 0.0) -> None:
        super().__init__(f"{sentence} {next_step}")
        self.code = code
        self.sentence = sentence
        self.next_step = next_step
        self.wait = wait
        """Seconds until the request may be repeated, if it is refused for some time."""


def is_loopback(address: str) -> bool:
    """Whether a client's address is one of this computer."""
    return source_of(address) == THIS_COMPUTER


def source_of(address: str) -> str:
    """What counts as one client: this computer, an IPv4 address, or an IPv6 network of 64 bits.

    A client has all addresses of such a network. Any other text is a source of its own.
    """
    try:
        parsed: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    found = getattr(parsed, "ipv4_mapped", None) or parsed
    if found.is_loopback:
        return THIS_COMPUTER
    return str(found if found.version == 4 else ip_network((found, 64), strict=False))
