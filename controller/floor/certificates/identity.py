"""Who a certificate is for: its kind and its name."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from enum import StrEnum

from controller.floor.messages.topics import require_name
from rules.errors import WallwrightError


class CertificateError(WallwrightError, ValueError):
    """A folder, a name or a date with which the authority cannot do what it was asked to do."""


LONGEST_COMMON_NAME = 64
"""Characters of a common name (RFC 5280, ub-common-name)."""
HOST_LABEL = re.compile(r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)")


class CertificateKind(StrEnum):
    """What the owner of a certificate does.

    A table and a reader are clients of the broker. A server is a floor service: a client of the
    broker that also serves a page. A broker is never a client.
    """

    TABLE = "table"
    SERVER = "server"
    BROKER = "broker"
    READER = "reader"

    @property
    def is_client(self) -> bool:
        """Whether the owner connects to the broker."""
        return self is not CertificateKind.BROKER

    @property
    def has_hosts(self) -> bool:
        """Whether others connect to the owner by a host name."""
        return self in (CertificateKind.SERVER, CertificateKind.BROKER)


@dataclass(frozen=True, order=True)
class CertificateIdentity:
    """A kind and a name, such as `table t-07`. Raises TopicError and CertificateError."""

    kind: CertificateKind
    name: str

    def __post_init__(self) -> None:
        require_name(self.name, self.kind.value)
        if len(self.common_name) > LONGEST_COMMON_NAME:
            raise CertificateError(
                f"The name of a {self.kind} has at most"
                f" {LONGEST_COMMON_NAME - len(self.kind) - 1} characters; got {len(self.name)}."
            )

    @property
    def common_name(self) -> str:
        """The common name: the name itself for a table, and KIND.NAME for the others.

        No table's name has a dot, so that no table can have the name of another kind.
        """
        return self.name if self.kind is CertificateKind.TABLE else f"{self.kind}.{self.name}"

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def identity_of(common_name: str) -> CertificateIdentity:
    """The identity with a common name. Raises CertificateError and TopicError."""
    kind, dot, name = common_name.partition(".")
    if not dot:
        return CertificateIdentity(CertificateKind.TABLE, common_name)
    if kind in set(CertificateKind) - {CertificateKind.TABLE}:
        return CertificateIdentity(CertificateKind(kind), name)
    raise CertificateError(
        f"The common name {common_name[:80]!r} does not belong to this authority."
    )


def require_host(text: str) -> str:
    """Return a host name or an IP address. Raises CertificateError."""
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        pass
    if len(text) > 253 or not all(map(HOST_LABEL.fullmatch, text.split("."))):
        raise CertificateError(
            f"`--host` must be a host name or an IP address, such as broker.club; got"
            f" {text[:80]!r}."
        )
    return text.lower()
