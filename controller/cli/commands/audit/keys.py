"""`wallwright audit rotate-key` and `begin`: a new key of an audit log, and a new log."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from getpass import getuser
from pathlib import Path

import click

from controller.cli.command import CliCommand
from controller.cli.commands.audit.log_files import data_option, folder_of
from controller.cli.errors import BadInputError
from controller.records.audit.log.audit_log import (
    Anchor,
    anchor_facts,
    anchor_of_journal,
    begun_log,
    opened_log,
)
from controller.records.audit.log.event_line import AuditEntry
from controller.records.data_folder import ANCHOR, ENDED
from controller.service.evening.evening_store import EveningStore


@click.command(cls=CliCommand)
@data_option
def rotate_key(data: Path) -> int:
    """Make a new key on this computer; the old key signs it, and is deleted. Stop the service."""
    log = opened_log(folder_of(data))
    try:
        event = log.rotate_key(_entry("key_rotated"))
        print(f"Event {event.index} introduces the new key {log.key.public}")
        print(f"Its fingerprint: {log.key.public.fingerprint}")
    finally:
        log.close()
    return 0


@click.command(cls=CliCommand)
@data_option
def begin(data: Path) -> int:
    """Begin a new log in place of one that was moved away; it names the earlier log."""
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


def _entry(what: str) -> AuditEntry:
    return AuditEntry(what, datetime.now(UTC), 0.0, 0.0, getuser(), "", "command line")
