"""`wallwright casino`: codes for a casino's host, and checks of the program by GAT.

`casino map` prints the codes of SAS and G2S for each event of a table. `casino gat` and `gat-query`
are both sides of the serial GAT protocol.
"""

from __future__ import annotations

import json
import secrets

import click
from rich.table import Table as Grid

from controller.casino.gat.frames import SPECIAL_FUNCTIONS, GatError, GatPortError
from controller.casino.gat.functions import SEED_BYTES, GatRequest, answers_in, functions_in
from controller.casino.host_map import host_map, sections
from controller.cli.command import CommandGroup
from controller.cli.errors import BadInputError, as_sentence, print_error
from controller.cli.options import completion
from controller.cli.options.shared import json_option
from controller.cli.runs.signed_tables import require_signed_program
from controller.cli.terminal.screen import screen
from controller.records.identity.manifest import IdentityError

casino = CommandGroup(
    "casino", help="Print a casino host's codes for events; answer checks of the program."
)


@casino.command("map")
@json_option
def map_codes(as_json: bool) -> int:
    """Print the SAS exceptions and G2S event codes of every event, fault and command."""
    if as_json:
        print(json.dumps(host_map(), indent=2))
        return 0
    console = screen()
    for title, rows in sections().items():
        grid = Grid("event", "SAS", "G2S", "note", title=title, title_justify="left", box=None)
        for row in rows:
            grid.add_row(row.what, " ".join(row.sas) or "-", " ".join(row.g2s) or "-", row.note)
        console.print(grid)
    return 0


SEED_SIZE = 20
"""Bytes of a seed that is drawn, as terminals draw it."""
LONGEST = 86_400
"""Largest `--limit`, seconds."""

port_option = click.option(
    "--port",
    shell_complete=completion.files,
    required=True,
    help="The serial port of the line, such as /dev/ttyS0.",
)


@casino.command()
@port_option
def gat(port: str) -> int:
    """Answer checks of the signed program on a serial port (GAT 3.50) until Ctrl-C."""
    from controller.cli.runs.gat_session import answer_terminals

    folder = require_signed_program()
    try:
        return answer_terminals(port, folder)
    except GatPortError as error:
        raise BadInputError(as_sentence(error)) from None
    except IdentityError as error:
        print_error(str(error))
        return 1


@casino.command()
@port_option
@click.option(
    "--seed", show_default="20 random bytes", help="The seed: 16 to 64 bytes in hexadecimal."
)
@click.option("--component", show_default="all components", help="Ask for one component only.")
@click.option("--functions", is_flag=True, help="Print what the machine offers.")
@click.option("--limit", type=int, default=1200, help="Seconds that a calculation may take.")
@json_option
def gat_query(
    port: str, seed: str | None, component: str | None, functions: bool, limit: int, as_json: bool
) -> int:
    """Ask a machine by GAT for the answers of its components to a seed, and print them."""
    if functions and (seed is not None or component is not None):
        raise BadInputError("`--functions` needs no seed and no component; leave them out.")
    if not 1 <= limit <= LONGEST:
        raise BadInputError(f"`--limit` must be 1 to {LONGEST} s; got {limit}.")
    key = secrets.token_bytes(SEED_SIZE)
    if seed is not None:
        try:
            key = bytes.fromhex(seed)
        except ValueError:
            key = b""
    if len(key) not in SEED_BYTES:
        raise BadInputError(
            f"`--seed` must be {SEED_BYTES.start} to {SEED_BYTES.stop - 1} bytes in hexadecimal;"
            f" got '{seed}'."
        )
    request = GatRequest(SPECIAL_FUNCTIONS, None if functions else key, component)
    if len(request.to_bytes()) > 251:
        raise BadInputError("`--component` is too long for a frame; list them with --functions.")

    from controller.cli.runs.gat_session import result_of

    try:
        result = result_of(port, request, limit)
        if functions:
            _print_functions(functions_in(result), as_json=as_json)
        else:
            _print_answers(key, answers_in(result), as_json=as_json)
    except GatPortError as error:
        raise BadInputError(as_sentence(error)) from None
    except GatError as error:
        print_error(as_sentence(error))
        return 1
    return 0


def _print_functions(found: list[list[str]], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"functions": found}, indent=2))
        return
    for parts in found:
        print("  ".join(parts))


def _print_answers(seed: bytes, answers: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"seed": seed.hex(), "components": answers}, indent=2))
        return
    print(f"seed  {seed.hex()}")
    for name, answer in answers.items():
        print(f"{name}  {answer}")
