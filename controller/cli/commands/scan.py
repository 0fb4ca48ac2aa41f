"""`wallwright scan`: lists the serial ports and the boards that answer on them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click

from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError, print_error
from controller.cli.options import completion
from controller.cli.options.boards import allow_simulated_option, keys_of, keys_option
from controller.cli.options.lookup import table_named
from controller.cli.options.shared import json_option
from controller.cli.runs.board_checks import report_limits
from controller.cli.runs.port_scan import Scanned, facts, lines_of, scanned_port
from controller.upkeep.installation import attached_ports, can_be_a_board
from firmware_bridge.wire.transport import console_use


@click.command(cls=CliCommand)
@click.argument(
    "ports",
    shell_complete=completion.files,
    nargs=-1,
    help="The ports to scan; without one, all USB ports that can be a board.",
)
@keys_option
@click.option(
    "--limits",
    is_flag=True,
    help="Also show the limits with which each board was provisioned. A board reports them"
    " in a session only, which ends the motions of an earlier session.",
)
@click.option(
    "--table",
    shell_complete=completion.tables,
    help="With --limits: the table whose limits the boards should have; the exit code is 1"
    " if they have others.",
)
@allow_simulated_option
@json_option
def scan(
    ports: tuple[str, ...],
    keys: Path | None,
    limits: bool,
    table: str | None,
    allow_simulated: bool,
    as_json: bool,
) -> int:
    """List serial ports and the boards on them, with serial number, firmware, key and limits."""
    if table is not None and not limits:
        raise BadInputError(f"`--table {table}` compares limits; add --limits.")
    needed = None if table is None else table_named(table)
    known = keys_of(keys, ports, allow_simulated=allow_simulated)
    attached = {port.device: port for port in attached_ports()}
    found = [
        scanned_port(port, attached[port].description if port in attached else "n/a")
        if ports or can_be_a_board(attached[port])
        else Scanned(port, attached[port].description, refusal=_not_asked(port))
        for port in ports or attached
    ]
    if limits:
        found = [
            replace(
                each,
                limits={
                    answer.address: report_limits(each.port, answer, known, needed)
                    for answer in each.answers
                    if answer.identity
                },
            )
            for each in found
        ]
    if as_json:
        print(json.dumps([facts(each, known) for each in found], indent=2))
    elif not ports and not any(map(can_be_a_board, attached.values())):
        print(NOT_ATTACHED)
    for each in found:
        if each.refusal is not None and ports:
            print_error(each.refusal)
        elif not as_json:
            for line in lines_of(each, known):
                print(f"{each.port}{each.described}: {line}")
    # A port named on the command line that cannot be opened is bad input.
    if ports and any(each.refusal is not None for each in found):
        return 2
    return int(any(report.differs for each in found for report in each.limits.values()))


NOT_ATTACHED = (
    "No board and no adapter of a board is attached by USB. Connect the board, with a cable that"
    " carries data too, and scan again. A board at the header of a Raspberry Pi must be named, for"
    " example: wallwright scan /dev/ttyAMA0 (docs/build/PI.md has the settings)."
)
NOT_ASKED = (
    "not asked, because it is not a USB device that can be a board; it can be a console or a modem."
    " If a board is on it: wallwright scan {port}"
)
A_CONSOLE = (
    "not asked, because {used_by}. It cannot have a board until that is switched off:"
    " docs/build/PI.md has the settings"
)


def _not_asked(port: str) -> str:
    """The reason why an unnamed port was skipped, and the next step."""
    used_by = console_use(port)
    return NOT_ASKED.format(port=port) if used_by is None else A_CONSOLE.format(used_by=used_by)
