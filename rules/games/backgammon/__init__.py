"""Backgammon: two players, fifteen men each, dice, and a cube if the house has one."""

from __future__ import annotations

from rules.games.backgammon.setup import BACKGAMMON, START, Parameters, pips

__all__ = ["BACKGAMMON", "START", "Parameters", "pips"]
