from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.x509 import load_pem_x509_certificate
from cryptography.x509.oid import ExtendedKeyUsageOID

from controller.records.audit.errors import RefusedProofError
from controller.records.audit.timestamps import (
    time_stamp_request,
    token_of_reply,
    verified_time_stamp,
)
from tests.controller.records.audit.timestamps.openssl_authority import (
    OpensslAuthority,
    authority_in,
)
from tests.damage import with_one_changed_byte

TEXT = b"a signed head\n"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> OpensslAuthority:
    """An authority with a key on an elliptic curve."""
    return authority_in(tmp_path_factory.mktemp("authority") / "authority")


def stamped(authority: OpensslAuthority, text: bytes = TEXT) -> bytes:
    return token_of_reply(authority.reply(time_stamp_request(text)))


@pytest.mark.parametrize(("elliptic", "hashed"), [(True, "sha256"), (False, "sha512")])
def test_a_time_stamp_of_openssl_verifies(tmp_path: Path, elliptic: bool, hashed: str) -> None:
    authority = authority_in(tmp_path / "tsa", elliptic=elliptic, digest=hashed)
    token = stamped(authority)
    stamp = verified_time_stamp(token, TEXT, [authority.certificate])
    assert stamp.is_trusted
    assert stamp.authority == "CN=Stamper"
    assert abs(stamp.time - datetime.now(UTC)) < timedelta(minutes=5)
    assert not verified_time_stamp(token, TEXT).is_trusted


def test_a_time_stamp_of_another_text_is_refused(authority: OpensslAuthority) -> None:
    with pytest.raises(RefusedProofError, match="was made for other data"):
        verified_time_stamp(stamped(authority), b"another head\n")


def test_a_time_stamp_of_another_authority_is_refused(
    authority: OpensslAuthority, tmp_path: Path
) -> None:
    other = authority_in(tmp_path / "other")
    with pytest.raises(RefusedProofError, match="no given authority has certified"):
        verified_time_stamp(stamped(other), TEXT, [authority.certificate])


def test_a_certificate_for_another_purpose_is_refused(tmp_path: Path) -> None:
    servers = authority_in(tmp_path / "tsa")
    request = time_stamp_request(TEXT)
    token = token_of_reply(servers.reply(request))
    # OpenSSL refuses to stamp with such a certificate, so the check is given another purpose.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ExtendedKeyUsageOID, "TIME_STAMPING", ExtendedKeyUsageOID.SERVER_AUTH)
        with pytest.raises(RefusedProofError, match="not for time stamps alone"):
            verified_time_stamp(token, TEXT, [servers.certificate])


def test_an_expired_certificate_is_refused(tmp_path: Path) -> None:
    expired = authority_in(tmp_path / "tsa", days=-1)
    with pytest.raises(RefusedProofError, match="was not valid at its time"):
        verified_time_stamp(stamped(expired), TEXT, [expired.certificate])


@pytest.mark.evidence
def test_no_changed_byte_gives_another_time_or_authority(authority: OpensslAuthority) -> None:
    token = stamped(authority)
    right = verified_time_stamp(token, TEXT, [authority.certificate])
    accepted = 0
    for data in with_one_changed_byte(token, sample=300, quick=60):
        with suppress(RefusedProofError):
            assert verified_time_stamp(data, TEXT, [authority.certificate]) == right
            accepted += 1
    # RFC 5652 does not sign version numbers and lists of algorithms around the statement.
    assert accepted < 60


def test_a_refusal_and_a_damaged_reply_are_sentences(authority: OpensslAuthority) -> None:
    refusal = authority.reply(time_stamp_request(TEXT).replace(b"\x02\x01\x05", b"\x02\x01\x06"))
    for reply in (refusal, b"", b"\x30\x80", b"\x30\x05", b"not found", bytes(300)):
        with pytest.raises(RefusedProofError, match=r"[.]$"):
            token_of_reply(reply)


def test_a_token_that_0_2_kept_verifies_after_its_certificates_have_expired() -> None:
    kept = Path(__file__).with_name("kept_by_0_2.tst").read_bytes()
    root = load_pem_x509_certificate(Path(__file__).with_name("kept_by_0_2.pem").read_bytes())
    stamp = verified_time_stamp(kept, TEXT, [root])
    assert (stamp.time.isoformat(), stamp.is_trusted) == ("2026-11-28T06:59:58.971000+00:00", True)
