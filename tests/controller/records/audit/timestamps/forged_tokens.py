"""Time-stamp tokens that are written value by value, so that tests can make any one value wrong."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

SHA1, SHA256 = "1.3.14.3.2.26", "2.16.840.1.101.3.4.2.1"
SIGNED_DATA, TST_INFO = "1.2.840.113549.1.7.2", "1.2.840.113549.1.9.16.1.4"
DATA = "1.2.840.113549.1.7.1"
CONTENT_TYPE, MESSAGE_DIGEST = "1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4"
CERTIFICATE, CERTIFICATE_V2 = "1.2.840.113549.1.9.16.2.12", "1.2.840.113549.1.9.16.2.47"
_ECDSA_WITH_SHA256, _POLICY = "1.2.840.10045.4.3.2", "1.2.3.4.1"
UTC_TIME, GENERALIZED_TIME = 0x17, 0x18
_INTEGER, _OCTETS, _OBJECT, _SEQUENCE, _SET = 0x02, 0x04, 0x06, 0x30, 0x31
_EXPLICIT_0 = 0xA0


def der(tag: int, *parts: bytes) -> bytes:
    """Encode a value with these contents."""
    content = b"".join(parts)
    if len(content) < 0x80:
        return bytes([tag, len(content)]) + content
    size = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 + len(size)]) + size + content


def _object(text: str) -> bytes:
    """Encode an object identifier, such as 1.2.840."""
    first, second, *rest = map(int, text.split("."))
    data = bytearray()
    for number in (40 * first + second, *rest):
        septets = [number & 0x7F]
        while number := number >> 7:
            septets.append(0x80 | number & 0x7F)
        data += bytes(reversed(septets))
    return der(_OBJECT, bytes(data))


def _integer(number: int) -> bytes:
    return der(_INTEGER, number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True))


@dataclass(frozen=True)
class Holder:
    """A certificate and its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def holder(
    name: str,
    issuer: Holder | None = None,
    *,
    is_ca: bool = False,
    path_length: int | None = None,
    signs_certificates: bool | None = None,
    signs: bool = True,
    critical: tuple[x509.ExtensionType, ...] = (),
    purposes: tuple[x509.ObjectIdentifier, ...] = (),
    is_purpose_critical: bool = True,
    key: ec.EllipticCurvePrivateKey | None = None,
    serial: int | None = None,
    days: tuple[float, float] = (-10, 30),
) -> Holder:
    """Make a certificate, by itself or by an issuer, which may be one that must not issue any."""
    key = key or ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(serial or x509.random_serial_number())
        .not_valid_before(now + timedelta(days=days[0]))
        .not_valid_after(now + timedelta(days=days[1]))
        .add_extension(x509.BasicConstraints(is_ca, path_length if is_ca else None), critical=True)
    )
    if signs_certificates is not None:
        usage = x509.KeyUsage(
            digital_signature=signs,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            key_cert_sign=signs_certificates,
            crl_sign=False,
            encipher_only=False,
            decipher_only=False,
        )
        made = made.add_extension(usage, critical=True)
    for extension in critical:
        made = made.add_extension(extension, critical=True)
    if purposes:
        made = made.add_extension(x509.ExtendedKeyUsage(purposes), critical=is_purpose_critical)
    return Holder(made.sign(issuer.key if issuer else key, hashes.SHA256()), key)


stamper = partial(holder, "Stamper", purposes=(ExtendedKeyUsageOID.TIME_STAMPING,))
"""Make a certificate for time stamps alone."""


def forged_token(
    text: bytes,
    signer: Holder,
    *,
    certificates: tuple[Holder, ...] | None = None,
    named: Holder | None = None,
    imprint: tuple[str, bytes] | None = None,
    time: str | None = None,
    time_tag: int = GENERALIZED_TIME,
    version: int = 1,
    kind: str = SIGNED_DATA,
    content_kind: str = TST_INFO,
    message_digest: bytes | None = None,
    content_type: str = TST_INFO,
    attributes: tuple[str, ...] = (CONTENT_TYPE, MESSAGE_DIGEST, CERTIFICATE_V2),
    signers: int = 1,
    info_tail: bytes = b"",
) -> bytes:
    """Make a token for a text. Each option replaces one value of a correct token.

    `certificates` are those in the token, and `named` is the one whose hash the signed attributes
    have. `version`, `imprint` (algorithm and digest) and `time` are the statement's, and
    `info_tail` is added to it. `signers` is how often the signer's entry is there.
    """
    algorithm, digest = imprint or (SHA256, sha256(text).digest())
    info = der(
        _SEQUENCE,
        _integer(version),
        _object(_POLICY),
        der(_SEQUENCE, der(_SEQUENCE, _object(algorithm)), der(_OCTETS, digest)),
        _integer(7),
        der(time_tag, (time or f"{datetime.now(UTC):%Y%m%d%H%M%S}Z").encode()),
        info_tail,
    )
    certificate = (named or signer).certificate
    values = {
        CONTENT_TYPE: _object(content_type),
        MESSAGE_DIGEST: der(_OCTETS, message_digest or sha256(info).digest()),
        CERTIFICATE: _named(certificate, hashes.SHA1()),  # noqa: S303 - of RFC 3161
        CERTIFICATE_V2: _named(certificate, hashes.SHA256()),
    }
    signed = b"".join(
        sorted(der(_SEQUENCE, _object(each), der(_SET, values[each])) for each in attributes)
    )
    signature = signer.key.sign(der(_SET, signed), ec.ECDSA(hashes.SHA256()))
    entry = der(
        _SEQUENCE,
        _integer(1),
        der(
            _SEQUENCE,
            signer.certificate.issuer.public_bytes(),
            _integer(signer.certificate.serial_number),
        ),
        der(_SEQUENCE, _object(SHA256)),
        der(_EXPLICIT_0, signed),
        der(_SEQUENCE, _object(_ECDSA_WITH_SHA256)),
        der(_OCTETS, signature),
    )
    embedded = [
        each.certificate.public_bytes(Encoding.DER)
        for each in ((signer,) if certificates is None else certificates)
    ]
    body = der(
        _SEQUENCE,
        _integer(3),
        der(_SET, der(_SEQUENCE, _object(SHA256))),
        der(_SEQUENCE, _object(content_kind), der(_EXPLICIT_0, der(_OCTETS, info))),
        *([der(_EXPLICIT_0, *sorted(embedded))] if embedded else []),
        der(_SET, *[entry] * signers),
    )
    return der(_SEQUENCE, _object(kind), der(_EXPLICIT_0, body))


def _named(certificate: x509.Certificate, used: hashes.HashAlgorithm) -> bytes:
    """A signed attribute's value that names a certificate by its hash (RFC 5035)."""
    name = der(_OCTETS, certificate.fingerprint(used))
    return der(_SEQUENCE, der(_SEQUENCE, der(_SEQUENCE, name)))


def reply_with(token: bytes, status: int = 0) -> bytes:
    """The reply of an authority that grants a token (0), or grants it with changes (1)."""
    return der(_SEQUENCE, der(_SEQUENCE, _integer(status)), token)
