"""Options that several commands share: the game, the table, the journal and the kind of output."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
