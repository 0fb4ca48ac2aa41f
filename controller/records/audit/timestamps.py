"""Time stamps of signed heads by a time-stamping authority (RFC 3161, RFC 5652).

It makes the request and verifies the token. The structures of the RFCs are declared here;
`cryptography` reads and writes their DER (decision 73).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Annotated, Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat import asn1
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.utils import CryptographyDeprecationWarning
from cryptography.x509.oid import ExtendedKeyUsageOID

from controller.records.audit.errors import RefusedProofError

_SIGNED_DATA = x509.ObjectIdentifier("1.2.840.113549.1.7.2")
_TST_INFO = x509.ObjectIdentifier("1.2.840.113549.1.9.16.1.4")
_CONTENT_TYPE = x509.ObjectIdentifier("1.2.840.113549.1.9.3")
_MESSAGE_DIGEST = x509.ObjectIdentifier("1.2.840.113549.1.9.4")
_CERTIFICATE = x509.ObjectIdentifier("1.2.840.113549.1.9.16.2.12")
_CERTIFICATE_V2 = x509.ObjectIdentifier("1.2.840.113549.1.9.16.2.47")
_SHA256 = x509.ObjectIdentifier("2.16.840.1.101.3.4.2.1")
_HASHES: dict[x509.ObjectIdentifier, hashes.HashAlgorithm] = {
    _SHA256: hashes.SHA256(),
    x509.ObjectIdentifier("2.16.840.1.101.3.4.2.2"): hashes.SHA384(),
    x509.ObjectIdentifier("2.16.840.1.101.3.4.2.3"): hashes.SHA512(),
}
_UNREADABLE = (
    *(ValueError, TypeError, LookupError, UnsupportedAlgorithm, x509.InvalidVersion),
    *(x509.DuplicateExtension, x509.UnsupportedGeneralNameType),
)
"""What `cryptography` raises for certificates and values that it cannot read."""
_EVALUATED = (
    *(x509.BasicConstraints.oid, x509.KeyUsage.oid, x509.ExtendedKeyUsage.oid),
    *(x509.SubjectAlternativeName.oid, x509.NameConstraints.oid, x509.CertificatePolicies.oid),
    *(x509.PolicyConstraints.oid, x509.InhibitAnyPolicy.oid),
)
"""The extensions that may be critical. Those of names and policies are not evaluated (decision 73);
a certificate with any other critical extension is refused (RFC 5280, section 4.2)."""
_GRANTED = (0, 1)
"""Granted, and granted with changes."""
_LONGEST_PATH = 5
"""Certificates from the one that signs the token up to one that an authority has signed."""
_TIME_TAG = b"\x18"
_TIME = re.compile(rb"([0-9]{14})(?:\.([0-9]+))?Z")


# The structures, with the fields of the RFCs in their order. A list of TLV is a value whose parts
# are not used; in DER a context tag has the same encoding for a sequence and for a set.
_Unused = list[asn1.TLV]


@asn1.sequence
class _Algorithm:
    kind: x509.ObjectIdentifier
    parameters: asn1.Null | None


@asn1.sequence
class _Imprint:
    algorithm: _Algorithm
    digest: bytes


@asn1.sequence
class _Request:
    version: int
    imprint: _Imprint
    wants_certificate: bool


@asn1.sequence
class _Status:
    status: int
    text: _Unused | None
    failure: asn1.BitString | None


@asn1.sequence
class _Token:
    kind: x509.ObjectIdentifier
    signed_data: Annotated[asn1.TLV, asn1.Explicit(0)]


@asn1.sequence
class _Reply:
    status: _Status
    token: _Token | None


@asn1.sequence
class _Content:
    kind: x509.ObjectIdentifier
    statement: Annotated[bytes, asn1.Explicit(0)]


@asn1.sequence
class _IssuerAndSerial:
    issuer: x509.Name
    serial: int


@asn1.sequence
class _Attribute:
    kind: x509.ObjectIdentifier
    values: asn1.SetOf[asn1.TLV]


@asn1.sequence
class _Signer:
    version: int
    certificate: _IssuerAndSerial
    digest: _Algorithm
    attributes: Annotated[asn1.SetOf[_Attribute], asn1.Implicit(0)]
    algorithm: asn1.TLV
    signature: bytes
    unsigned: Annotated[_Unused | None, asn1.Implicit(1)]


@asn1.sequence
class _SignedData:
    version: int
    digests: asn1.TLV
    content: _Content
    certificates: Annotated[_Unused | None, asn1.Implicit(0)]
    revocations: Annotated[_Unused | None, asn1.Implicit(1)]
    signers: asn1.SetOf[_Signer]


@asn1.sequence
class _Statement:
    version: int
    policy: x509.ObjectIdentifier
    imprint: _Imprint
    serial: int
    time: asn1.TLV
    accuracy: _Unused | None
    ordering: bool | None
    nonce: int | None
    authority: Annotated[_Unused | None, asn1.Implicit(0)]
    extensions: Annotated[_Unused | None, asn1.Implicit(1)]


@asn1.sequence
class _CertificateHash:
    algorithm: _Algorithm | None
    digest: bytes
    certificate: _Unused | None


@asn1.sequence
class _SigningCertificate:
    certificates: Annotated[list[_CertificateHash], asn1.Size(min=1, max=None)]
    policies: _Unused | None


class OtherDataError(RefusedProofError):
    """The time stamp was made for other data than the given text."""


@dataclass(frozen=True)
class TimeStamp:
    """A verified token: the time (UTC), who signed it, and whether a known authority did."""

    time: datetime
    authority: str
    is_trusted: bool


def time_stamp_request(text: bytes) -> bytes:
    """The request to stamp a text, as it is sent with the type application/timestamp-query."""
    algorithm = _Algorithm(kind=_SHA256, parameters=asn1.Null())
    imprint = _Imprint(algorithm=algorithm, digest=sha256(text).digest())
    return asn1.encode_der(_Request(version=1, imprint=imprint, wants_certificate=True))


def token_of_reply(reply: bytes) -> bytes:
    """The token in an authority's reply. Raises RefusedProofError if the authority refused."""
    if not reply:
        raise RefusedProofError("A time stamp is one DER value; the reply is empty.")
    try:
        parsed = asn1.decode_der(_Reply, reply)
    except ValueError as error:
        raise _damaged(error) from error
    if parsed.status.status not in _GRANTED or parsed.token is None:
        raise RefusedProofError("The authority has not granted the time stamp; ask again.")
    return asn1.encode_der(parsed.token)


