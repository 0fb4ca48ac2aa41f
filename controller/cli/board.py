"""`wallwright board`: simulated boards in a process of their own, on a pseudo-terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from controller.cli import completion
from controller.cli.emulation_option import Emulated, require_emulation
from controller.cli.errors import BadInputError
from controller.cli.fault_options import Campaign, FaultTexts, injected_faults_of
from controller.cli.lookup import game_named, require_fit, table_named
from controller.cli.options import GameNamed


def board(
    sim: Annotated[
        str,
        typer.Option(
            help="The table that the board drives: a name, or a YAML file of your own.",
            autocompletion=completion.tables,
        ),
    ] = "robotic",
    pty: Annotated[
        bool, typer.Option("--pty", help="Answer on a pseudo-terminal and print its path.")
    ] = False,
    game: GameNamed = "wenzhou",
    seed: Annotated[int, typer.Option(help="Chance in the plant.")] = 0,
    playing: Annotated[
        float | None,
        typer.Option(help="Seconds that its people play a hand.", show_default="the game's"),
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
            f"The table {table.name} hangs on GPIO pins and has no board; name another with --sim."
        )
    require_fit(table, rules, config)
    if not pty:
        raise BadInputError("A virtual board needs a line to answer on; add --pty.")
    if playing is not None:
        if not 0 < playing < 86_400:
            raise BadInputError(f"Nobody plays a hand for {playing} s; give --playing 1 or more.")
        config = config.model_copy(update={"play": playing})
    injected_faults = injected_faults_of(fault, faults, table)
    if emulated:
        require_emulation(table)
    from controller.cli.board_process import answer

    return answer(table, config, rules, seed, injected_faults, emulated=emulated)
