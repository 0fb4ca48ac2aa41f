"""Finds certificates and revocation lists that end soon, and reports them each day."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from controller.floor.certificates import files, making
from controller.floor.certificates.authority import CertificateAuthority
from controller.floor.certificates.identity import CertificateError

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
    owner = making.common_name_of(certificate)
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
