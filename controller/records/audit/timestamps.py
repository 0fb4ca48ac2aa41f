"""Time stamps of signed heads by a time-stamping authority (RFC 3161, RFC 5652).

It makes the request, sends it to a service over HTTP (RFC 3161, section 3.4), verifies the token,
and keeps the token beside the log. It reads and writes the few DER values (X.690) that these have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from config.durable_files import replace_file
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import LogReader
from controller.records.audit.notes import Checkpoint

if TYPE_CHECKING:
    from cryptography.x509 import Certificate


SHA256 = "2.16.840.1.101.3.4.2.1"


_SIGNED_DATA, _TST_INFO = "1.2.840.113549.1.7.2", "1.2.840.113549.1.9.16.1.4"


_CONTENT_TYPE, _MESSAGE_DIGEST = "1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4"


_CERTIFICATE, _CERTIFICATE_V2 = "1.2.840.113549.1.9.16.2.12", "1.2.840.113549.1.9.16.2.47"


_HASHES: dict[str, hashes.HashAlgorithm] = {
    SHA256: hashes.SHA256(),
    "2.16.840.1.101.3.4.2.2": hashes.SHA384(),
    "2.16.840.1.101.3.4.2.3": hashes.SHA512(),
}


_LONGEST_CHAIN = 5


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
    algorithm = der(SEQUENCE, der_object(SHA256), der(NULL))
    imprint = der(SEQUENCE, algorithm, der(OCTETS, sha256(text).digest()))
    return der(SEQUENCE, der(INTEGER, b"\x01"), imprint, TRUE)


def token_of_reply(reply: bytes) -> bytes:
    """The token in an authority's reply. Raises RefusedProofError if the authority refused."""
    parts = der_value(reply).of(SEQUENCE).parts
    status = parts[0].of(SEQUENCE).parts if parts else []
    if not status or status[0].of(INTEGER).content not in (b"\x00", b"\x01") or len(parts) != 2:
        raise RefusedProofError("The authority has not granted the time stamp; ask again.")
    return parts[1].whole


def verified_time_stamp(
    token: bytes, text: bytes, authorities: Sequence[x509.Certificate] = ()
) -> TimeStamp:
    """Verify that a token stamps this text. Raises RefusedProofError with the reason.

    With `authorities`, the token's certificate must be one of theirs, valid at the token's time.
    """
    try:
        return _verified(token, text, authorities)
    except (ValueError, TypeError, LookupError, UnsupportedAlgorithm, x509.InvalidVersion) as error:
        raise RefusedProofError(f"The time stamp is damaged ({error}).") from error


def _verified(token: bytes, text: bytes, authorities: Sequence[x509.Certificate]) -> TimeStamp:
    kind, wrapped = der_value(token).of(SEQUENCE).parts
    _require_object(kind, _SIGNED_DATA, "signed data")
    (signed,) = wrapped.of(CONTEXT).parts
    _, _, content, *rest = signed.of(SEQUENCE).parts
    info = _content_of(content)
    stamped = _time_in(info, text)
    certificates = [
        x509.load_der_x509_certificate(each.whole)
        for value in rest
        if value.tag == CONTEXT
        for each in value.parts
    ]
    (signer,) = rest[-1].of(SET).parts
    certificate = _signed_by(signer, info, certificates)
    _require_purpose(certificate, stamped)
    is_trusted = any(_leads_to(certificate, each, certificates, stamped) for each in authorities)
    if authorities and not is_trusted:
        raise RefusedProofError(
            f"The time stamp is signed by {certificate.subject.rfc4514_string()}, which no given"
            " authority has certified for that time."
        )
    return TimeStamp(stamped, certificate.subject.rfc4514_string(), is_trusted)


def _content_of(content: DerValue) -> bytes:
    """The bytes of the statement that is signed."""
    kind, wrapped = content.of(SEQUENCE).parts
    _require_object(kind, _TST_INFO, "a time stamp")
    (octets,) = wrapped.of(CONTEXT).parts
    return octets.of(OCTETS).content


