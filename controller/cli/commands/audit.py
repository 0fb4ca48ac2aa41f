"""`wallwright audit`: reads the audit log of a service, and proves what it holds.

The log is the folder `audit` in the data folder of `wallwright serve --data DIR`.
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

from controller.cli.commands.verify import certificates_in, parsed_key
from controller.cli.errors import BadInputError, print_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from controller.audit.log.event_line import AuditEvent
    from controller.audit.log.log_folder import LogFolder
    from controller.audit.log.log_reader import LogReader

audit = typer.Typer(
    name="audit",
    help="Show or export a service's audit log, have it witnessed, or change its key.",
)
witness = typer.Typer(name="witness", help="Have a signed head cosigned by another party.")
audit.add_typer(witness)
timestamp = typer.Typer(name="timestamp", help="Have a signed head stamped with the time.")
audit.add_typer(timestamp)

Data = Annotated[
    Path, typer.Option("--data", help="The data folder of the service.", show_default=False)
]
ROUNDS = 10
"""Number of rounds that `rounds` prints (a regulator asks for the last ten games)."""
UNFINISHED = ("dice_thrown", "choice_made", "tile_turned_up", "ready", "fault")
"""Events that describe a round that has no receipt yet."""
AUDIT_FOLDER = "audit"
"""The folder of the log in the data folder."""


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
    log = _log(data)
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
        print(f"{event.index:>6}  {event.time}  {event.what:<20} {actor}  {details}")
    return 0


@audit.command()
def export(
    data: Data,
    file: Annotated[Path, typer.Argument(help="The bundle to write.", show_default=False)],
    first: Annotated[int, typer.Option(min=0, help="The index of the first event.")] = 0,
) -> int:
    """Write a bundle that a stranger verifies offline with 'wallwright verify'."""
    from controller.audit.bundle.export import export_bundle

    log = _log(data)
    try:
        with file.open("xb") as stream:
            count = export_bundle(log, stream, first)
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
    log = _log(data)
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
    from controller.audit.receipts.receipt import receipt_of, receipt_text
    from controller.audit.receipts.receipt_lines import receipt_page
    from controller.audit.receipts.receipt_pdf import receipt_pdf

    written: dict[str, Callable[[dict[str, Any]], bytes]] = {
        ".json": lambda made: receipt_text(made).encode(),
        ".txt": lambda made: receipt_page(made).encode(),
        ".pdf": receipt_pdf,
    }
    if file.suffix not in written:
        raise BadInputError(f"{file}: the name of a receipt ends in .json, .txt or .pdf.")
    log = _log(data)
    if event is None:
        last = _last_rounds(log)
        if not last:
            raise BadInputError("The log has no receipt of a round; play one, or name --event.")
        event = last[-1].index
    _write_new(file, written[file.suffix](receipt_of(log, event)))
    print(f"The receipt of event {event} is in {file}.")
    return 0


@audit.command("rotate-key")
def rotate_key(data: Data) -> int:
    """Make a new key on this computer; the old key signs it, and is deleted. Stop the service."""
    from controller.audit.log.audit_log import opened_log

    log = opened_log(_folder(data))
    try:
        event = log.rotate_key(_entry("key_rotated"))
        print(f"Event {event.index} introduces the new key {log.key.public}")
        print(f"Its fingerprint: {log.key.public.fingerprint}")
    finally:
        log.close()
    return 0


@witness.command()
def ask(
    data: Data,
    file: Annotated[Path, typer.Argument(help="The request to write.", show_default=False)],
    seen: Annotated[
        int, typer.Option(min=0, help="The size of the last head that the witness has seen.")
    ] = 0,
) -> int:
    """Write a request to cosign the last head: the head, and the proof that it continues."""
    from controller.audit.witnessing import witness_request

    log = _log(data)
    _write_text(file, witness_request(log, seen))
    print(f"Give {file} to the witness. The log's key: {log.keys.latest}")
    return 0


@witness.command("make-key")
def make_key(
    file: Annotated[Path, typer.Argument(help="The key to write.", show_default=False)],
    name: Annotated[str, typer.Option(help="The witness's name, such as casino.example/floor.")],
) -> int:
    """Make the key of a witness, on the witness's computer."""
    from controller.audit.notes.signing_key import new_key
    from controller.audit.notes.verifier_key import COSIGNATURE

    with _refusals():
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
    from controller.audit.notes.signing_key import read_key
    from controller.audit.witnessing import WitnessMemory, cosigned

    known = None if log_key is None else parsed_key(log_key, "--log-key")
    with _refusals():
        line = cosigned(
            _read_text(request), read_key(key), WitnessMemory(memory), datetime.now(UTC), known
        )
        _write_text(file, f"{line}\n")
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
    from controller.audit.witnessing import take_cosignature

    with _refusals():
        size = take_cosignature(_log(data), _read_text(file), parsed_key(key, "--key"))
        print(f"The head of size {size} is witnessed.")
        return 0
    return 1


