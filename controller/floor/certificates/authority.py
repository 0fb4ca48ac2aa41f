"""The authority of one floor in a folder: its key, all issued certificates, the revocation list.

    ca.pem, ca.key              the authority's certificate and private key
    crl.pem                     the revocation list
    issued/SERIAL.pem           every certificate that the authority has signed
    tables/t-07/1/              for the owner: ca.pem, certificate.pem, key.pem; renewed: 2, 3, ...

The certificates and the list are the authority's only records. A certificate is in `issued` before
its owner gets it, so that every certificate can be revoked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509

from controller.floor.certificates import files, making
from controller.floor.certificates.identity import (
    CertificateError,
    CertificateIdentity,
    identity_of,
    require_host,
)
from controller.floor.messages.topics import require_name

AUTHORITY_DAYS = 3650
"""Days for which the authority's own certificate is valid (our choice)."""
CERTIFICATE_DAYS = 398
"""Days for which a certificate is valid: the longest that browsers accept for a server."""
CA_FILE, KEY_FILE, CRL_FILE = "ca.pem", "ca.key", "crl.pem"


@dataclass(frozen=True)
class IssuedCertificate:
    """A certificate of the authority. `revoked` is the time of its revocation, or None."""

    identity: CertificateIdentity
    certificate: x509.Certificate
    revoked: datetime | None

    @property
    def serial(self) -> str:
        """The serial number in hexadecimal, as in the name of its file."""
        return f"{self.certificate.serial_number:040x}"

    @property
    def ends(self) -> datetime:
        """The time after which the certificate is not valid."""
        return self.certificate.not_valid_after_utc

    def is_valid(self, now: datetime) -> bool:
        """Whether the certificate is neither revoked nor outside of its dates."""
        return self.revoked is None and self.certificate.not_valid_before_utc <= now <= self.ends