def _time_in(info: bytes, text: bytes) -> datetime:
    """The time in the statement, which must be about the text."""
    version, _, imprint, _, time, *_ = der_value(info).of(SEQUENCE).parts
    algorithm, digest = imprint.of(SEQUENCE).parts
    _require_object(algorithm.of(SEQUENCE).parts[0], SHA256, "SHA-256")
    if version.content != b"\x01" or digest.of(OCTETS).content != sha256(text).digest():
        raise OtherDataError("The time stamp was made for other data.")
    whole, _, fraction = time.content.decode("ascii").removesuffix("Z").partition(".")
    at = datetime.strptime(whole, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    return at.replace(microsecond=int(f"{fraction[:6]:0<6}"))


def _signed_by(
    signer: DerValue, info: bytes, certificates: Sequence[x509.Certificate]
) -> x509.Certificate:
    """The certificate whose key has signed the statement. Raises RefusedProofError."""
    _, identity, digest, attributes, _, signature, *_ = signer.of(SEQUENCE).parts
    issuer, serial = identity.of(SEQUENCE).parts
    number = int.from_bytes(serial.of(INTEGER).content, "big", signed=True)
    found = [
        each
        for each in certificates
        if each.serial_number == number and each.issuer.public_bytes() == issuer.whole
    ]
    if not found:
        raise RefusedProofError("The time stamp does not contain the certificate that signs it.")
    used = _HASHES.get(_object_of(digest.of(SEQUENCE).parts[0]))
    if used is None:
        raise RefusedProofError("The time stamp uses a hash that is not SHA-256, 384 or 512.")
    values = {
        _object_of(kind): value.of(SET).parts[0]
        for kind, value in (each.of(SEQUENCE).parts for each in attributes.of(CONTEXT).parts)
    }
    hashed = hashes.Hash(used)
    hashed.update(info)
    if values[_MESSAGE_DIGEST].of(OCTETS).content != hashed.finalize():
        raise RefusedProofError("The signed content of the time stamp was changed.")
    _require_object(values[_CONTENT_TYPE], _TST_INFO, "a time stamp")
    _require_named(values, found[0])
    message = der(SET, attributes.content)
    _require_signature(found[0], signature.of(OCTETS).content, message, used)
    return found[0]


def _require_named(values: dict[str, DerValue], certificate: x509.Certificate) -> None:
    """Check that the signed attributes name the certificate, by its hash (RFC 5035)."""
    if _CERTIFICATE_V2 in values:
        first = values[_CERTIFICATE_V2].of(SEQUENCE).parts[0].parts[0].of(SEQUENCE).parts
        used: hashes.HashAlgorithm = hashes.SHA256()
        if first[0].tag == SEQUENCE:
            used = _HASHES[_object_of(first.pop(0).parts[0])]
    elif _CERTIFICATE in values:
        first = values[_CERTIFICATE].of(SEQUENCE).parts[0].parts[0].of(SEQUENCE).parts
        used = hashes.SHA1()  # noqa: S303 - RFC 3161 requires it for this attribute
    else:
        raise RefusedProofError("The time stamp does not name the certificate that signs it.")
    if first[0].of(OCTETS).content != certificate.fingerprint(used):
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
    if not usage.critical or list(usage.value) != [x509.oid.ExtendedKeyUsageOID.TIME_STAMPING]:
        raise RefusedProofError("The time stamp's certificate is not for time stamps alone.")
    if not _is_valid(certificate, at):
        raise RefusedProofError("The time stamp's certificate was not valid at its time.")


def _leads_to(
    certificate: x509.Certificate,
    authority: x509.Certificate,
    others: Sequence[x509.Certificate],
    at: datetime,
) -> bool:
    """Whether a chain of certificates leads from one to an authority, all valid at a time."""
    present = certificate
    for _ in range(_LONGEST_CHAIN):
        if not _is_valid(present, at):
            return False
        if present == authority or (_is_valid(authority, at) and _issued(authority, present)):
            return True
        above = [each for each in others if each != present and _issued(each, present)]
        if not above:
            return False
        present = above[0]
    return False


def _issued(issuer: x509.Certificate, certificate: x509.Certificate) -> bool:
    try:
        basic = issuer.extensions.get_extension_for_class(x509.BasicConstraints)
        certificate.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature, x509.ExtensionNotFound):
        return False
    return basic.value.ca


def _is_valid(certificate: x509.Certificate, at: datetime) -> bool:
    return certificate.not_valid_before_utc <= at <= certificate.not_valid_after_utc


def _object_of(value: DerValue) -> str:
    """An object identifier as text."""
    numbers, number = [], 0
    for octet in value.of(0x06).content:
        number = number << 7 | octet & 0x7F
        if not octet & 0x80:
            numbers.append(number)
            number = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, (first, numbers[0] - 40 * first, *numbers[1:])))


def _require_object(value: DerValue, expected: str, what: str) -> None:
    found = _object_of(value)
    if found != expected:
        raise RefusedProofError(f"The time stamp has {found} where {what} is expected.")


SECONDS = 30.0
"""Longest time to wait for the service."""


LONGEST_REPLY = 1 << 20
"""Bytes; a reply with a chain of certificates has a few thousand."""


