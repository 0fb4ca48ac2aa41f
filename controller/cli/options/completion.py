"""Shell completion: games, tables, cuts and fault codes.

Each function returns the words that begin with the incomplete word. `wallwright
--install-completion` installs the completion in the shell.
"""

from __future__ import annotations

from collections.abc import Iterable


def games(incomplete: str) -> list[str]:
    """Return the names of games that begin with the incomplete word."""
    from rules.games import GAMES

    return _beginning(incomplete, GAMES)


def tables(incomplete: str) -> list[str]:
    """Return the names of the program's tables that begin with the incomplete word."""
    from config.loader import table_names

    return _beginning(incomplete, table_names())


def cuts(incomplete: str) -> list[str]:
    """Return the cuts of pai gow that begin with the incomplete word."""
    from rules.games.pai_gow.cuts import CUTS

    return _beginning(incomplete, CUTS)


def fault_codes(incomplete: str) -> list[str]:
    """Return the fault codes that begin with the word; in lower case if the word is."""
    from controller.run.faults.catalogue import CATALOGUE

    codes = [row.code for row in CATALOGUE.values()]
    return _beginning(incomplete, map(str.lower, codes) if incomplete.islower() else codes)


def addresses(incomplete: str) -> list[str]:
    """Return the usual address of a service on this computer, if it begins with the word."""
    return _beginning(incomplete, ("http://127.0.0.1:8080", "127.0.0.1:8080", "localhost:8080"))


def _beginning(incomplete: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
