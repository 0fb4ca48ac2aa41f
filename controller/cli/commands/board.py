"""`wallwright board`: runs simulated boards in a process of their own, on a pseudo-terminal."""

from __future__ import annotations

from pathlib import Path

import click

from controller.cli.command import CliCommand
from controller.cli.errors import BadInputError
from controller.cli.options import completion
from controller.cli.options.boards import (
    emulated_option,
    fault_option,
    faults_option,
    injected_faults_of,
    require_emulation,
)
from controller.cli.options.lookup import game_named, require_fit, table_named
from controller.cli.options.shared import game_option


@click.command(cls=CliCommand)
@click.option(
    "--sim",
    default="robotic",
    shell_complete=completion.tables,
    help="The table whose boards are simulated: a name, or the path of a YAML file.",
)
@click.option("--pty", is_flag=True, help="Create a pseudo-terminal and print its path (required).")
@game_option
@click.option("--seed", type=int, default=0, help="Seed of the simulation's random numbers.")
@click.option(
    "--playing",
    type=float,
    show_default="the value in the game's file",
    help="Seconds for which simulated players play a hand.",
)
@fault_option
@faults_option
@emulated_option
def board(
    sim: str,
    pty: bool,
    game: str,
    seed: int,
    playing: float | None,
    fault: tuple[str, ...],
    faults: Path | None,
    emulated: bool,
) -> int:
    """Run a virtual board until Ctrl-C; 'run --port PATH' drives it like a real one."""
    table = table_named(sim)
    rules, config = game_named(game)
    if any(each.kind == "gpio" for each in table.boards.values()):
        raise BadInputError(
            f"The table {table.name} is driven by GPIO pins and has no board to simulate; name"
            " another table with --sim."
        )
    require_fit(table, rules, config)
    if not pty:
        raise BadInputError("A virtual board needs a pseudo-terminal; add --pty.")
    if playing is not None:
        if not 0 < playing < 86_400:
            raise BadInputError(
                f"`--playing` must be more than 0 and less than 86400 s; got {playing}."
            )
        config = config.model_copy(update={"play": playing})
    injected_faults = injected_faults_of(fault, faults, table)
    if emulated:
        require_emulation(table)
    from controller.cli.runs.board_process import answer

    return answer(table, config, rules, seed, injected_faults, emulated=emulated)
