"""`wallwright floor ca`: the certificates of a floor's tables, services, brokers and readers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import BadInputError
from controller.cli.options.shared import AsJson

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

    from controller.floor.certificates.authority import CertificateAuthority, IssuedCertificate
    from controller.floor.certificates.certificate import CertificateIdentity

ca = typer.Typer(name="ca", help="Issue, renew and revoke the certificates of a floor.")

DAYS = 398
"""The default of --days; a test compares it with the authority's."""


class Owner(StrEnum):
    """The kinds of owners, as `certificates.identity` has them, without importing it."""

    TABLE = "table"
    SERVER = "server"
    BROKER = "broker"
    READER = "reader"


Folder = Annotated[
    Path,
    typer.Option(help="The folder of the authority, on a computer of its own if possible."),
]
Kind = Annotated[
    Owner,
    typer.Argument(
        help="table; server: a floor service; broker; reader: a client that only reads states."
    ),
]
Name = Annotated[str, typer.Argument(help="The name: a-z, 0-9, - and _, such as t-07.")]
Days = Annotated[int, typer.Option(help="Days for which the certificate is valid.")]


@ca.command()
def init(
    folder: Folder,
    floor: Annotated[str, typer.Option(help="The name of the floor, as in its topics.")],
) -> int:
    """Make the authority of a floor in a new folder."""
    from controller.floor.certificates.authority import make_authority

    with _errors_reported():
        made = make_authority(folder, floor, _now())
        print(f"The authority of floor {floor} is in {folder}.")
        print(f"Fingerprint: {_fingerprint(made.certificate)}")
        print(f"Keep {folder / 'ca.key'} secret: its reader can issue certificates.")
    return 0


@ca.command()
def issue(
    kind: Kind,
    name: Name,
    folder: Folder,
    host: Annotated[
        list[str] | None,
        typer.Option(
            help="A host name or address of a broker or a server; repeat it.", show_default=False
        ),
    ] = None,
    days: Days = DAYS,
) -> int:
    """Make a key and a certificate for a new table, server, broker or reader."""
    with _errors_reported():
        authority, identity = _authority(folder), _identity(kind, name)
        had_others = any(one.identity == identity for one in authority.issued())
        print(authority.issue(identity, host or (), days, _now()))
        print(f"Copy this folder to the {kind}, where only its service can read it.")
        if kind is Owner.TABLE and had_others:
            print(f"If the floor has retired it, also run `wallwright floor unretire {name}`.")
        if kind in {Owner.SERVER, Owner.READER}:
            print("The broker does not know this name yet: run `wallwright floor ca mosquitto`.")
    return 0


@ca.command()
def renew(kind: Kind, name: Name, folder: Folder, days: Days = DAYS) -> int:
    """Make another key and certificate; the earlier one stays valid until it ends."""
    with _errors_reported():
        print(_authority(folder).renew(_identity(kind, name), days, _now()))
        print(f"Copy this folder to the {kind}; the earlier certificate is still valid.")
    return 0


@ca.command()
def revoke(
    kind: Kind,
    name: Name,
    folder: Folder,
    serial: Annotated[
        str | None,
        typer.Option(
            help="Revoke only the certificate whose serial number begins so.",
            show_default="all of them",
        ),
    ] = None,
) -> int:
    """Revoke the certificates of an owner, and write the revocation list."""
    with _errors_reported():
        for one in _authority(folder).revoke(_identity(kind, name), serial, _now()):
            print(f"Revoked: {one.serial} of {one.identity}")
        print(f"Give the broker {folder / 'crl.pem'} and reload it; a live connection goes on")
        print("until the owner's new certificate connects, or the broker is restarted.")
    return 0


@ca.command()
def refresh(folder: Folder) -> int:
    """Sign the revocation list again, so that it ends later."""
    with _errors_reported():
        authority = _authority(folder)
        authority.refresh_list(_now())
        ends = authority.revocations().next_update_utc
        print(f"{folder / 'crl.pem'} is valid until {ends:%Y-%m-%d}; give it to the broker.")
    return 0


@ca.command("list")
def list_certificates(folder: Folder, as_json: AsJson = False) -> int:
    """List all certificates, and what ends soon; exit code 1 if something has ended."""
    from controller.floor.certificates.authority import endings_of_authority

    with _errors_reported():
        authority, now = _authority(folder), _now()
        rows = [_row(one, now) for one in authority.issued()]
        findings = tuple(endings_of_authority(authority, now))
    if as_json:
        print(json.dumps({"certificates": rows, "findings": [vars(each) for each in findings]}))
    else:
        for row in rows:
            print(f"{row['kind']:8}{row['name']:24}{row['ends']}  {row['state']:9}{row['serial']}")
        for found in findings:
            print(f"{found.sentence} {found.next_step}")
    return 1 if any(found.is_over for found in findings) else 0


@ca.command()
def mosquitto(
    broker: Annotated[str, typer.Argument(help="The name of the broker.")],
    folder: Folder,
    output: Annotated[Path, typer.Option(help="The folder to write.")],
    place: Annotated[
        Path | None,
        typer.Option(
            help="The path that this folder will have on the broker's computer.",
            show_default="the same",
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The broker's port.")] = 8883,
    user: Annotated[str, typer.Option(help="The user as whom mosquitto runs.")] = "mosquitto",
) -> int:
    """Write the files of the broker mosquitto: configuration, access list, certificates."""
    from controller.floor.certificates.broker_files import BrokerPlace, write_broker_files

    with _errors_reported():
        where = BrokerPlace(place or output.resolve(), port, user)
        write_broker_files(_authority(folder), _identity(Owner.BROKER, broker), output, where)
        print(f"The files of mosquitto are in {output}; the user {user} has to own them all.")
        print(f"Start it with `mosquitto -c {where.folder / 'mosquitto.conf'}`, or, if it runs,")
        print("send it SIGHUP.")
    return 0


def _now() -> datetime:
    return datetime.now(UTC)


def _authority(folder: Path) -> CertificateAuthority:
    from controller.floor.certificates.authority import CertificateAuthority

    return CertificateAuthority(folder)


def _identity(kind: Owner, name: str) -> CertificateIdentity:
    from controller.floor.certificates.certificate import CertificateIdentity, CertificateKind

    return CertificateIdentity(CertificateKind(kind), name)


def _row(one: IssuedCertificate, now: datetime) -> dict[str, str]:
    state = "valid" if one.is_valid(now) else "revoked" if one.revoked else "ended"
    return {
        "kind": one.identity.kind,
        "name": one.identity.name,
        "ends": f"{one.ends:%Y-%m-%d}",
        "state": state,
        "serial": one.serial,
        "fingerprint": _fingerprint(one.certificate),
    }


def _fingerprint(certificate: Certificate) -> str:
    from controller.floor.certificates.certificate import fingerprint_of

    return fingerprint_of(certificate)


@contextmanager
def _errors_reported() -> Iterator[None]:
    """Report the errors of the authority as bad input: exit code 2."""
    from controller.floor.certificates.certificate import CertificateError
    from controller.floor.messages import TopicError

    try:
        yield
    except (CertificateError, TopicError) as error:
        raise BadInputError(str(error)) from error