class CertificateAuthority:
    """Issues, renews and revokes the certificates of one floor. Raises CertificateError."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        certificate = files.read_certificate(folder / CA_FILE)
        key = files.read_key(folder / KEY_FILE)
        if key.public_key() != certificate.public_key():
            raise CertificateError(
                f"{folder / KEY_FILE} is not the key of {folder / CA_FILE}; put back the pair that"
                " was made together."
            )
        self._signer = making.CertificateSigner(certificate, key)

    @property
    def certificate(self) -> x509.Certificate:
        """The authority's own certificate."""
        return self._signer.certificate

    @property
    def floor(self) -> str:
        """The name of the floor."""
        return making.floor_of(self.certificate)

    def issued(self) -> tuple[IssuedCertificate, ...]:
        """All certificates, by identity and then by their ends."""
        revoked = {entry.serial_number: entry.revocation_date_utc for entry in self.revocations()}
        found = []
        for file in (self.folder / "issued").glob("*.pem"):
            certificate = files.read_certificate(file)
            identity = identity_of(making.common_name_of(certificate))
            found.append(
                IssuedCertificate(identity, certificate, revoked.get(certificate.serial_number))
            )
        return tuple(sorted(found, key=lambda one: (one.identity, one.ends, one.serial)))

    def revocations(self) -> x509.CertificateRevocationList:
        """The revocation list."""
        file = self.folder / CRL_FILE
        data = files.read(file)
        try:
            found = x509.load_pem_x509_crl(data)
        except ValueError:
            found = None
        if found is None or not found.is_signature_valid(self._signer.key.public_key()):
            raise CertificateError(
                f"{file} is not a revocation list of this authority. Put back its last copy: the"
                " broker has one."
            )
        return found

    def issue(
        self, identity: CertificateIdentity, hosts: Iterable[str], days: int, now: datetime
    ) -> Path:
        """Make a key and its certificate for a new identity; returns the folder for its owner."""
        names = tuple(map(require_host, hosts))
        if names and not identity.kind.has_hosts:
            raise CertificateError(
                f"A {identity.kind} is a client only, and needs no `--host`; leave it out."
            )
        with files.locked(self.folder):
            if any(one.is_valid(now) for one in self._of(identity)):
                raise CertificateError(
                    f"There is a valid certificate of {identity}; renew it, or revoke it first."
                )
            if identity.kind.has_hosts and not names:
                raise CertificateError(
                    f"A {identity.kind} needs the names by which clients connect to it; add"
                    " `--host broker.club`, once for each name or address."
                )
            return self._issue(identity, names, days, now)

    def renew(self, identity: CertificateIdentity, days: int, now: datetime) -> Path:
        """Make another key and certificate; the earlier ones stay valid until their own ends."""
        with files.locked(self.folder):
            known = [one for one in self._of(identity) if one.revoked is None]
            if not known:
                raise CertificateError(
                    f"There is no certificate of {identity} to renew; issue one. `wallwright floor"
                    " ca list` shows all."
                )
            return self._issue(identity, making.hosts_of(known[-1].certificate), days, now)

    def revoke(
        self, identity: CertificateIdentity, serial: str | None, now: datetime
    ) -> tuple[IssuedCertificate, ...]:
        """Revoke the certificates of an identity, or the one whose serial number begins so.

        Returns the certificates that were valid before. The broker needs the new list.
        """
        with files.locked(self.folder):
            chosen = [
                one
                for one in self._of(identity)
                if one.revoked is None and one.serial.startswith((serial or "").lower())
            ]
            if not chosen or (serial is not None and len(chosen) > 1):
                number = f" with a serial number that begins with {serial}" if serial else ""
                raise CertificateError(
                    f"There are {len(chosen)} certificates of {identity}{number} that are not"
                    " revoked; `wallwright floor ca list` shows the numbers."
                )
            self._write_list([one.certificate for one in chosen], now)
        return tuple(chosen)

    def refresh_list(self, now: datetime) -> None:
        """Sign the revocation list again, so that it ends later."""
        with files.locked(self.folder):
            self._write_list([], now)

    def _of(self, identity: CertificateIdentity) -> list[IssuedCertificate]:
        return [one for one in self.issued() if one.identity == identity]

    def _issue(
        self, identity: CertificateIdentity, hosts: tuple[str, ...], days: int, now: datetime
    ) -> Path:
        self._require_days(days, now)
        key = making.new_private_key()
        certificate = making.device_certificate(
            identity, hosts, key.public_key(), self._signer, now, days
        )
        record = self.folder / "issued" / f"{certificate.serial_number:040x}.pem"
        files.write_new(record, files.pem(certificate), files.PUBLIC)
        self._write_list([], now)
        folder = self._next_folder(identity)
        files.write_new(folder / "key.pem", files.key_pem(key), files.PRIVATE)
        files.write_new(folder / "certificate.pem", files.pem(certificate), files.PUBLIC)
        files.write_new(folder / "ca.pem", files.pem(self.certificate), files.PUBLIC)
        return folder

    def newest_folder(self, identity: CertificateIdentity) -> Path:
        """The folder with the newest key and certificate of an identity."""
        numbers = self._numbers(identity)
        if not numbers:
            raise CertificateError(f"There is no certificate of {identity}; issue one.")
        return self._folder_of(identity) / str(max(numbers))

    def _next_folder(self, identity: CertificateIdentity) -> Path:
        return self._folder_of(identity) / str(max(self._numbers(identity), default=0) + 1)

    def _folder_of(self, identity: CertificateIdentity) -> Path:
        return self.folder / f"{identity.kind}s" / identity.name

    def _numbers(self, identity: CertificateIdentity) -> list[int]:
        found = self._folder_of(identity).glob("*")
        return [int(entry.name) for entry in found if entry.name.isdecimal()]

    def _require_days(self, days: int, now: datetime) -> None:
        left = (self.certificate.not_valid_after_utc - now).days
        if not 1 <= days <= left:
            raise CertificateError(
                f"`--days` must be 1 to {left}, because the authority's certificate ends then; got"
                f" {days}."
            )

    def _write_list(self, more: Iterable[x509.Certificate], now: datetime) -> None:
        """Write the revocation list.

        Clients are refused when a list is too old. It therefore ends no earlier than any
        certificate.
        """
        old = self.revocations()
        revoked = {entry.serial_number: entry.revocation_date_utc for entry in old}
        revoked |= {certificate.serial_number: now for certificate in more}
        number = old.extensions.get_extension_for_class(x509.CRLNumber).value.crl_number + 1
        ends = max(
            now + timedelta(days=CERTIFICATE_DAYS), *(one.ends for one in self.issued()), now
        )
        made = making.revocation_list(revoked, number, self._signer, now, ends)
        files.replace(self.folder / CRL_FILE, files.pem(made), files.PUBLIC)


def make_authority(folder: Path, floor: str, now: datetime) -> CertificateAuthority:
    """Make the authority of a floor in a new folder. Raises CertificateError and TopicError."""
    require_name(floor, "floor")
    if (folder / CA_FILE).exists() or (folder / KEY_FILE).exists():
        raise CertificateError(
            f"There is an authority in {folder} already; name another folder, or use this one."
        )
    key = making.new_private_key()
    certificate = making.authority_certificate(floor, key, now, AUTHORITY_DAYS)
    signer = making.CertificateSigner(certificate, key)
    ends = now + timedelta(days=CERTIFICATE_DAYS)
    empty = making.revocation_list({}, 1, signer, now, ends)
    files.write_new(folder / KEY_FILE, files.key_pem(key), files.PRIVATE)
    files.write_new(folder / CRL_FILE, files.pem(empty), files.PUBLIC)
    files.write_new(folder / CA_FILE, files.pem(certificate), files.PUBLIC)
    return CertificateAuthority(folder)
