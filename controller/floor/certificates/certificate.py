"""Certificates and revocation lists: whom they are for, and how they are made from values.

This module reads and writes no file.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from controller.floor.messages import require_name
from rules.errors import WallwrightError


class CertificateError(WallwrightError, ValueError):
    """The authority cannot execute an order because of a folder, a name or a date."""


LONGEST_COMMON_NAME = 64
"""Characters of a common name (RFC 5280, ub-common-name)."""
HOST_LABEL = re.compile(r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)")


class CertificateKind(StrEnum):
    """The kind of the owner of a certificate.

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


CLOCK_MARGIN = timedelta(days=1)
"""A certificate is valid from this time before it was made: a table's clock may be behind."""


@dataclass(frozen=True)
class CertificateSigner:
    """The authority's certificate and its private key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def new_private_key() -> ec.EllipticCurvePrivateKey:
    """A new private key on the curve P-256."""
    return ec.generate_private_key(ec.SECP256R1())


def authority_certificate(
    floor: str, key: ec.EllipticCurvePrivateKey, now: datetime, days: int
) -> x509.Certificate:
    """The certificate of an authority, signed by itself. It may sign no further authority."""
    name = _name(f"authority of floor {floor}", floor)
    public = key.public_key()
    return (
        _builder(name, name, public, now, days)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(authority=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .sign(key, hashes.SHA256())
    )


def device_certificate(
    identity: CertificateIdentity,
    hosts: Iterable[str],
    public: ec.EllipticCurvePublicKey,
    signer: CertificateSigner,
    now: datetime,
    days: int,
) -> x509.Certificate:
    """The certificate of a table, a server, a broker or a reader."""
    floor = floor_of(signer.certificate)
    usages = [
        *([ExtendedKeyUsageOID.CLIENT_AUTH] if identity.kind.is_client else []),
        *([ExtendedKeyUsageOID.SERVER_AUTH] if identity.kind.has_hosts else []),
    ]
    names = [
        *map(_host_name, hosts),
        x509.UniformResourceIdentifier(f"wallwright:{floor}/{identity.kind}/{identity.name}"),
    ]
    subject = _name(identity.common_name, floor)
    return (
        _builder(subject, signer.certificate.subject, public, now, days)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(authority=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(_authority_identifier(signer), critical=False)
        .sign(signer.key, hashes.SHA256())
    )


def revocation_list(
    revoked: Mapping[int, datetime],
    number: int,
    signer: CertificateSigner,
    now: datetime,
    ends: datetime,
) -> x509.CertificateRevocationList:
    """The list of revoked serial numbers with their times; it has to be replaced before `ends`."""
    builder = (
        x509.CertificateRevocationListBuilder()
        .issuer_name(signer.certificate.subject)
        .last_update(now)
        .next_update(ends)
        .add_extension(x509.CRLNumber(number), critical=False)
        .add_extension(_authority_identifier(signer), critical=False)
    )
    for serial, moment in sorted(revoked.items()):
        entry = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(moment)
        builder = builder.add_revoked_certificate(entry.build())
    return builder.sign(signer.key, hashes.SHA256())


def floor_of(certificate: x509.Certificate) -> str:
    """The floor that a certificate is for. Raises IndexError if it has none."""
    return str(
        certificate.subject.get_attributes_for_oid(NameOID.ORGANIZATIONAL_UNIT_NAME)[0].value
    )


def fingerprint_of(certificate: x509.Certificate) -> str:
    """The SHA-256 of a certificate in hexadecimal, as other programs print it too."""
    return certificate.fingerprint(hashes.SHA256()).hex()


def common_name_of(certificate: x509.Certificate) -> str:
    """The common name of a certificate. Raises IndexError if it has none."""
    return str(certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)


def hosts_of(certificate: x509.Certificate) -> tuple[str, ...]:
    """The host names and addresses of a certificate."""
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    addresses = names.get_values_for_type(x509.IPAddress)
    return (*names.get_values_for_type(x509.DNSName), *map(str, addresses))


def _host_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _name(common_name: str, floor: str) -> x509.Name:
    attributes = [
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Wallwright"),
        x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, floor),
        x509.NameAttribute(NameOID.COMMON_NAME, common_name),
    ]
    return x509.Name(attributes)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    public: ec.EllipticCurvePublicKey,
    now: datetime,
    days: int,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCK_MARGIN)
        .not_valid_after(now + timedelta(days=days))
    )


def _authority_identifier(signer: CertificateSigner) -> x509.AuthorityKeyIdentifier:
    return x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.key.public_key())


def _key_usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=authority,
        encipher_only=False,
        decipher_only=False,
    )
