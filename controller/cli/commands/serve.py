"""`wallwright serve`: keeps one table running, with its API and its panel, until it is stopped."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

import click

from config.loader import table_names
from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError
from controller.cli.imports import without_collections
from controller.cli.options import completion
from controller.cli.options.boards import (
    allow_simulated_option,
    fault_option,
    injected_faults_of,
    keys_of,
    keys_option,
    port_option,
    ports_of,
    require_ports,
    require_ports_for_keys,
    require_ports_for_simulated,
)
from controller.cli.options.lookup import game_named, require_fit, table_named
from controller.cli.options.shared import (
    PATH,
    host_name_option,
    host_names_of,
    journal_copy_option,
    table_option,
    trace_option,
)
from controller.cli.runs.run_options import pace_of, traced
from controller.cli.runs.signed_tables import require_signed, require_signed_program

if TYPE_CHECKING:
    from controller.floor.settings import FloorSettings

READY = "ready"


@click.command(cls=CliCommand)
@table_option
@click.option(
    "--listen",
    default="127.0.0.1:8080",
    help="Address and port of the API and the panel. Other computers can only connect with"
    " --cert and --key.",
)
@click.option(
    "--data",
    type=PATH,
    help="The folder of the journal, the sessions and the users. Without it a simulated"
    " table keeps nothing.",
)
@click.option(
    "--sim",
    show_default="real",
    help="Speed of the simulated table: real, or a factor of real time such as 10.",
)
@click.option("--seed", type=int, default=0, help="Seed of the simulation's random numbers.")
@click.option(
    "--game", shell_complete=completion.games, help="Begin a session of this game at once."
)
@click.option(
    "--automatic",
    is_flag=True,
    help="Let the simulated people choose, play and end rounds by themselves (simulation only).",
)
@click.option(
    "--until", help="ready: without a terminal, stop when the first round is ready to play."
)
@click.option("--cert", type=PATH, help="The certificate for TLS, a PEM file.")
@click.option("--key", type=PATH, help="The certificate's key, a PEM file.")
@click.option(
    "--proxy",
    multiple=True,
    help="Address of a proxy, such as 127.0.0.1, which states its clients' addresses in"
    " X-Forwarded-For; can be given several times.",
)
@host_name_option
@click.option(
    "--nameplate",
    help="Maker, model and serial number for receipts, such as 'Treasure, MJ-9, A-17'.",
)
@click.option(
    "--floor",
    type=PATH,
    help="A YAML file with which the table joins a floor (docs/floor/FLOOR.md).",
)
@click.option(
    "--gat",
    shell_complete=completion.files,
    help="Serial port on which a Game Authentication Terminal can check the program.",
)
@trace_option
@port_option
@keys_option
@allow_simulated_option
@journal_copy_option
@fault_option
def serve(
    table: str,
    listen: str,
    data: Path | None,
    sim: str | None,
    seed: int,
    game: str | None,
    automatic: bool,
    until: str | None,
    cert: Path | None,
    key: Path | None,
    proxy: tuple[str, ...],
    host_name: tuple[str, ...],
    nameplate: str | None,
    floor: Path | None,
    gat: str | None,
    trace: str | None,
    port: tuple[str, ...],
    keys: Path | None,
    allow_simulated: bool,
    journal_copy: Path | None,
    fault: tuple[str, ...],
) -> int:
    """Keep a table running through the evening, with its API and its panel, until stopped."""
    machine = table_named(table)
    if game is not None:
        rules, config = game_named(game)
        require_fit(machine, rules, config)
        game = config.game
    if until not in (None, READY):
        raise BadInputError(f"`--until` must be {READY}; got '{until}'.")
    if until and game is None:
        raise BadInputError("`--until ready` needs a game; add --game NAME.")
    ports = ports_of(machine, port)
    if gat in ports.values():
        raise BadInputError(f"`--gat` must be a port of its own; {gat} has a board of the table.")
    if ports and (sim is not None or fault or automatic or seed):
        raise BadInputError(
            "`--sim`, `--seed`, `--automatic` and `--fault` are for a simulated table; leave them"
            " out, or leave out --port."
        )
    if ports and data is None:
        raise BadInputError(
            "A real table needs a folder for its journal; add --data DIR. Without the journal its"
            " tiles would be gathered at every start."
        )
    if sim == "virtual":
        raise BadInputError(
            "`--sim` must be real or a factor such as 10; a browser cannot follow virtual time."
        )
    require_ports_for_keys(keys, ports)
    require_ports_for_simulated(ports, allow_simulated=allow_simulated)
    injected_faults = injected_faults_of(fault, None, machine)
    pace = pace_of(sim or "real", real=bool(ports))
    require_ports(dict.fromkeys(ports.values()))
    require_signed(table)
    if gat is not None:
        require_signed_program()
    known = keys_of(keys, ports.values(), allow_simulated=allow_simulated) if ports else None

    with without_collections():
        from controller.cli.runs.serve_session import ServeJob, serve_job

    with traced(trace, {"table": machine.name}) as listener:
        return serve_job(
            ServeJob(
                table_name=table,
                table=machine,
                table_file=None if table in table_names() else Path(table),
                game=game,
                until_ready=until is not None,
                listen=listen,
                data=data,
                journal_copy=journal_copy,
                pace=pace or 1.0,
                seed=seed,
                automatic=automatic,
                ports=ports,
                keys=known,
                injected_faults=injected_faults,
                nameplate=_nameplate(nameplate),
                proxies=frozenset(map(_address, proxy)),
                host_names=host_names_of(host_name),
                cert=cert,
                key=key,
                floor=None if floor is None else _floor_settings(floor),
                gat=gat,
                listener=listener,
            )
        )


def _address(text: str) -> str:
    """An address of a proxy. Raises BadInputError."""
    try:
        return str(ip_address(text))
    except ValueError:
        raise BadInputError(
            f"`--proxy` must be an IP address such as 127.0.0.1; got '{text}'."
        ) from None


def _floor_settings(file: Path) -> FloorSettings:
    """The settings in the file. Raises ConfigErrors."""
    from controller.floor.settings import load_floor_settings

    return load_floor_settings(file)


def _nameplate(text: str | None) -> tuple[str, str, str]:
    """Maker, model and serial number; empty without the option. Raises BadInputError."""
    if text is None:
        return "", "", ""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3 or not all(parts):
        raise BadInputError(
            f"`--nameplate` is 'MAKER, MODEL, SERIAL', three texts with commas; got '{text}'."
        )
    return parts[0], parts[1], parts[2]
