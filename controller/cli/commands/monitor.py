"""`wallwright monitor`: shows the status of a table that a service runs, in a terminal."""

from __future__ import annotations

from pathlib import Path

import click

from controller.cli.command import CliCommand
from controller.cli.options import completion
from controller.cli.options.shared import PATH

ADDRESS = "http://127.0.0.1:8080"
"""The usual address of a service on this computer."""


@click.command(cls=CliCommand)
@click.argument(
    "address",
    default=ADDRESS,
    shell_complete=completion.addresses,
    help="Address of the service, such as 127.0.0.1:8080 or https://table.example."
    f" [default: {ADDRESS}]",
)
@click.option(
    "--token-file",
    type=PATH,
    help="File with an API token of the service; a technician makes tokens.",
)
@click.option(
    "--ca-file",
    type=PATH,
    help="Certificate that signed the service's own, if this computer does not trust it.",
)
@click.option("--once", is_flag=True, help="Print the status once; exit code 1 without a service.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the status once as JSON, for programs."
)
def monitor(
    address: str, token_file: Path | None, ca_file: Path | None, once: bool, as_json: bool
) -> int:
    """Show a table's status in the terminal: prompts, seats, scores, counts, last events."""
    from controller.cli.runs.monitor_session import monitor_table

    return monitor_table(address, token_file, ca_file, once=once, as_json=as_json)
