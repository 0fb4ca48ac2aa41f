from collections.abc import Callable
from contextlib import suppress
from hashlib import sha1, sha256

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.utils import CryptographyDeprecationWarning
from cryptography.x509 import load_der_x509_certificate
from cryptography.x509.oid import ExtendedKeyUsageOID

from controller.records.audit.errors import RefusedProofError
from controller.records.audit.timestamps import (
    TimeStamp,
    time_stamp_request,
    token_of_reply,
    verified_time_stamp,
)
from tests.controller.records.audit.timestamps.forged_tokens import (
    CERTIFICATE,
    CERTIFICATE_V2,
    CONTENT_TYPE,
    DATA,
    MESSAGE_DIGEST,
    SHA1,
    UTC_TIME,
    Holder,
    der,
    forged_token,
    holder,
    reply_with,
    stamper,
)
from tests.damage import with_one_changed_byte

TEXT = b"a signed head\n"
ROOT = holder("Root", is_ca=True)
MIDDLE = holder("Middle", ROOT, is_ca=True)
SIGNER = stamper(ROOT)
UNKNOWN = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4.5.6"), b"\x05\x00")
UNREADABLE = x509.UnrecognizedExtension(
    x509.SubjectAlternativeName.oid,
    bytes.fromhex("3002a300"),  # an address of X.400
)
NAMED_BY_SHA1 = (CONTENT_TYPE, MESSAGE_DIGEST, CERTIFICATE)


def verified(token: bytes, *authorities: Holder, text: bytes = TEXT) -> TimeStamp:
    return verified_time_stamp(token, text, [each.certificate for each in authorities or (ROOT,)])


@pytest.mark.parametrize(
    ("token", "authority"),
    [
        (lambda: forged_token(TEXT, SIGNER), ROOT),
        (lambda: forged_token(TEXT, SIGNER, certificates=(SIGNER, ROOT)), ROOT),
        (lambda: forged_token(TEXT, SIGNER, attributes=NAMED_BY_SHA1), ROOT),
        (lambda: forged_token(TEXT, SIGNER), SIGNER),
        (lambda: through(MIDDLE), ROOT),
        (lambda: through(MIDDLE), MIDDLE),
    ],
)
def test_an_authority_may_be_the_root_an_issuer_or_the_signer_itself(
    token: Callable[[], bytes], authority: Holder
) -> None:
    assert verified(token(), authority).is_trusted


def through(*issuers: Holder) -> bytes:
    """A token whose signer is certified by the last of these issuers; it contains all of them."""
    signer = stamper(issuers[-1])
    return forged_token(TEXT, signer, certificates=(signer, *issuers))


