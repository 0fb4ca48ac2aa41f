"""`wallwright audit timestamp`: an authority stamps the head of an audit log with the time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from cryptography.x509 import Certificate

from controller.cli.command import CommandGroup
from controller.cli.commands.audit.log_files import data_option, log_of, refusals
from controller.cli.errors import BadInputError
from controller.cli.options.proofs import certificates_in, require_regular, write_new
from controller.cli.options.shared import PATH
from controller.records.audit.log.log_reader import LogReader
from controller.records.audit.stamping import reply_of_service, stamp_request, take_time_stamp

timestamp = CommandGroup("timestamp", help="Have a signed head stamped with the time.")
authority_option = click.option(
    "--authority", type=PATH, required=True, help="Certificates of the authority (PEM)."
)


@timestamp.command()
@data_option
@click.argument("file", type=PATH, help="The request to write.")
def ask(data: Path, file: Path) -> int:
    """Write a request to stamp the last kept head, for a time-stamping authority (RFC 3161)."""
    write_new(file, stamp_request(log_of(data)))
    print(
        f"Send {file} to the authority: curl -H 'Content-Type: application/timestamp-query'"
        f" --data-binary @{file} ADDRESS -o REPLY"
    )
    return 0


@timestamp.command()
@data_option
@click.argument("file", type=PATH, help="The authority's reply.")
@authority_option
def take(data: Path, file: Path, authority: Path) -> int:
    """Keep an authority's time stamp with the log; bundles contain it from now on."""
    require_regular(file)
    try:
        reply = file.read_bytes()
    except OSError as error:
        raise BadInputError(f"{file} cannot be read ({error.strerror}); name a file.") from error
    with refusals():
        _keep(log_of(data), reply, certificates_in(authority))
        return 0
    return 1


@timestamp.command()
@data_option
@click.option("--service", required=True, help="Address of the service.")
@authority_option
def fetch(data: Path, service: str, authority: Path) -> int:
    """Have a service on the network stamp the last kept head; a timer can run this command."""
    certificates, log = certificates_in(authority), log_of(data)
    with refusals():
        reply = reply_of_service(service, stamp_request(log))
        _keep(log, reply, certificates)
        return 0
    return 1


def _keep(log: LogReader, reply: bytes, authorities: Sequence[Certificate]) -> None:
    size, stamp = take_time_stamp(log, reply, authorities)
    print(f"The head of size {size} is stamped: {stamp.time.isoformat()}, {stamp.authority}.")