def verified_time_stamp(
    token: bytes, text: bytes, authorities: Sequence[x509.Certificate] = ()
) -> TimeStamp:
    """Verify that a token stamps this text. Raises RefusedProofError with the reason.

    With `authorities`, the token's certificate must be one of theirs, valid at the token's time.
    """
    try:
        with warnings.catch_warnings():
            # Some roots have the number 0. cryptography warns of it, in lines that a person who
            # verifies a file cannot act on.
            warnings.simplefilter("ignore", CryptographyDeprecationWarning)
            return _verified(token, text, authorities)
    except _UNREADABLE as error:
        raise _damaged(error) from error


def _damaged(error: Exception) -> RefusedProofError:
    return RefusedProofError(f"The time stamp is damaged ({error}).")


def _verified(token: bytes, text: bytes, authorities: Sequence[x509.Certificate]) -> TimeStamp:
    outer = asn1.decode_der(_Token, token)
    _require_kind(outer.kind, _SIGNED_DATA, "signed data")
    data: _SignedData = outer.signed_data.parse(_SignedData)
    _require_kind(data.content.kind, _TST_INFO, "a time stamp")
    stamped = _time_in(asn1.decode_der(_Statement, data.content.statement), text)
    certificates = [
        x509.load_der_x509_certificate(asn1.encode_der(each)) for each in data.certificates or ()
    ]
    (signer,) = data.signers.as_list()
    certificate = _signed_by(signer, data.content.statement, certificates)
    _require_purpose(certificate, stamped)
    is_trusted = _is_certified(certificate, authorities, certificates, stamped)
    if authorities and not is_trusted:
        raise RefusedProofError(
            f"The time stamp is signed by {certificate.subject.rfc4514_string()}, which no given"
            " authority has certified for that time."
        )
    return TimeStamp(stamped, certificate.subject.rfc4514_string(), is_trusted)