@timestamp.command("ask")
def ask_for_time(
    data: Data,
    file: Annotated[Path, typer.Argument(help="The request to write.", show_default=False)],
) -> int:
    """Write a request to stamp the last kept head, for a time-stamping authority (RFC 3161)."""
    from controller.audit.stamping import stamp_request

    _write_new(file, stamp_request(_log(data)))
    print(
        f"Send {file} to the authority: curl -H 'Content-Type: application/timestamp-query'"
        f" --data-binary @{file} ADDRESS -o REPLY"
    )
    return 0


@timestamp.command("take")
def take_time(
    data: Data,
    file: Annotated[Path, typer.Argument(help="The authority's reply.", show_default=False)],
    authority: Annotated[
        Path, typer.Option(help="Certificates of the authority (PEM).", show_default=False)
    ],
) -> int:
    """Keep an authority's time stamp with the log; bundles contain it from now on."""
    from controller.audit.stamping import take_time_stamp

    try:
        reply = file.read_bytes()
    except OSError as error:
        raise BadInputError(f"{file} cannot be read ({error.strerror}); name a file.") from error
    with _refusals():
        size, stamp = take_time_stamp(_log(data), reply, certificates_in(authority))
        print(f"The head of size {size} is stamped: {stamp.time.isoformat()}, {stamp.authority}.")
        return 0
    return 1


def _last_rounds(log: LogReader) -> list[AuditEvent]:
    """The receipts of the last rounds, in order; of two receipts of a round the later one."""
    found: dict[tuple[object, object], AuditEvent] = {}
    for event in log.events():
        if event.what == "receipt" and event.details.get("kind") == "round":
            hand = (event.details.get("session"), event.details.get("number"))
            found.pop(hand, None)
            found[hand] = event
    return list(found.values())[-ROUNDS:]


@contextmanager
def _refusals() -> Iterator[None]:
    """Print the reason of a refused proof; the code after this block returns exit code 1."""
    from controller.audit.errors import RefusedProofError

    try:
        yield
    except RefusedProofError as error:
        print_error(f"Refused: {error}")


def _folder(data: Path) -> LogFolder:
    from controller.audit.log.log_folder import LogFolder

    return LogFolder(data / AUDIT_FOLDER)


def _log(data: Path) -> LogReader:
    from controller.audit.log.log_reader import checked_log

    return checked_log(_folder(data))


def _entry(what: str) -> Any:
    from controller.audit.log.event_line import AuditEntry

    return AuditEntry(what, datetime.now(UTC), 0.0, 0.0, getuser(), "", "command line")


def _read_text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise BadInputError(f"{file} cannot be read ({error}); name a text file.") from error


def _write_text(file: Path, text: str) -> None:
    _write_new(file, text.encode())


def _write_new(file: Path, data: bytes) -> None:
    try:
        with file.open("xb") as stream:
            stream.write(data)
    except OSError as error:
        raise BadInputError(
            f"{file} cannot be written ({error.strerror}); name a new file."
        ) from error
