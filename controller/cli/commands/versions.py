"""`wallwright version --json`: the versions of the program and of every format."""

from __future__ import annotations

import json

import click

from controller.cli.command import CliCommand
from controller.cli.commands.version import program_version
from controller.cli.commands.version import version as print_version
from controller.cli.options.shared import json_option
from controller.records.identity.boot import software_identity


@click.command(cls=CliCommand)
@json_option
def version(as_json: bool) -> int:
    """Print the program's version, and the identity of its signed manifest."""
    if not as_json:
        return print_version()
    from controller.cli.output.format_versions import formats  # half a second

    value = {
        "program": program_version(),
        "identity": software_identity(),
        "formats": dict(formats()),
    }
    print(json.dumps(value, indent=2))
    return 0
