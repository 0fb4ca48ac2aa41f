"""The perfect shuffle: every order is equally likely. Exact figures of the guessing game.

A player guesses each tile before it is turned up, and sees it afterwards. If every order is equally
likely, the guess with k tiles left is right with probability 1/k, whatever the player's rule is, as
long as the player guesses a tile that has not come out yet.
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt


def guessing_mean(tiles: int) -> Fraction:
    """The mean number of right guesses: the harmonic number H(n)."""
    return sum((Fraction(1, left) for left in range(1, tiles + 1)), Fraction(0))


def guessing_variance(tiles: int) -> Fraction:
    """The variance of the number of right guesses."""
    return sum((Fraction(left - 1, left**2) for left in range(1, tiles + 1)), Fraction(0))


def guessing_standard_deviation(tiles: int) -> float:
    """The standard deviation of the number of right guesses."""
    return sqrt(guessing_variance(tiles))