def _time_in(statement: _Statement, text: bytes) -> datetime:
    """The time in the statement, which must be made for this text."""
    imprint = statement.imprint
    _require_kind(imprint.algorithm.kind, _SHA256, "SHA-256")
    if statement.version != 1 or imprint.digest != sha256(text).digest():
        raise OtherDataError("The time stamp was made for other data.")
    # asn1.GeneralizedTime refuses more digits than microseconds have; authorities may use them.
    found = _TIME.fullmatch(statement.time.data)
    if statement.time.tag_bytes != _TIME_TAG or found is None:
        raise RefusedProofError("The time stamp is damaged: its time is not one of RFC 3161.")
    whole, fraction = found[1].decode(), (found[2] or b"").decode()
    at = datetime.strptime(whole, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    return at.replace(microsecond=int(f"{fraction[:6]:0<6}"))


def _signed_by(
    signer: _Signer, statement: bytes, certificates: Sequence[x509.Certificate]
) -> x509.Certificate:
    """The certificate whose key has signed the statement. Raises RefusedProofError."""
    found = [
        each
        for each in certificates
        if each.serial_number == signer.certificate.serial
        and each.issuer == signer.certificate.issuer
    ]
    if not found:
        raise RefusedProofError("The time stamp does not contain the certificate that signs it.")
    used = _hash_of(signer.digest)
    attributes = signer.attributes.as_list()
    values = {each.kind: each.values.as_list() for each in attributes}
    if len(values) != len(attributes):
        raise RefusedProofError("The time stamp has an attribute twice.")
    hashed = hashes.Hash(used)
    hashed.update(statement)
    if _only(values, _MESSAGE_DIGEST).parse(bytes) != hashed.finalize():
        raise RefusedProofError("The signed content of the time stamp was changed.")
    kind = _only(values, _CONTENT_TYPE).parse(x509.ObjectIdentifier)
    _require_kind(kind, _TST_INFO, "a time stamp")
    _require_named(values, found[0])
    _require_signature(found[0], signer.signature, asn1.encode_der(signer.attributes), used)
    return found[0]


def _hash_of(algorithm: _Algorithm) -> hashes.HashAlgorithm:
    used = _HASHES.get(algorithm.kind)
    if used is None:
        raise RefusedProofError("The time stamp uses a hash that is not SHA-256, 384 or 512.")
    return used


def _only(values: dict[x509.ObjectIdentifier, list[asn1.TLV]], kind: x509.ObjectIdentifier) -> Any:
    """The one value of an attribute that a time stamp must have. Raises RefusedProofError."""
    found = values.get(kind, [])
    if len(found) != 1:
        raise RefusedProofError(
            f"The time stamp has {len(found)} values of the attribute {kind.dotted_string}; it must"
            " have 1."
        )
    return found[0]


def _require_named(
    values: dict[x509.ObjectIdentifier, list[asn1.TLV]], certificate: x509.Certificate
) -> None:
    """Check that the signed attributes name the certificate, by its hash (RFC 5035)."""
    is_newer = _CERTIFICATE_V2 in values
    if not is_newer and _CERTIFICATE not in values:
        raise RefusedProofError("The time stamp does not name the certificate that signs it.")
    value = _only(values, _CERTIFICATE_V2 if is_newer else _CERTIFICATE)
    first: _CertificateHash = value.parse(_SigningCertificate).certificates[0]
    used: hashes.HashAlgorithm = hashes.SHA256()
    if not is_newer:
        used = hashes.SHA1()  # noqa: S303 - RFC 3161 requires it for this attribute
    elif first.algorithm is not None:
        used = _hash_of(first.algorithm)
    if first.digest != certificate.fingerprint(used):
        raise RefusedProofError(
            "The time stamp names another certificate than the one that signs it."
        )


def _require_signature(
    certificate: x509.Certificate, signature: bytes, message: bytes, used: hashes.HashAlgorithm
) -> None:
    key: Any = certificate.public_key()
    try:
        if isinstance(key, rsa.RSAPublicKey):
            key.verify(signature, message, padding.PKCS1v15(), used)
        elif isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(signature, message, ec.ECDSA(used))
        else:
            raise RefusedProofError("The time stamp is signed by a key that is not RSA or ECDSA.")
    except InvalidSignature as error:
        raise RefusedProofError("The signature of the time stamp is wrong.") from error


def _require_purpose(certificate: x509.Certificate, at: datetime) -> None:
    """Check that a certificate is for time stamps, and valid at a time."""
    try:
        usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    except x509.ExtensionNotFound as error:
        raise RefusedProofError("The time stamp's certificate is not for time stamps.") from error
    if not usage.critical or list(usage.value) != [ExtendedKeyUsageOID.TIME_STAMPING]:
        raise RefusedProofError("The time stamp's certificate is not for time stamps alone.")
    signs = _key_usage(certificate)
    if signs is not None and not (signs.digital_signature or signs.content_commitment):
        raise RefusedProofError("The key of the time stamp's certificate is not for signatures.")
    if unknown := _unknown_critical(certificate):
        raise RefusedProofError(
            f"The time stamp's certificate has the critical extension {unknown}, which this program"
            " does not evaluate."
        )
    if not _is_valid(certificate, at):
        raise RefusedProofError("The time stamp's certificate was not valid at its time.")


def _is_certified(
    certificate: x509.Certificate,
    authorities: Sequence[x509.Certificate],
    others: Sequence[x509.Certificate],
    at: datetime,
) -> bool:
    """Whether a path of certificates, all valid at a time, leads from one to an authority's."""
    present, known = certificate, [each for each in authorities if _is_valid(each, at)]
    found = [each for each in others if _is_valid(each, at)]
    for between in range(_LONGEST_PATH):
        if present in known or any(_issued(each, present, between) for each in known):
            return True
        above = [each for each in found if each != present and _issued(each, present, between)]
        if not above:
            return False
        present = above[0]
    return False


def _issued(issuer: x509.Certificate, certificate: x509.Certificate, between: int) -> bool:
    """Whether an issuer was permitted to sign a certificate, and has signed it (RFC 5280).

    `between` is the number of issuers between this one and the certificate that signs the token.
    """
    try:
        certificate.verify_directly_issued_by(issuer)
        basic = issuer.extensions.get_extension_for_class(x509.BasicConstraints).value
        usage, unknown = _key_usage(issuer), _unknown_critical(issuer)
    except (*_UNREADABLE, InvalidSignature, x509.ExtensionNotFound):
        return False
    is_long = basic.path_length is not None and between > basic.path_length
    may_sign = usage is None or usage.key_cert_sign
    return basic.ca and not is_long and may_sign and not unknown


def _key_usage(certificate: x509.Certificate) -> x509.KeyUsage | None:
    """What the key may do; None if the certificate does not state it."""
    try:
        return certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    except x509.ExtensionNotFound:
        return None


def _unknown_critical(certificate: x509.Certificate) -> str:
    """The first critical extension that may not be ignored; empty if there is none."""
    for each in certificate.extensions:
        if each.critical and each.oid not in _EVALUATED:
            return str(each.oid.dotted_string)
    return ""


def _is_valid(certificate: x509.Certificate, at: datetime) -> bool:
    return certificate.not_valid_before_utc <= at <= certificate.not_valid_after_utc


def _require_kind(found: x509.ObjectIdentifier, expected: x509.ObjectIdentifier, what: str) -> None:
    if found != expected:
        raise RefusedProofError(
            f"The time stamp has {found.dotted_string} where {what} is expected."
        )
