"""Options that several commands share: the game, the table, the journal and the kind of output."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import click

from controller.cli.errors import BadInputError
from controller.cli.options import completion

PATH = click.Path(path_type=Path)
"""The type of an option or an argument that is a path."""

game_option = click.option(
    "--game",
    default="wenzhou",
    shell_complete=completion.games,
    help="A game: a name from 'wallwright games', a YAML file, or the folder of a package.",
)
game_argument = click.argument(
    "game",
    shell_complete=completion.games,
    help="A game: a name from 'wallwright games', a YAML file, or the folder of a package.",
)
table_option = click.option(
    "--table",
    default="robotic",
    shell_complete=completion.tables,
    help="A table: a name from 'wallwright tables', or the path of a YAML file.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
journal_copy_option = click.option(
    "--journal-copy",
    type=PATH,
    help="The directory of the journal's third copy, on another disk if possible.",
)
record_option = click.option(
    "--record",
    type=PATH,
    help="With --play: write every hand to this file as JSON lines, for 'wallwright replay'.",
)
trace_option = click.option(
    "--trace",
    shell_complete=completion.files,
    help="Write an OpenTelemetry trace of each round to this file, or send it to a collector at"
    " this address, such as http://127.0.0.1:4318.",
)
host_name_option = click.option(
    "--host-name",
    multiple=True,
    help="A further name by which people open the page, such as table1.club.example; can be"
    " given several times. The computer's own name, its addresses and the names of the"
    " certificate need no option.",
)


def host_names_of(names: Iterable[str]) -> frozenset[str]:
    """The names of `--host-name`. Raises BadInputError for a text that is not a host name."""
    for name in names:
        if not re.fullmatch(r"(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?", name):
            raise BadInputError(
                f"`--host-name` must be a name without scheme and port, such as"
                f" table1.club.example; got '{name}'."
            )
    return frozenset(names)
