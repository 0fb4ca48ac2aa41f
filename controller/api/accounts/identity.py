"""Identities: users, credentials, and what the API derives from a valid credential."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import ip_address
from typing import Literal

from controller.service.user_roles import UserRole

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


def digest(secret: str) -> str:
    """The SHA-256 of a random secret, by which it is found. Passwords are hashed with Argon2."""
    return sha256(secret.encode()).hexdigest()


def csrf_token(secret: str) -> str:
    """The CSRF token of a login, derived from its secret."""
    return hmac.new(secret.encode(), b"csrf", sha256).hexdigest()[:32]


def is_loopback(address: str) -> bool:
    """Whether a client's address is one of this computer."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return (mapped or parsed).is_loopback
