"""`wallwright floor ca`: the certificates of a floor's tables, services, brokers and readers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click
from cryptography.x509 import Certificate

from controller.cli.command import CommandGroup
from controller.cli.errors import BadInputError
from controller.cli.options.shared import PATH, json_option
from controller.floor.certificates.authority import (
    CERTIFICATE_DAYS,
    CertificateAuthority,
    IssuedCertificate,
    endings_of_authority,
    make_authority,
)
from controller.floor.certificates.broker_files import BrokerPlace, write_broker_files
from controller.floor.certificates.certificate import (
    CertificateError,
    CertificateIdentity,
    CertificateKind,
    fingerprint_of,
)
from controller.floor.messages import TopicError

ca = CommandGroup("ca", help="Issue, renew and revoke the certificates of a floor.")


folder_option = click.option(
    "--folder",
    type=PATH,
    required=True,
    help="The folder of the authority, on a computer of its own if possible.",
)
kind_argument = click.argument(
    "kind",
    type=click.Choice([kind.value for kind in CertificateKind]),
    help="table; server: a floor service; broker; reader: a client that only reads states.",
)
name_argument = click.argument("name", help="The name: a-z, 0-9, - and _, such as t-07.")
days_option = click.option(
    "--days", type=int, default=CERTIFICATE_DAYS, help="Days for which the certificate is valid."
)


@ca.command()
@folder_option
@click.option("--floor", required=True, help="The name of the floor, as in its topics.")
def init(folder: Path, floor: str) -> int:
    """Make the authority of a floor in a new folder."""
    with _errors_reported():
        made = make_authority(folder, floor, _now())
        print(f"The authority of floor {floor} is in {folder}.")
        print(f"Fingerprint: {_fingerprint(made.certificate)}")
        print(f"Keep {folder / 'ca.key'} secret: its reader can issue certificates.")
    return 0


@ca.command()
@kind_argument
@name_argument
@folder_option
@click.option(
    "--host", multiple=True, help="A host name or address of a broker or a server; repeat it."
)
@days_option
def issue(kind: str, name: str, folder: Path, host: tuple[str, ...], days: int) -> int:
    """Make a key and a certificate for a new table, server, broker or reader."""
    with _errors_reported():
        authority, identity = _authority(folder), _identity(kind, name)
        had_others = any(one.identity == identity for one in authority.issued())
        print(authority.issue(identity, host, days, _now()))
        print(f"Copy this folder to the {kind}, where only its service can read it.")
        if kind == CertificateKind.TABLE and had_others:
            print(f"If the floor has retired it, also run `wallwright floor unretire {name}`.")
        if kind in {CertificateKind.SERVER, CertificateKind.READER}:
            print("The broker does not know this name yet: run `wallwright floor ca mosquitto`.")
    return 0


@ca.command()
@kind_argument
@name_argument
@folder_option
@days_option
def renew(kind: str, name: str, folder: Path, days: int) -> int:
    """Make another key and certificate; the earlier one stays valid until it ends."""
    with _errors_reported():
        print(_authority(folder).renew(_identity(kind, name), days, _now()))
        print(f"Copy this folder to the {kind}; the earlier certificate is still valid.")
    return 0


@ca.command()
@kind_argument
@name_argument
@folder_option
@click.option(
    "--serial",
    show_default="all of them",
    help="Revoke only the certificate whose serial number begins so.",
)
def revoke(kind: str, name: str, folder: Path, serial: str | None) -> int:
    """Revoke the certificates of an owner, and write the revocation list."""
    with _errors_reported():
        for one in _authority(folder).revoke(_identity(kind, name), serial, _now()):
            print(f"Revoked: {one.serial} of {one.identity}")
        print(f"Give the broker {folder / 'crl.pem'} and reload it; a live connection goes on")
        print("until the owner's new certificate connects, or the broker is restarted.")
    return 0


@ca.command()
@folder_option
def refresh(folder: Path) -> int:
    """Sign the revocation list again, so that it ends later."""
    with _errors_reported():
        authority = _authority(folder)
        authority.refresh_list(_now())
        ends = authority.revocations().next_update_utc
        print(f"{folder / 'crl.pem'} is valid until {ends:%Y-%m-%d}; give it to the broker.")
    return 0


@ca.command("list")
@folder_option
@json_option
def list_certificates(folder: Path, as_json: bool) -> int:
    """List all certificates, and what ends soon; exit code 1 if something has ended."""
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
@click.argument("broker", help="The name of the broker.")
@folder_option
@click.option("--output", type=PATH, required=True, help="The folder to write.")
@click.option(
    "--place",
    type=PATH,
    show_default="the same",
    help="The path that this folder will have on the broker's computer.",
)
@click.option(
    "--port", type=click.IntRange(min=1, max=65535), default=8883, help="The broker's port."
)
@click.option("--user", default="mosquitto", help="The user as whom mosquitto runs.")
def mosquitto(
    broker: str, folder: Path, output: Path, place: Path | None, port: int, user: str
) -> int:
    """Write the files of the broker mosquitto: configuration, access list, certificates."""
    with _errors_reported():
        where = BrokerPlace(place or output.resolve(), port, user)
        write_broker_files(
            _authority(folder), _identity(CertificateKind.BROKER, broker), output, where
        )
        print(f"The files of mosquitto are in {output}; the user {user} has to own them all.")
        print(f"Start it with `mosquitto -c {where.folder / 'mosquitto.conf'}`, or, if it runs,")
        print("send it SIGHUP.")
    return 0


def _now() -> datetime:
    return datetime.now(UTC)


def _authority(folder: Path) -> CertificateAuthority:
    return CertificateAuthority(folder)


def _identity(kind: str, name: str) -> CertificateIdentity:
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
    return fingerprint_of(certificate)


@contextmanager
def _errors_reported() -> Iterator[None]:
    """Report the errors of the authority as bad input: exit code 2."""
    try:
        yield
    except (CertificateError, TopicError) as error:
        raise BadInputError(str(error)) from error
