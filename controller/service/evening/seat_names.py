"""Puts the players' names and winds into sentences that name seats by number.

The rules and the events number seats. People at the table say a name or a wind.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_SEATS = re.compile(r"\b[Ss]eat (\d\b(?:(?:, | or | and )\d\b)*)(?=[.;:]|$)|\b[Ss]eat (\d)\b")
"""`seat 2`, and at the end of a clause `seat 0, 1 or 2`."""


def with_names(sentence: str, described: Callable[[int], str]) -> str:
    """The sentence with each seat's player in place of its number.

    `described` returns the player of a seat in words, or an empty text for a seat that has neither
    a name nor a wind; such a seat keeps its number.
    """

    def seat(number: re.Match[str]) -> str:
        return described(int(number[0])) or f"seat {number[0]}"

    def seats(found: re.Match[str]) -> str:
        numbers = found[1] or found[2]
        if not any(described(int(each)) for each in re.findall(r"\d", numbers)):
            return found[0]
        return re.sub(r"\d", seat, numbers)

    return _SEATS.sub(seats, sentence)
