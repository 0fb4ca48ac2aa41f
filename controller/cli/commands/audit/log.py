"""The commands that show a log, export it, write receipts of it, and change its key."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from controller.cli.commands.audit.files import Data, folder_of, log_of, write_new
from controller.cli.errors import BadInputError
from controller.events import EventName

if TYPE_CHECKING:
    from collections.abc import Callable

    from controller.records.audit.log.event_line import AuditEvent
    from controller.records.audit.log.log_reader import LogReader

audit = typer.Typer(
    name="audit",
    help="Show or export a service's audit log, have it witnessed, or change its key.",
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


@audit.command()
def show(
    data: Data,
    last: Annotated[int, typer.Option(min=1, help="The number of events, latest last.")] = 20,
    what: Annotated[
        str | None, typer.Option(help="Only events of this kind.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> int:
    """Check the whole log, and print its key, its size and its last events."""
    from controller.records.audit.receipts import printable

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


@audit.command()
def export(
    data: Data,
    file: Annotated[Path, typer.Argument(help="The bundle to write.", show_default=False)],
    first: Annotated[int, typer.Option(min=0, help="The index of the first event.")] = 0,
) -> int:
    """Write a bundle that a stranger verifies offline with 'wallwright verify'."""
    from controller.records.audit.bundle import export_bundle
    from controller.records.audit.errors import AuditError

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


@audit.command()
def rounds(
    data: Data,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines.")] = False,
) -> int:
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


@audit.command()
def receipt(
    data: Data,
    file: Annotated[
        Path, typer.Argument(help="The receipt to write: .json, .txt or .pdf.", show_default=False)
    ],
    event: Annotated[
        int | None,
        typer.Option(min=0, help="Index of the log's event; default: the last round."),
    ] = None,
) -> int:
    """Write the receipt of a round or of a shuffle cycle."""
    from controller.records.audit.receipts import (
        receipt_of,
        receipt_page,
        receipt_pdf,
        receipt_text,
    )

    written: dict[str, Callable[[dict[str, Any]], bytes]] = {
        ".json": lambda made: receipt_text(made).encode(),
        ".txt": lambda made: receipt_page(made).encode(),
        ".pdf": receipt_pdf,
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


@audit.command("rotate-key")
def rotate_key(data: Data) -> int:
    """Make a new key on this computer; the old key signs it, and is deleted. Stop the service."""
    from controller.records.audit.log.audit_log import opened_log

    log = opened_log(folder_of(data))
    try:
        event = log.rotate_key(_entry("key_rotated"))
        print(f"Event {event.index} introduces the new key {log.key.public}")
        print(f"Its fingerprint: {log.key.public.fingerprint}")
    finally:
        log.close()
    return 0


@audit.command()
def begin(data: Data) -> int:
    """Begin a new log in place of one that was moved away; it names the earlier log."""
    from contextlib import closing

    from controller.records.audit.log.audit_log import (
        Anchor,
        anchor_facts,
        anchor_of_journal,
        begun_log,
    )
    from controller.records.data_folder import ANCHOR, ENDED
    from controller.service.evening.evening_store import EveningStore

    folder, store_file = folder_of(data), data / "evening.db"
    if folder.exists or not store_file.is_file():
        raise BadInputError(
            f"{folder.path} has a log, or {data} is not a data folder; move the folder of the log"
            " away first, and keep it as evidence."
        )
    with closing(EveningStore(store_file)) as store:
        kept = Anchor.of(store.fact(ANCHOR), str(store_file))
        found = [kept, anchor_of_journal(data / "table.journal")]
        known = sorted((each for each in found if each is not None), key=lambda each: each.size)
        earlier = {each.origin: each for each in known}
        if not earlier:
            raise BadInputError(
                f"No record in {data} names an earlier log; start the service, which begins one."
            )
        entry = _entry("log_begun")
        last = known[-1]
        facts = {"origin": last.origin, "size": str(last.size), "root": last.root.hex()}
        entry.details["earlier_log"] = facts
        log = begun_log(folder, last.origin.split("/")[1], entry)
        ended = store.fact(ENDED) or []
        store.put_fact(ENDED, [*ended, *(each for each in earlier if each not in ended)])
        store.put_fact(ANCHOR, anchor_facts(log.head))
        log.close()
    print(f"A new log is in {folder.path}: {log.key.public}")
    print(f"Its first event names the earlier log {last.origin} with {last.size} events.")
    return 0


def _last_rounds(log: LogReader) -> list[AuditEvent]:
    """The receipts of the last rounds, in order; of two receipts of a round the later one."""
    found: dict[tuple[object, object], AuditEvent] = {}
    for event in log.events():
        if event.what == "receipt" and event.details.get("kind") == "round":
            hand = (event.details.get("session"), event.details.get("number"))
            found.pop(hand, None)
            found[hand] = event
    return list(found.values())[-ROUNDS:]


def _entry(what: str) -> Any:
    from controller.records.audit.log.event_line import AuditEntry

    return AuditEntry(what, datetime.now(UTC), 0.0, 0.0, getuser(), "", "command line")
