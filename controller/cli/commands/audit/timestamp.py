"""The commands by which an authority stamps a log's head with the time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.commands.audit.files import Data, log_of, refusals, write_new
from controller.cli.commands.verify import certificates_in, require_regular
from controller.cli.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cryptography.x509 import Certificate

    from controller.records.audit.log.log_reader import LogReader

timestamp = typer.Typer(name="timestamp", help="Have a signed head stamped with the time.")
Authority = Annotated[
    Path, typer.Option(help="Certificates of the authority (PEM).", show_default=False)
]


@timestamp.command("ask")
def ask_for_time(
    data: Data,
    file: Annotated[Path, typer.Argument(help="The request to write.", show_default=False)],
) -> int:
    """Write a request to stamp the last kept head, for a time-stamping authority (RFC 3161)."""
    from controller.records.audit.stamping import stamp_request

    write_new(file, stamp_request(log_of(data)))
    print(
        f"Send {file} to the authority: curl -H 'Content-Type: application/timestamp-query'"
        f" --data-binary @{file} ADDRESS -o REPLY"
    )
    return 0


@timestamp.command("take")
def take_time(
    data: Data,
    file: Annotated[Path, typer.Argument(help="The authority's reply.", show_default=False)],
    authority: Authority,
) -> int:
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


@timestamp.command("fetch")
def fetch_time(
    data: Data,
    service: Annotated[str, typer.Option(help="Address of the service.", show_default=False)],
    authority: Authority,
) -> int:
    """Have a service on the network stamp the last kept head; a timer can run this command."""
    from controller.records.audit.stamping import reply_of_service, stamp_request

    certificates, log = certificates_in(authority), log_of(data)
    with refusals():
        reply = reply_of_service(service, stamp_request(log))
        _keep(log, reply, certificates)
        return 0
    return 1


def _keep(log: LogReader, reply: bytes, authorities: Sequence[Certificate]) -> None:
    from controller.records.audit.stamping import take_time_stamp

    size, stamp = take_time_stamp(log, reply, authorities)
    print(f"The head of size {size} is stamped: {stamp.time.isoformat()}, {stamp.authority}.")
