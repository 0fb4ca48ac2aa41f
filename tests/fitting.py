"""Computes which game fits which table, once for all test files of a process."""

from __future__ import annotations

from functools import cache

from config.loader import load_game, load_table
from config.validation.checks import fit
from rules.games import GAMES


@cache
def fits(table: str, game: str) -> bool:
    """Whether a game fits a table, both as they are shipped."""
    return fit(load_table(table), GAMES[game], load_game(game)).fits
