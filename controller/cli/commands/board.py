"""`wallwright board`: runs simulated boards in a process of their own, on a pseudo-terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from controller.cli.errors import BadInputError
from controller.cli.options import completion
from controller.cli.options.boards import (
    Campaign,
    Emulated,
    FaultTexts,
    injected_faults_of,
    require_emulation,
)
from controller.cli.options.lookup import game_named, require_fit, table_named
from controller.cli.options.shared import GameNamed


def board(
    sim: Annotated[
        str,
        typer.Option(
            help="The table whose boards are simulated: a name, or the path of a YAML file.",
            autocompletion=completion.tables,
        ),
    ] = "robotic",
    pty: Annotated[
        bool, typer.Option("--pty", help="Create a pseudo-terminal and print its path (required).")
    ] = False,
    game: GameNamed = "wenzhou",
    seed: Annotated[int, typer.Option(help="Seed of the simulation's random numbers.")] = 0,
    playing: Annotated[
        float | None,
        typer.Option(
            help="Seconds for which simulated players play a hand.",
            show_default="the value in the game's file",
        ),
    ] = None,
    fault: FaultTexts = None,
    faults: Campaign = None,
    emulated: Emulated = False,
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
