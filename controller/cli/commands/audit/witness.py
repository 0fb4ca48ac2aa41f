"""`wallwright audit witness`: another party cosigns the head of an audit log."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from controller.cli.command import CommandGroup
from controller.cli.commands.audit.log_files import data_option, log_of, refusals
from controller.cli.options import completion
from controller.cli.options.proofs import parsed_key, read_text, write_text
from controller.cli.options.shared import PATH
from controller.records.audit.notes import COSIGNATURE, new_key, read_key
from controller.records.audit.witnessing import (
    WitnessMemory,
    cosigned,
    take_cosignature,
    witness_request,
)

witness = CommandGroup("witness", help="Have a signed head cosigned by another party.")


@witness.command()
@data_option
@click.argument("file", type=PATH, help="The request to write.")
@click.option(
    "--seen",
    type=click.IntRange(min=0),
    default=0,
    help="The size of the last head that the witness has seen.",
)
def ask(data: Path, file: Path, seen: int) -> int:
    """Write a request to cosign the last head: the head, and the proof that it continues."""
    log = log_of(data)
    write_text(file, witness_request(log, seen))
    print(f"Give {file} to the witness. The log's key: {log.keys.latest}")
    return 0


@witness.command("make-key")
@click.argument("file", type=PATH, help="The key to write.")
@click.option("--name", required=True, help="The witness's name, such as casino.example/floor.")
def make_key(file: Path, name: str) -> int:
    """Make the key of a witness, on the witness's computer."""
    with refusals():
        print(new_key(file, name, COSIGNATURE).public)
        return 0
    return 1


@witness.command()
@click.argument("request", type=PATH, help="The request.")
@click.argument("file", type=PATH, help="The cosignature to write.")
@click.option("--key", type=PATH, required=True, help="The witness's key.")
@click.option(
    "--memory", type=PATH, required=True, help="The file with the heads that the witness has seen."
)
@click.option(
    "--log-key",
    shell_complete=completion.files,
    help="The log's key, for a new log or after a rotation.",
)
def sign(request: Path, file: Path, key: Path, memory: Path, log_key: str | None) -> int:
    """Check that a head continues the last one that this witness has seen, and cosign it."""
    known = None if log_key is None else parsed_key(log_key, "--log-key")
    with refusals():
        line = cosigned(
            read_text(request), read_key(key), WitnessMemory(memory), datetime.now(UTC), known
        )
        write_text(file, f"{line}\n")
        print(f"The head is cosigned; give {file} back.")
        return 0
    return 1


@witness.command()
@data_option
@click.argument("file", type=PATH, help="The cosignature.")
@click.option(
    "--key", required=True, shell_complete=completion.files, help="The public key of the witness."
)
def take(data: Path, file: Path, key: str) -> int:
    """Keep a cosignature with the log; bundles contain it from now on."""
    with refusals():
        size = take_cosignature(log_of(data), read_text(file), parsed_key(key, "--key"))
        print(f"The head of size {size} is witnessed.")
        return 0
    return 1
