"""Writes the tables of docs/start/TABLES.md that show which game fits which table.

Only the text between `<!-- make docs: NAME -->` and `<!-- end -->` is generated; people write the
rest of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

from config.loader import game_names, load_game, load_table, table_names
from config.validation.checks import Fit, fit
from rules.games import GAMES, PLUGINS

TOP = Path(__file__).parent.parent
FIRST = ("robotic", "auto_deal", "classic", "single_port", "pai_gow", "bench")
"""The first columns, from the table that does most steps by itself to the one that does least."""
ITSELF, BY_HAND, UNFIT = "●", "◐", "-"
NOT_LISTED = frozenset({"keys", "emergency", "curtain", "ready"})
"""Modules that do not change which steps a table can do."""


def tables_page() -> str:
    """Return the text of docs/start/TABLES.md: each table's games, modules and steps by hand."""
    return with_blocks(
        "docs/start/TABLES.md",
        {"games and tables": _marks, "what they are": _made_of, "by hand": _by_hand},
    )


def columns() -> list[str]:
    """Return the name of every packaged table, in the order of the columns."""
    return [*FIRST, *(name for name in table_names() if name not in FIRST)]


def games() -> list[str]:
    """Return the name of every game of the project, in alphabetical order."""
    return [name for name in game_names() if PLUGINS.is_own(name)]


@cache
def _fit(game: str, table: str) -> Fit:
    return fit(load_table(table), GAMES[game], load_game(game))


def _marks() -> Iterable[str]:
    yield f"{len(games())} games, {len(columns())} tables, all simulated. {ITSELF} means that the"
    yield f"machine does every step, {BY_HAND} that people do some steps by hand when they are"
    yield f"prompted, {UNFIT} that the tiles do not fit the table."
    yield ""
    yield _row("", columns())
    yield _row("---", [":-:"] * len(columns()))
    for game in games():
        yield _row(game, [_mark(_fit(game, table)) for table in columns()])


def _mark(result: Fit) -> str:
    if not result.fits:
        return UNFIT
    return BY_HAND if result.guided else ITSELF


def _made_of() -> Iterable[str]:
    yield _row("table", ["what it is", "boards", "sets", "tiles it takes", "modules"])
    yield _row("---", ["---"] * 5)
    for name in columns():
        table = load_table(name)
        tiles = f"{table.tiles.shortest_mm:g} to {table.tiles.longest_mm:g} mm"
        modules = ", ".join(sorted(table.capabilities - NOT_LISTED))
        boards = ", ".join(table.boards)
        yield _row(f"`{name}`", [table.title, boards, str(table.sets), tiles, modules])


def _by_hand() -> Iterable[str]:
    yield _row("", [f"`{name}`" for name in columns()])
    yield _row("---", ["---"] * len(columns()))
    for game in games():
        yield _row(f"`{game}`", [_people(_fit(game, table)) for table in columns()])


def _people(result: Fit) -> str:
    return (", ".join(result.guided) or "itself") if result.fits else UNFIT


def _row(head: str, cells: Iterable[str]) -> str:
    return " ".join(["|", *([head] if head else []), "|", *(f"{cell} |" for cell in cells)])


def with_blocks(file: str, blocks: Mapping[str, Callable[[], Iterable[str]]]) -> str:
    """Return the text of a page with these blocks generated. Raises ValueError for a lost block."""
    text = (TOP / file).read_text("utf-8")
    for name, lines in blocks.items():
        begin = f"<!-- make docs: {name} -->\n"
        pattern = re.compile(re.escape(begin) + r".*?(?=<!-- end -->)", re.DOTALL)
        written = begin + "".join(f"{line}\n" for line in lines())
        text, count = pattern.subn(lambda _, new=written: new, text)  # type: ignore[misc]
        if count != 1:
            raise ValueError(f"{file} has {count} blocks that begin with {begin!r}; keep one.")
    return text
