"""`wallwright audit show`, `export`, `rounds` and `receipt`: what an audit log has."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from controller.cli.command import CliCommand
from controller.cli.commands.audit.log_files import data_option, log_of
from controller.cli.errors import BadInputError
from controller.cli.options.proofs import write_new
from controller.cli.options.shared import PATH
from controller.events import EventName
from controller.records.audit.bundle import export_bundle
from controller.records.audit.errors import AuditError
from controller.records.audit.log.event_line import AuditEvent
from controller.records.audit.log.log_reader import LogReader
from controller.records.audit.receipts import (
    printable,
    receipt_of,
    receipt_page,
    receipt_text,
)

ROUNDS = 10
"""Number of rounds that `rounds` prints (a regulator asks for the last ten games)."""
UNFINISHED = (
    EventName.DICE_THROWN,
    EventName.CHOICE_MADE,
    EventName.TILE_TURNED_UP,
    EventName.READY,
    EventName.FAULT,
)
"""Events that describe a round that has no receipt yet."""


@click.command(cls=CliCommand)
@data_option
@click.option(
    "--last", type=click.IntRange(min=1), default=20, help="The number of events, latest last."
)
@click.option("--what", help="Only events of this kind.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")
def show(data: Path, last: int, what: str | None, as_json: bool) -> int:
    """Check the whole log, and print its key, its size and its last events."""
    log = log_of(data)
    first = 0 if what else max(0, log.size - last)
    events = [event for event in log.events(first) if what in {None, event.what}][-last:]
    if as_json:
        for event in events:
            print(json.dumps(asdict(event), ensure_ascii=False))
        return 0
    print(f"log    {log.checkpoint.origin}")
    print(f"key    {log.keys.latest}")
    print(f"       {log.keys.latest.fingerprint}")
    print(f"events {log.size}, root {log.checkpoint.root.hex()}")
    for event in events:
        actor = f"{event.who} ({event.role}, {event.source})" if event.who else event.source
        details = json.dumps(event.details, ensure_ascii=False)
        line = f"{event.index:>6}  {event.time}  {event.what:<20} {actor}  {details}"
        print(printable(line))
    return 0


@click.command(cls=CliCommand)
@data_option
@click.argument("file", type=PATH, help="The bundle to write.")
@click.option(
    "--first", type=click.IntRange(min=0), default=0, help="The index of the first event."
)
def export(data: Path, file: Path, first: int) -> int:
    """Write a bundle that a stranger verifies offline with 'wallwright verify'."""
    log = log_of(data)
    try:
        with file.open("xb") as stream:
            try:
                count = export_bundle(log, stream, first)
            except (AuditError, OSError):
                file.unlink()
                raise
    except FileExistsError as error:
        raise BadInputError(f"There is a file {file} already; name a new one.") from error
    except OSError as error:
        raise BadInputError(f"{file} cannot be written ({error.strerror}).") from error
    print(f"{count} events are in {file}. Verify it with 'wallwright verify {file}'.")
    return 0


@click.command(cls=CliCommand)
@data_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")
def rounds(data: Path, as_json: bool) -> int:
    """Print the last ten rounds with their outcomes, and the events since then."""
    log = log_of(data)
    found = _last_rounds(log)
    since = found[-1].index + 1 if found else 0
    unfinished = [event for event in log.events(since) if event.what in UNFINISHED]
    for event in found:
        if as_json:
            print(json.dumps({"event": event.index, **event.details}, ensure_ascii=False))
            continue
        result = event.details.get("result") or {}
        title = f"{event.details.get('game')} {event.details.get('number')}"
        print(f"{event.index:>6}  {event.time}  {title:<16} {result.get('sentence', '')}")
    if unfinished and not as_json:
        print("The unfinished round:")
    for event in unfinished:
        if as_json:
            print(json.dumps({"event": event.index, "unfinished": True, **event.details}))
        else:
            print(f"{event.index:>6}  {event.time}  {event.what:<16} {json.dumps(event.details)}")
    return 0


@click.command(cls=CliCommand)
@data_option
@click.argument("file", type=PATH, help="The receipt to write: .json, .txt or .pdf.")
@click.option(
    "--event", type=click.IntRange(min=0), help="Index of the log's event; default: the last round."
)
def receipt(data: Path, file: Path, event: int | None) -> int:
    """Write the receipt of a round or of a shuffle cycle."""
    written: dict[str, Callable[[dict[str, Any]], bytes]] = {
        ".json": lambda made: receipt_text(made).encode(),
        ".txt": lambda made: receipt_page(made).encode(),
        ".pdf": _as_pdf,
    }
    if file.suffix not in written:
        raise BadInputError(f"{file}: the name of a receipt ends in .json, .txt or .pdf.")
    log = log_of(data)
    if event is None:
        last = _last_rounds(log)
        if not last:
            raise BadInputError("The log has no receipt of a round; play one, or name --event.")
        event = last[-1].index
    write_new(file, written[file.suffix](receipt_of(log, event)))
    print(f"The receipt of event {event} is in {file}.")
    return 0


def _as_pdf(made: dict[str, Any]) -> bytes:
    """A receipt as PDF; only for it the extra `paper` is needed."""
    from controller.records.audit.receipt_pdf import receipt_pdf

    return receipt_pdf(made)


def _last_rounds(log: LogReader) -> list[AuditEvent]:
    """The receipts of the last rounds, in order; of two receipts of a round the later one."""
    found: dict[tuple[object, object], AuditEvent] = {}
    for event in log.events():
        if event.what == "receipt" and event.details.get("kind") == "round":
            hand = (event.details.get("session"), event.details.get("number"))
            found.pop(hand, None)
            found[hand] = event
    return list(found.values())[-ROUNDS:]
