"""`wallwright audit`: reads the audit log of a service, and proves what it holds.

The log is the folder `audit` in the data folder of `wallwright serve --data DIR`. `audit` shows a
log, exports it, writes receipts of it, and changes its key. With `audit timestamp` an authority
stamps a log's head with the time; with `audit witness` another party cosigns it.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from controller.cli.commands.verify import certificates_in, parsed_key, require_regular
from controller.cli.errors import BadInputError, print_error
from controller.events import EventName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cryptography.x509 import Certificate

    from controller.records.audit.log.event_line import AuditEvent
    from controller.records.audit.log.log_folder import LogFolder
    from controller.records.audit.log.log_reader import LogReader


Data = Annotated[
    Path, typer.Option("--data", help="The data folder of the service.", show_default=False)
]
AUDIT_FOLDER = "audit"
"""The folder of the log in the data folder."""

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


timestamp = typer.Typer(name="timestamp", help="Have a signed head stamped with the time.")
Authority = Annotated[
    Path, typer.Option(help="Certificates of the authority (PEM).", show_default=False)
]


@timestamp.command("ask")
def ask_for_time(
    data: Data,
    file: Annotated[Path, typer.Argument(help="The request to write.", show_default=False)],
) -> int:
    """Write a request to stamp the last kept head, for a time-stamping authority (RFC 3161)."""
    from controller.records.audit.stamping import stamp_request

    write_new(file, stamp_request(log_of(data)))
    print(
        f"Send {file} to the authority: curl -H 'Content-Type: application/timestamp-query'"
        f" --data-binary @{file} ADDRESS -o REPLY"
    )
    return 0


@timestamp.command("take")
def take_time(
    data: Data,
    file: Annotated[Path, typer.Argument(help="The authority's reply.", show_default=False)],
    authority: Authority,
) -> int:
    """Keep an authority's time stamp with the log; bundles contain it from now on."""
    require_regular(file)
    try:
        reply = file.read_bytes()
    except OSError as error:
        raise BadInputError(f"{file} cannot be read ({error.strerror}); name a file.") from error
    with refusals():
        _keep(log_of(data), reply, certificates_in(authority))
        return 0
    return 1


@timestamp.command("fetch")
def fetch_time(
    data: Data,
    service: Annotated[str, typer.Option(help="Address of the service.", show_default=False)],
    authority: Authority,
) -> int:
    """Have a service on the network stamp the last kept head; a timer can run this command."""
    from controller.records.audit.stamping import reply_of_service, stamp_request

    certificates, log = certificates_in(authority), log_of(data)
    with refusals():
        reply = reply_of_service(service, stamp_request(log))
        _keep(log, reply, certificates)
        return 0
    return 1


def _keep(log: LogReader, reply: bytes, authorities: Sequence[Certificate]) -> None:
    from controller.records.audit.stamping import take_time_stamp

    size, stamp = take_time_stamp(log, reply, authorities)
    print(f"The head of size {size} is stamped: {stamp.time.isoformat()}, {stamp.authority}.")


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


audit.add_typer(witness)
audit.add_typer(timestamp)


# Shared by the commands: the folder of the log, their files, and refusals


@contextmanager
def refusals() -> Iterator[None]:
    """Print the reason of a refused proof; the code after this block returns exit code 1."""
    from controller.records.audit.errors import RefusedProofError

    try:
        yield
    except RefusedProofError as error:
        print_error(f"Refused: {error}")


def folder_of(data: Path) -> LogFolder:
    """The log's folder in a data folder."""
    from controller.records.audit.log.log_folder import LogFolder

    return LogFolder(data / AUDIT_FOLDER)


def log_of(data: Path) -> LogReader:
    """The whole log of a data folder, checked. Raises AuditError."""
    from controller.records.audit.log.log_reader import checked_log

    return checked_log(folder_of(data))


def read_text(file: Path) -> str:
    """Read a text file. Raises BadInputError."""
    require_regular(file)
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise BadInputError(f"{file} cannot be read ({error}); name a text file.") from error


def write_text(file: Path, text: str) -> None:
    """Write a new text file. Raises BadInputError, also if there is one already."""
    write_new(file, text.encode())


def write_new(file: Path, data: bytes) -> None:
    """Write a new file. Raises BadInputError, also if there is one already."""
    try:
        with file.open("xb") as stream:
            stream.write(data)
    except OSError as error:
        raise BadInputError(
            f"{file} cannot be written ({error.strerror}); name a new file."
        ) from error
