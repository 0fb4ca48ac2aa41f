"""The commands by which another party cosigns a log's head."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.commands.audit.files import Data, log_of, read_text, refusals, write_text
from controller.cli.commands.verify import parsed_key

witness = typer.Typer(name="witness", help="Have a signed head cosigned by another party.")


@witness.command()
def ask(
    data: Data,
    file: Annotated[Path, typer.Argument(help="The request to write.", show_default=False)],
    seen: Annotated[
        int, typer.Option(min=0, help="The size of the last head that the witness has seen.")
    ] = 0,
) -> int:
    """Write a request to cosign the last head: the head, and the proof that it continues."""
    from controller.records.audit.witnessing import witness_request

    log = log_of(data)
    write_text(file, witness_request(log, seen))
    print(f"Give {file} to the witness. The log's key: {log.keys.latest}")
    return 0


@witness.command("make-key")
def make_key(
    file: Annotated[Path, typer.Argument(help="The key to write.", show_default=False)],
    name: Annotated[str, typer.Option(help="The witness's name, such as casino.example/floor.")],
) -> int:
    """Make the key of a witness, on the witness's computer."""
    from controller.records.audit.notes import COSIGNATURE, new_key

    with refusals():
        print(new_key(file, name, COSIGNATURE).public)
        return 0
    return 1


@witness.command()
def sign(
    request: Annotated[Path, typer.Argument(help="The request.", show_default=False)],
    file: Annotated[Path, typer.Argument(help="The cosignature to write.", show_default=False)],
    key: Annotated[Path, typer.Option(help="The witness's key.", show_default=False)],
    memory: Annotated[
        Path, typer.Option(help="The file with the heads that the witness has seen.")
    ],
    log_key: Annotated[
        str | None,
        typer.Option(help="The log's key, for a new log or after a rotation.", show_default=False),
    ] = None,
) -> int:
    """Check that a head continues the last one that this witness has seen, and cosign it."""
    from controller.records.audit.notes import read_key
    from controller.records.audit.witnessing import WitnessMemory, cosigned

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
def take(
    data: Data,
    file: Annotated[Path, typer.Argument(help="The cosignature.", show_default=False)],
    key: Annotated[str, typer.Option(help="The public key of the witness.", show_default=False)],
) -> int:
    """Keep a cosignature with the log; bundles contain it from now on."""
    from controller.records.audit.witnessing import take_cosignature

    with refusals():
        size = take_cosignature(log_of(data), read_text(file), parsed_key(key, "--key"))
        print(f"The head of size {size} is witnessed.")
        return 0
    return 1
