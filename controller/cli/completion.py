"""What a shell offers for a half-typed word: games, tables, cuts, fault codes.

Each function returns the words that begin as what was typed. `wallwright --install-completion`
sets the shell up to ask.
"""

from __future__ import annotations

from collections.abc import Iterable


def games(incomplete: str) -> list[str]:
    """Games by name."""
    from rules.games import GAMES

    return _beginning(incomplete, GAMES)


def tables(incomplete: str) -> list[str]:
    """The tables that come with the program."""
    from config.loader import table_names

    return _beginning(incomplete, table_names())


def cuts(incomplete: str) -> list[str]:
    """The cuts of pai gow."""
    from rules.games.pai_gow.cuts import CUTS

    return _beginning(incomplete, CUTS)


def fault_codes(incomplete: str) -> list[str]:
    """The fault catalogue's codes, in small letters where the word was begun so."""
    from controller.faults.catalogue import CATALOGUE

    codes = [row.code for row in CATALOGUE.values()]
    return _beginning(incomplete, map(str.lower, codes) if incomplete.islower() else codes)


def _beginning(incomplete: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
