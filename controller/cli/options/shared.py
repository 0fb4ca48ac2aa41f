"""Options that several commands share: the game, the table, the journal and the kind of output."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.errors import BadInputError
from controller.cli.options import completion

GameNamed = Annotated[
    str,
    typer.Option(
        help="A game: a name from 'wallwright games', a YAML file, or the folder of a package.",
        autocompletion=completion.games,
    ),
]
GameArgument = Annotated[
    str,
    typer.Argument(
        help="A game: a name from 'wallwright games', a YAML file, or the folder of a package.",
        autocompletion=completion.games,
    ),
]
TableNamed = Annotated[
    str,
    typer.Option(
        help="A table: a name from 'wallwright tables', or the path of a YAML file.",
        autocompletion=completion.tables,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
JournalCopy = Annotated[
    Path | None,
    typer.Option(
        "--journal-copy",
        help="The directory of the journal's third copy, on another disk if possible.",
        show_default=False,
    ),
]
Record = Annotated[
    Path | None,
    typer.Option(
        "--record",
        help="With --play: write every hand to this file as JSON lines, for 'wallwright replay'.",
        show_default=False,
    ),
]
Trace = Annotated[
    str | None,
    typer.Option(
        help="Write an OpenTelemetry trace of each round to this file, or send it to a collector at"
        " this address, such as http://127.0.0.1:4318.",
        show_default=False,
    ),
]
HostNames = Annotated[
    list[str] | None,
    typer.Option(
        help="A further name by which people open the page, such as table1.club.example; can be"
        " given several times. The computer's own name, its addresses and the names of the"
        " certificate need no option.",
        show_default=False,
    ),
]


def host_names_of(names: list[str] | None) -> frozenset[str]:
    """The names of `--host-name`. Raises BadInputError for a text that is not a host name."""
    for name in names or ():
        if not re.fullmatch(r"(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?", name):
            raise BadInputError(
                f"`--host-name` must be a name without scheme and port, such as"
                f" table1.club.example; got '{name}'."
            )
    return frozenset(names or ())
