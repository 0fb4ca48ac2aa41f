"""Computes which game fits which table, and loads tables, once for all test files of a process."""

from __future__ import annotations

from functools import cache

from config.loader import load_game, load_table
from config.schema import Table
from config.validation.channels import LONGEST_LEASE
from config.validation.checks import fit
from rules.games import GAMES


@cache
def fits(table: str, game: str) -> bool:
    """Whether a game fits a table, both as they are shipped."""
    return fit(load_table(table), GAMES[game], load_game(game)).fits


@cache
def long_leased(table: str) -> Table:
    """A table as it is shipped, whose boards have the longest lease that a file may set.

    With the shipped leases, two thirds of the commands of a simulated round are renewals, which
    take a third of its processor time.
    """
    shipped = load_table(table)
    boards = {
        name: board.model_copy(update={"lease": LONGEST_LEASE})
        for name, board in shipped.boards.items()
    }
    return shipped.model_copy(update={"boards": boards})
