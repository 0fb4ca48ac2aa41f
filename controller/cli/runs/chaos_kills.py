"""One run of `wallwright chaos --kill`: kills processes of `wallwright run` and resumes them."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from controller.cli.errors import BadInputError, unknown_name
from controller.cli.runs.chaos_session import checked_tables
from controller.cli.runs.stop_signals import INTERRUPTED
from controller.proof.campaign import until_interrupted
from controller.proof.chaos.killing import Killing, kill_hosts
from rules.games import GAMES


def play_and_kill(tables: Sequence[str], games: Sequence[str], seed: int, kills: int) -> int:
    """Kill that many processes, print the figures and each failed check; returns the exit code.

    The first table and the first game are used. Raises BadInputError for an unknown one.
    """
    table = (checked_tables(tables) or ["robotic"])[0]
    game = (games or ["wenzhou"])[0]
    if game not in GAMES:
        raise BadInputError(
            f"{unknown_name('game', game, GAMES)} `--kill` runs each table in a process of its "
            "own, which finds installed games only; install the game's folder with pip."
        )
    with (
        until_interrupted() as stop,
        tempfile.TemporaryDirectory(prefix="chaos-") as folder,
    ):
        killed = kill_hosts(Killing(table, game, seed, kills), Path(folder), stop.is_set)
    for name, figure in killed.figures:
        print(f"{name:24}{figure}")
    for sentence in killed.wrong:
        print(sentence)
    if stop.is_set():
        print(f"Interrupted by Ctrl-C after {killed.kills} of {kills} kills.", file=sys.stderr)
        return INTERRUPTED
    return 1 if killed.wrong else 0
