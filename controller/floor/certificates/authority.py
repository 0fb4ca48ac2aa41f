"""The authority of one floor in a folder: its key, all issued certificates, the revocation list.

    ca.pem, ca.key              the authority's certificate and private key
    crl.pem                     the revocation list
    issued/SERIAL.pem           every certificate that the authority has signed
    tables/t-07/1/              for the owner: ca.pem, certificate.pem, key.pem; renewed: 2, 3, ...

The certificates and the list are the authority's only records. A certificate is in `issued` before
its owner gets it, so that every certificate can be revoked. `endings_of_authority` and
`watch_certificate` report what ends soon.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509

from controller.floor.certificates import files
from controller.floor.certificates.certificate import (
    CertificateError,
    CertificateIdentity,
    CertificateSigner,
    authority_certificate,
    common_name_of,
    device_certificate,
    floor_of,
    hosts_of,
    identity_of,
    new_private_key,
    require_host,
    revocation_list,
)
from controller.floor.messages import require_name

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
        self._signer = CertificateSigner(certificate, key)

    @property
    def certificate(self) -> x509.Certificate:
        """The authority's own certificate."""
        return self._signer.certificate

    @property
    def floor(self) -> str:
        """The name of the floor."""
        return floor_of(self.certificate)

    def issued(self) -> tuple[IssuedCertificate, ...]:
        """All certificates, by identity and then by their ends."""
        revoked = {entry.serial_number: entry.revocation_date_utc for entry in self.revocations()}
        found = []
        for file in (self.folder / "issued").glob("*.pem"):
            certificate = files.read_certificate(file)
            identity = identity_of(common_name_of(certificate))
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
            return self._issue(identity, hosts_of(known[-1].certificate), days, now)

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
        key = new_private_key()
        certificate = device_certificate(identity, hosts, key.public_key(), self._signer, now, days)
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
        made = revocation_list(revoked, number, self._signer, now, ends)
        files.replace(self.folder / CRL_FILE, files.pem(made), files.PUBLIC)


def make_authority(folder: Path, floor: str, now: datetime) -> CertificateAuthority:
    """Make the authority of a floor in a new folder. Raises CertificateError and TopicError."""
    require_name(floor, "floor")
    if (folder / CA_FILE).exists() or (folder / KEY_FILE).exists():
        raise CertificateError(
            f"There is an authority in {folder} already; name another folder, or use this one."
        )
    key = new_private_key()
    certificate = authority_certificate(floor, key, now, AUTHORITY_DAYS)
    signer = CertificateSigner(certificate, key)
    ends = now + timedelta(days=CERTIFICATE_DAYS)
    empty = revocation_list({}, 1, signer, now, ends)
    files.write_new(folder / KEY_FILE, files.key_pem(key), files.PRIVATE)
    files.write_new(folder / CRL_FILE, files.pem(empty), files.PUBLIC)
    files.write_new(folder / CA_FILE, files.pem(certificate), files.PUBLIC)
    return CertificateAuthority(folder)


WARNING_DAYS = 30
"""Days before the end of a certificate from which on a finding is reported (our choice)."""


@dataclass(frozen=True)
class CertificateFinding:
    """A certificate or a list that ends soon or has ended: a sentence, and the next step."""

    is_over: bool
    sentence: str
    next_step: str


def endings_of_authority(
    authority: CertificateAuthority, now: datetime
) -> Iterator[CertificateFinding]:
    """Findings on the newest certificate of each identity, the list and the authority itself."""
    newest = {one.identity: one for one in authority.issued() if one.revoked is None}
    for identity, one in newest.items():
        renew = f"Run `wallwright floor ca renew {identity}`, and give its owner the new folder."
        yield from _finding(f"The certificate of {identity}", one.ends, now, renew)
    ends = authority.revocations().next_update_utc
    if ends is not None:
        refresh = "Run `wallwright floor ca refresh`, and give the broker the new list."
        yield from _finding("The revocation list", ends, now, refresh)
    yield from _finding(
        "The authority's certificate",
        authority.certificate.not_valid_after_utc,
        now,
        "Make a new authority with `wallwright floor ca init`; while both are in use, the broker's"
        " ca.pem and crl.pem contain both.",
    )


def endings_of_file(file: Path, now: datetime) -> Iterator[CertificateFinding]:
    """The finding on a certificate in a file, such as the one of a table. Raises CertificateError.

    For the doctor of a table, which has its own certificate only.
    """
    certificate = files.read_certificate(file)
    owner = common_name_of(certificate)
    yield from _finding(
        f"The certificate {file} of {owner}",
        certificate.not_valid_after_utc,
        now,
        "Let the floor's manager renew it with `wallwright floor ca renew`, and replace the files.",
    )


def _finding(
    subject: str, ends: datetime, now: datetime, next_step: str
) -> Iterator[CertificateFinding]:
    if now > ends:
        yield CertificateFinding(True, f"{subject} ended on {ends:%Y-%m-%d}.", next_step)
    elif ends - now < timedelta(days=WARNING_DAYS):
        sentence = f"{subject} ends in {(ends - now).days} days, on {ends:%Y-%m-%d}."
        yield CertificateFinding(False, sentence, next_step)


EVERY = 24 * 3600.0
"""Real seconds between two looks at the file."""


def _now() -> datetime:
    return datetime.now(UTC)


async def watch_certificate(
    file: Path,
    report: Callable[[str], None],
    pace: float = 1.0,
    wall: Callable[[], datetime] = _now,
) -> None:
    """Report a sentence each day while the certificate ends within 30 days or has ended.

    `pace` is the number of seconds of the event loop's clock in a real second.
    """
    while True:
        try:
            for found in endings_of_file(file, wall()):
                report(f"{found.sentence} {found.next_step}")
        except CertificateError as error:
            report(str(error))
        await asyncio.sleep(EVERY * pace)