FORGED: dict[str, tuple[Callable[[], bytes], str]] = {
    "the text": (lambda: forged_token(b"another head\n", SIGNER), "was made for other data"),
    "SHA-1 of the text": (
        lambda: forged_token(TEXT, SIGNER, imprint=(SHA1, sha1(TEXT).digest())),  # noqa: S324
        "where SHA-256 is expected",
    ),
    "SHA-256 of the text, called SHA-1": (
        lambda: forged_token(TEXT, SIGNER, imprint=(SHA1, sha256(TEXT).digest())),
        "where SHA-256 is expected",
    ),
    "the digest of the statement": (
        lambda: forged_token(TEXT, SIGNER, message_digest=bytes(32)),
        "signed content of the time stamp was changed",
    ),
    "no digest of the statement": (
        lambda: forged_token(TEXT, SIGNER, attributes=(CONTENT_TYPE, CERTIFICATE_V2)),
        "0 values of the attribute",
    ),
    "the signed type": (
        lambda: forged_token(TEXT, SIGNER, content_type=DATA),
        "where a time stamp is expected",
    ),
    "no signed type": (
        lambda: forged_token(TEXT, SIGNER, attributes=(MESSAGE_DIGEST, CERTIFICATE_V2)),
        "0 values of the attribute",
    ),
    "a digest twice": (
        lambda: forged_token(
            TEXT, SIGNER, attributes=(CONTENT_TYPE, MESSAGE_DIGEST, MESSAGE_DIGEST, CERTIFICATE_V2)
        ),
        "has an attribute twice",
    ),
    "the certificate that is named": (
        lambda: forged_token(TEXT, SIGNER, named=stamper(ROOT)),
        "names another certificate",
    ),
    "no certificate is named": (
        lambda: forged_token(TEXT, SIGNER, attributes=(CONTENT_TYPE, MESSAGE_DIGEST)),
        "does not name the certificate",
    ),
    "a second certificate of the same key, issuer and number": (
        lambda: forged_token(
            TEXT,
            SIGNER,
            certificates=(
                stamper(
                    ROOT, key=SIGNER.key, serial=SIGNER.certificate.serial_number, days=(-9, 9)
                ),
            ),
        ),
        "names another certificate",
    ),
    "the certificate that is named by SHA-1": (
        lambda: forged_token(TEXT, SIGNER, named=stamper(ROOT), attributes=NAMED_BY_SHA1),
        "names another certificate",
    ),
    "no certificate": (
        lambda: forged_token(TEXT, SIGNER, certificates=()),
        "does not contain the certificate",
    ),
    "two signers": (lambda: forged_token(TEXT, SIGNER, signers=2), "is damaged"),
    "no signer": (lambda: forged_token(TEXT, SIGNER, signers=0), "is damaged"),
    "a certificate without a purpose": (
        lambda: forged_token(TEXT, holder("Stamper", ROOT)),
        "is not for time stamps[.]",
    ),
    "a certificate for servers": (
        lambda: forged_token(
            TEXT, holder("Stamper", ROOT, purposes=(ExtendedKeyUsageOID.SERVER_AUTH,))
        ),
        "not for time stamps alone",
    ),
    "a certificate for time stamps and servers": (
        lambda: forged_token(
            TEXT,
            stamper(
                ROOT,
                purposes=(ExtendedKeyUsageOID.TIME_STAMPING, ExtendedKeyUsageOID.SERVER_AUTH),
            ),
        ),
        "not for time stamps alone",
    ),
    "a purpose that is not critical": (
        lambda: forged_token(TEXT, stamper(ROOT, is_purpose_critical=False)),
        "not for time stamps alone",
    ),
    "a time before the certificate": (
        lambda: forged_token(TEXT, SIGNER, time="20200101000000Z"),
        "was not valid at its time",
    ),
    "a certificate that has expired": (
        lambda: forged_token(TEXT, stamper(ROOT, days=(-9, -1))),
        "was not valid at its time",
    ),
    "another root of the same name": (
        lambda: forged_token(TEXT, stamper(holder("Root", is_ca=True))),
        "no given authority has certified",
    ),
    "another root of the same name in the token": (
        lambda: through(holder("Root", is_ca=True)),
        "no given authority has certified",
    ),
    "a signer that certifies itself": (
        lambda: forged_token(TEXT, stamper()),
        "no given authority has certified",
    ),
    "an issuer that must not issue": (
        lambda: through(holder("Middle", ROOT)),
        "no given authority has certified",
    ),
    "an issuer whose key must not sign certificates": (
        lambda: through(holder("Middle", ROOT, is_ca=True, signs_certificates=False)),
        "no given authority has certified",
    ),
    "an issuer below one that allows none": (
        lambda: through(
            last := holder("Last", ROOT, is_ca=True, path_length=0), holder("Low", last, is_ca=True)
        ),
        "no given authority has certified",
    ),
    "a certificate whose key is not for signatures": (
        lambda: forged_token(TEXT, stamper(ROOT, signs_certificates=True, signs=False)),
        "is not for signatures",
    ),
    "a certificate with a critical extension that is not known": (
        lambda: forged_token(TEXT, stamper(ROOT, critical=(UNKNOWN,))),
        "critical extension 1.2.3.4.5.6",
    ),
    "an issuer with a critical extension that is not known": (
        lambda: through(holder("Middle", ROOT, is_ca=True, critical=(UNKNOWN,))),
        "no given authority has certified",
    ),
    "a certificate with a name that cannot be read": (
        lambda: forged_token(TEXT, stamper(ROOT, critical=(UNREADABLE,))),
        "is damaged",
    ),
    "an issuer with a name that cannot be read": (
        lambda: through(holder("Middle", ROOT, is_ca=True, critical=(UNREADABLE,))),
        "no given authority has certified",
    ),
    "an issuer that had expired": (
        lambda: through(holder("Middle", ROOT, is_ca=True, days=(-9, -1))),
        "no given authority has certified",
    ),
    "a time without seconds": (
        lambda: forged_token(TEXT, SIGNER, time="202611280646Z"),
        "its time is not one of RFC 3161",
    ),
    "a time of another type": (
        lambda: forged_token(TEXT, SIGNER, time_tag=UTC_TIME),
        "its time is not one of RFC 3161",
    ),
    "the version of the statement": (
        lambda: forged_token(TEXT, SIGNER, version=2),
        "was made for other data",
    ),
    "the type of the token": (
        lambda: forged_token(TEXT, SIGNER, kind=DATA),
        "where signed data is expected",
    ),
    "the type of the content": (
        lambda: forged_token(TEXT, SIGNER, content_kind=DATA),
        "where a time stamp is expected",
    ),
    "a time of another place": (
        lambda: forged_token(TEXT, SIGNER, time="20261128064619+0100"),
        "its time is not one of RFC 3161",
    ),
    "a value that the statement does not have": (
        lambda: forged_token(TEXT, SIGNER, info_tail=der(0x0C, b"later")),
        "is damaged",
    ),
    "a byte after the token": (lambda: forged_token(TEXT, SIGNER) + b"\0", "is damaged"),
    "a second token after the token": (lambda: 2 * forged_token(TEXT, SIGNER), "is damaged"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_token_with_one_wrong_value_is_refused(name: str) -> None:
    token, reason = FORGED[name]
    with pytest.raises(RefusedProofError, match=reason):
        verified(token())


def test_an_authority_whose_own_certificate_had_expired_certifies_nothing() -> None:
    expired = holder("Root", is_ca=True, days=(-9, -1))
    with pytest.raises(RefusedProofError, match="no given authority has certified"):
        verified(forged_token(TEXT, stamper(expired)), expired)


def test_an_authority_that_is_no_issuer_certifies_nothing() -> None:
    reader = holder("Reader")
    with pytest.raises(RefusedProofError, match="no given authority has certified"):
        verified(forged_token(TEXT, stamper(reader)), reader)


@pytest.mark.parametrize("garbage", [b"\0", b"\x30", b"\x30\x80", b"\x30\x84\xff", b"<html>"])
def test_a_megabyte_of_garbage_is_refused(garbage: bytes) -> None:
    whole = (garbage * (1 << 20))[: 1 << 20]
    for data in (whole, reply_with(whole), forged_token(TEXT, SIGNER) + whole):
        with pytest.raises(RefusedProofError, match="is damaged"):
            token_of_reply(data)
        with pytest.raises(RefusedProofError, match=r"is damaged|where signed data is expected"):
            verified(data)


def test_a_root_whose_number_is_not_positive_certifies_without_a_warning() -> None:
    # The suite turns warnings into errors, and cryptography warns of such a number. Roots of Go
    # Daddy, SECOM and Starfield have the number 0. The signature of a root is not verified.
    number = b"\xa0\x03\x02\x01\x02\x02\x04"
    root = holder("Root", is_ca=True, serial=1 << 24)
    data = bytearray(root.certificate.public_bytes(Encoding.DER))
    data[data.index(number) + len(number)] |= 0x80
    with pytest.warns(CryptographyDeprecationWarning):
        old = Holder(load_der_x509_certificate(bytes(data)), root.key)
    signer = stamper(root)
    token = forged_token(TEXT, signer, certificates=(signer, old))
    assert verified(token, old).is_trusted


def test_a_path_has_at_most_four_issuers_below_the_authority() -> None:
    issuers = [ROOT]
    while len(issuers) < 6:
        issuers.append(holder(f"Issuer {len(issuers)}", issuers[-1], is_ca=True))
    assert verified(through(*issuers[1:5])).is_trusted
    with pytest.raises(RefusedProofError, match="no given authority has certified"):
        verified(through(*issuers[1:]))


def test_an_issuer_may_have_as_many_issuers_below_it_as_its_certificate_permits() -> None:
    high = holder("High", ROOT, is_ca=True, path_length=1)
    low = holder("Low", high, is_ca=True, path_length=0)
    assert verified(through(high, low)).is_trusted


@pytest.mark.parametrize(
    ("fraction", "microseconds"),
    [("", 0), (".5", 500_000), (".120", 120_000), (".123456789", 123_456)],
)
def test_a_fraction_of_a_second_is_kept_to_the_microsecond(
    fraction: str, microseconds: int
) -> None:
    signer = stamper(ROOT)
    whole = signer.certificate.not_valid_before_utc.strftime("%Y%m%d%H%M")
    stamp = verified(forged_token(TEXT, signer, time=f"{whole}59{fraction}Z"))
    assert (stamp.time.second, stamp.time.microsecond) == (59, microseconds)


@pytest.mark.parametrize(
    "values",
    [
        der(0x30, der(0x02, b"\x01")),
        der(0x01, b"\xff"),
        der(0x01, b"\x00"),
        der(0x02, b"\x00" + 8 * b"\xff"),
        der(0xA0, der(0xA4, SIGNER.certificate.subject.public_bytes())),
    ],
    ids=["accuracy", "ordered", "not ordered", "a nonce that nobody asked for", "a name"],
)
def test_an_authority_may_state_more_than_the_time(values: bytes) -> None:
    assert verified(forged_token(TEXT, SIGNER, info_tail=values)).is_trusted


def test_only_a_granted_reply_has_a_token() -> None:
    token = forged_token(TEXT, SIGNER)
    assert token_of_reply(reply_with(token)) == token_of_reply(reply_with(token, 1)) == token
    for status in range(2, 6):
        with pytest.raises(RefusedProofError, match="has not granted"):
            token_of_reply(reply_with(token, status))
    for damaged in (reply_with(token) + b"\0", reply_with(token + token), reply_with(b"\5\0")):
        with pytest.raises(RefusedProofError, match="is damaged"):
            token_of_reply(damaged)


def test_a_request_has_the_bytes_of_rfc_3161() -> None:
    algorithm = bytes.fromhex("300d06096086480165030402010500")
    imprint = der(0x30, algorithm, der(0x04, sha256(TEXT).digest()))
    assert time_stamp_request(TEXT) == der(0x30, b"\x02\x01\x01", imprint, b"\x01\x01\xff")


@pytest.mark.evidence
def test_no_changed_byte_makes_a_token_one_of_another_time_or_text() -> None:
    token = forged_token(TEXT, SIGNER, certificates=(SIGNER, ROOT))
    right = verified(token)
    for data in with_one_changed_byte(token, sample=300, quick=60):
        with suppress(RefusedProofError):
            assert verified(data) == right
        with pytest.raises(RefusedProofError):
            verified(data, text=b"another head\n")