def reply_of_service(address: str, request: bytes, seconds: float = SECONDS) -> bytes:
    """Send a request to the service at an address (http or https) and return its reply.

    The reply is not verified. Raises RefusedProofError with the reason if there is none.
    """
    if urlsplit(address).scheme not in {"http", "https"}:
        raise RefusedProofError(f"The address '{address}' is not one of http:// or https://.")
    query = Request(  # noqa: S310 - the scheme is checked
        address, request, {"Content-Type": "application/timestamp-query"}
    )
    try:
        with urlopen(query, timeout=seconds) as answer:  # noqa: S310 - the scheme is checked
            reply: bytes = answer.read(LONGEST_REPLY + 1)
    except HTTPError as error:
        raise RefusedProofError(
            f"The service answered {error.code} {error.reason}. Check the address '{address}'."
        ) from error
    except (URLError, HTTPException, OSError, ValueError) as error:
        raise RefusedProofError(
            f"The service at '{address}' does not answer ({getattr(error, 'reason', error)})."
            " Check the address and the network, then try again."
        ) from error
    if len(reply) > LONGEST_REPLY:
        raise RefusedProofError(f"The reply has more than {LONGEST_REPLY} bytes; it was discarded.")
    return reply


def stamp_request(log: LogReader) -> bytes:
    """The request to stamp the last kept head of a log."""
    return time_stamp_request(log.last_kept_head().text.encode())


def take_time_stamp(
    log: LogReader, reply: bytes, authorities: Sequence[Certificate]
) -> tuple[int, TimeStamp]:
    """Keep an authority's time stamp beside the log; returns the size of its head, and the stamp.

    Raises RefusedProofError if it is none of these authorities' for a kept head of this log.
    """
    token = token_of_reply(reply)
    refusal: RefusedProofError | None = None
    for note in reversed(log.heads()):
        try:
            stamp = verified_time_stamp(token, note.text.encode(), authorities)
        except OtherDataError as refused:
            refusal = refusal or refused
            continue
        size = Checkpoint.parsed(note.text).size
        _keep(log.folder, f"{size:012}.tst", token)
        return size, stamp
    raise RefusedProofError(f"The time stamp belongs to no kept head of this log. {refusal}")


def _keep(folder: LogFolder, name: str, token: bytes) -> None:
    try:
        folder.witnessed.mkdir(mode=0o700, exist_ok=True)
        replace_file(folder.witnessed / name, token, 0o600)
    except OSError as error:
        raise folder.unusable(error) from error


INTEGER, OCTETS, NULL, OBJECT, SEQUENCE, SET = 0x02, 0x04, 0x05, 0x06, 0x30, 0x31


TRUE = b"\x01\x01\xff"


CONTEXT = 0xA0
"""The tag of [0]; the number of the tag is added."""


@dataclass(frozen=True)
class DerValue:
    """One value: its tag, its contents, and all its bytes."""

    tag: int
    content: bytes
    whole: bytes

    @property
    def parts(self) -> list[DerValue]:
        """The values in its contents. Raises RefusedProofError."""
        return list(_values(self.content))

    def of(self, tag: int) -> DerValue:
        """The value itself, if it has this tag. Raises RefusedProofError for another one."""
        if self.tag != tag:
            raise RefusedProofError(f"The time stamp has the tag {self.tag:#x}, not {tag:#x}.")
        return self


def der_value(data: bytes) -> DerValue:
    """The one value of a text. Raises RefusedProofError for anything else."""
    values = list(_values(data))
    if len(values) != 1:
        raise RefusedProofError(f"A time stamp is one DER value; the file has {len(values)}.")
    return values[0]


def der(tag: int, *parts: bytes) -> bytes:
    """Encode a value with these contents."""
    content = b"".join(parts)
    if len(content) < 0x80:
        return bytes([tag, len(content)]) + content
    size = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 + len(size)]) + size + content


def der_object(text: str) -> bytes:
    """Encode an object identifier, such as 1.2.840."""
    first, second, *rest = map(int, text.split("."))
    data = bytearray()
    for number in (40 * first + second, *rest):
        septets = [number & 0x7F]
        while number := number >> 7:
            septets.append(0x80 | number & 0x7F)
        data += bytes(reversed(septets))
    return der(OBJECT, bytes(data))


def _values(data: bytes) -> Iterator[DerValue]:
    at = 0
    while at < len(data):
        begin, (tag, size) = at, _head(data, at)
        at += 2
        if size >= 0x80:
            count = size - 0x80
            size = int.from_bytes(data[at : at + count], "big")
            if not 0 < count <= 4 or size < 0x80 or size >> 8 * (count - 1) == 0:
                raise RefusedProofError("The time stamp is damaged: a length is not DER.")
            at += count
        if at + size > len(data):
            raise RefusedProofError("The time stamp is cut off.")
        yield DerValue(tag, data[at : at + size], data[begin : at + size])
        at += size


def _head(data: bytes, at: int) -> tuple[int, int]:
    if at + 2 > len(data) or data[at] & 0x1F == 0x1F:
        raise RefusedProofError("The time stamp is damaged: a tag is not complete.")
    return data[at], data[at + 1]
