"""Makes certificates and revocation lists from values; reads and writes no file."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from controller.floor.certificates.identity import CertificateIdentity

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
