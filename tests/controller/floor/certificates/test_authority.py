"""The floor's authority: what its certificates permit, how they are renewed and revoked."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from controller.floor.certificates.authority import CertificateAuthority, make_authority
from controller.floor.certificates.certificate import (
    CertificateError,
    CertificateIdentity,
    CertificateKind,
    common_name_of,
    hosts_of,
    identity_of,
    require_host,
)
from controller.floor.messages import TopicError

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
TABLE = CertificateIdentity(CertificateKind.TABLE, "t-07")
SERVER = CertificateIdentity(CertificateKind.SERVER, "main")
BROKER = CertificateIdentity(CertificateKind.BROKER, "hall")
READER = CertificateIdentity(CertificateKind.READER, "home")


@pytest.fixture
def authority(tmp_path: Path) -> CertificateAuthority:
    return make_authority(tmp_path / "ca", "club", NOW)


def certificate_in(folder: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / "certificate.pem").read_bytes())


def usages(certificate: x509.Certificate) -> set[x509.ObjectIdentifier]:
    return set(certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value)


def test_only_its_owner_can_read_a_private_key(authority: CertificateAuthority) -> None:
    issued = authority.issue(TABLE, (), 398, NOW)
    for file in (authority.folder / "ca.key", issued / "key.pem"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(authority.folder.stat().st_mode) == 0o700


def test_a_key_that_others_can_read_is_refused(authority: CertificateAuthority) -> None:
    (authority.folder / "ca.key").chmod(0o640)
    with pytest.raises(CertificateError, match=r"can be read by other users \(mode 0640\)"):
        CertificateAuthority(authority.folder)


def test_an_authority_is_never_written_over(authority: CertificateAuthority) -> None:
    key = (authority.folder / "ca.key").read_bytes()
    with pytest.raises(CertificateError, match="already"):
        make_authority(authority.folder, "club", NOW)
    assert (authority.folder / "ca.key").read_bytes() == key


def test_a_table_is_a_client_with_its_name_and_nothing_else(
    authority: CertificateAuthority,
) -> None:
    made = certificate_in(authority.issue(TABLE, (), 398, NOW))
    assert common_name_of(made) == "t-07"
    assert usages(made) == {ExtendedKeyUsageOID.CLIENT_AUTH}
    assert not made.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert made.not_valid_after_utc == NOW + timedelta(days=398)
    made.verify_directly_issued_by(authority.certificate)


def test_a_broker_is_no_client_and_a_server_is_both(authority: CertificateAuthority) -> None:
    broker = certificate_in(authority.issue(BROKER, ["broker.club", "10.0.0.5"], 398, NOW))
    server = certificate_in(authority.issue(SERVER, ["floor.club"], 398, NOW))
    assert usages(broker) == {ExtendedKeyUsageOID.SERVER_AUTH}
    assert usages(server) == {ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH}
    assert hosts_of(broker) == ("broker.club", "10.0.0.5")


def test_no_table_can_have_the_user_name_of_a_server() -> None:
    assert SERVER.common_name == "server.main"
    with pytest.raises(TopicError):
        CertificateIdentity(CertificateKind.TABLE, "server.main")
    for identity in (TABLE, SERVER, BROKER, READER):
        assert identity_of(identity.common_name) == identity
    for other in ("table.t-07", "root.x", "SERVER.main"):
        with pytest.raises(CertificateError):
            identity_of(other)


@pytest.mark.parametrize("name", ["", "T-07", "a/b", "+", "#", "a b", "../x", "x" * 64, "ä", "a\n"])
def test_a_name_with_a_meaning_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(TopicError):
        CertificateIdentity(CertificateKind.TABLE, name)


def test_a_name_that_does_not_fit_into_a_common_name_is_refused() -> None:
    with pytest.raises(CertificateError, match="at most 57 characters; got 58"):
        CertificateIdentity(CertificateKind.SERVER, "x" * 58)


@pytest.mark.parametrize("host", ["", "*.club", "a..b", "-a", "a b", "a/b", "x" * 64, "a\n"])
def test_a_text_that_is_no_host_is_refused(host: str) -> None:
    with pytest.raises(CertificateError, match="--host"):
        require_host(host)


def test_a_broker_without_a_host_and_a_table_with_one_are_refused(
    authority: CertificateAuthority,
) -> None:
    with pytest.raises(CertificateError, match="needs the names by which clients connect"):
        authority.issue(BROKER, (), 398, NOW)
    with pytest.raises(CertificateError, match="client only"):
        authority.issue(TABLE, ["t.club"], 398, NOW)


def test_after_a_renewal_the_old_and_the_new_certificate_are_valid(
    authority: CertificateAuthority,
) -> None:
    old = authority.issue(SERVER, ["floor.club"], 60, NOW)
    later = NOW + timedelta(days=40)
    with pytest.raises(CertificateError, match="renew it"):
        authority.issue(SERVER, ["floor.club"], 60, later)
    new = authority.renew(SERVER, 398, later)
    assert (old.name, new.name) == ("1", "2")
    assert [one.is_valid(later) for one in authority.issued()] == [True, True]
    assert (old / "key.pem").read_bytes() != (new / "key.pem").read_bytes()
    assert hosts_of(certificate_in(new)) == ("floor.club",)


def test_a_revocation_is_in_the_signed_list_with_a_higher_number(
    authority: CertificateAuthority,
) -> None:
    serial = certificate_in(authority.issue(TABLE, (), 398, NOW)).serial_number
    before = authority.revocations()
    (revoked,) = authority.revoke(TABLE, None, NOW)
    after = authority.revocations()
    number = x509.CRLNumber
    assert revoked.certificate.serial_number == serial
    assert before.get_revoked_certificate_by_serial_number(serial) is None
    assert after.get_revoked_certificate_by_serial_number(serial) is not None
    assert (
        after.extensions.get_extension_for_class(number).value.crl_number
        > before.extensions.get_extension_for_class(number).value.crl_number
    )
    with pytest.raises(CertificateError, match="0 certificates of table t-07"):
        authority.revoke(TABLE, None, NOW)
    with pytest.raises(CertificateError, match="no certificate of table t-07 to renew"):
        authority.renew(TABLE, 398, NOW)
    authority.issue(TABLE, (), 398, NOW)


def test_one_of_two_certificates_is_revoked_by_its_serial_number(
    authority: CertificateAuthority,
) -> None:
    old = certificate_in(authority.issue(TABLE, (), 60, NOW))
    authority.renew(TABLE, 398, NOW)
    authority.revoke(TABLE, f"{old.serial_number:040x}"[:12].upper(), NOW)
    assert [one.revoked is not None for one in authority.issued()] == [True, False]
    with pytest.raises(CertificateError, match="0 certificates"):
        authority.revoke(TABLE, "zz", NOW)


def test_the_list_ends_no_earlier_than_any_certificate(authority: CertificateAuthority) -> None:
    authority.issue(TABLE, (), 1000, NOW)
    assert authority.revocations().next_update_utc == NOW + timedelta(days=1000)


def test_a_list_that_this_authority_has_not_signed_is_refused(
    authority: CertificateAuthority, tmp_path: Path
) -> None:
    other = make_authority(tmp_path / "other", "club", NOW)
    (authority.folder / "crl.pem").write_bytes((other.folder / "crl.pem").read_bytes())
    with pytest.raises(CertificateError, match="not a revocation list of this authority"):
        authority.issue(TABLE, (), 398, NOW)


def test_a_key_of_another_authority_is_refused(
    authority: CertificateAuthority, tmp_path: Path
) -> None:
    other = make_authority(tmp_path / "other", "club", NOW)
    (authority.folder / "ca.key").write_bytes((other.folder / "ca.key").read_bytes())
    with pytest.raises(CertificateError, match="is not the key of"):
        CertificateAuthority(authority.folder)


@pytest.mark.parametrize("days", [0, -1, 3651])
def test_a_certificate_never_ends_after_its_authority(
    authority: CertificateAuthority, days: int
) -> None:
    with pytest.raises(CertificateError, match="--days"):
        authority.issue(TABLE, (), days, NOW)
    assert authority.issued() == ()


def test_serial_numbers_are_random(authority: CertificateAuthority) -> None:
    for number in range(5):
        authority.issue(CertificateIdentity(CertificateKind.TABLE, f"t-{number}"), (), 398, NOW)
    serials = sorted(one.certificate.serial_number for one in authority.issued())
    assert min(b - a for a, b in pairwise(serials)) > 2**64


def test_a_folder_without_an_authority_is_named(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match=r"cannot be read \(No such file or directory\)"):
        CertificateAuthority(tmp_path)
