"""Shell completion: games, tables, cuts, fault codes and files.

Each function has the form of click's `shell_complete` and returns the words that begin with the
incomplete word. `wallwright --install-completion` installs the completion in the shell.
"""

from __future__ import annotations

from collections.abc import Iterable

from click import Context, Parameter
from click.shell_completion import CompletionItem

Words = list[CompletionItem[str]]


def games(context: Context, parameter: Parameter, incomplete: str) -> Words:
    """The names of games that begin with the incomplete word; files and folders if none does."""
    from rules.games import GAMES

    return _beginning(incomplete, GAMES) or files(context, parameter, incomplete)


def tables(context: Context, parameter: Parameter, incomplete: str) -> Words:
    """The names of the program's tables that begin with the word; files if none does."""
    from config.loader import table_names

    return _beginning(incomplete, table_names()) or files(context, parameter, incomplete)


def cuts(context: Context, parameter: Parameter, incomplete: str) -> Words:
    """The cuts of pai gow that begin with the incomplete word."""
    from rules.games.pai_gow.cuts import CUTS

    return _beginning(incomplete, CUTS)


def fault_codes(context: Context, parameter: Parameter, incomplete: str) -> Words:
    """The fault codes that begin with the word; in lower case if the word is."""
    from controller.run.faults.catalogue import CATALOGUE

    codes = [row.code for row in CATALOGUE.values()]
    return _beginning(incomplete, map(str.lower, codes) if incomplete.islower() else codes)


def addresses(context: Context, parameter: Parameter, incomplete: str) -> Words:
    """The usual address of a service on this computer, if it begins with the word."""
    return _beginning(incomplete, ("http://127.0.0.1:8080", "127.0.0.1:8080", "localhost:8080"))


def files(context: Context, parameter: Parameter, incomplete: str) -> Words:
    """The request to the shell to complete the path of a file."""
    return [CompletionItem(incomplete, type="file")]


def _beginning(incomplete: str, words: Iterable[str]) -> Words:
    return [CompletionItem(word) for word in words if word.startswith(incomplete)]
