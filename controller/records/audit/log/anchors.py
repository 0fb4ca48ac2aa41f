"""Heads that other records keep, by which a log that was cut back or replaced is found.

A log agrees with itself if it is replaced by an older copy of its whole folder, or deleted. So the
journal keeps the size and the root at the beginning of each run, and the store of the evenings
keeps the last one. They are compared when the service opens the log. A person who replaces these
records too is not found by them; for that another party keeps heads (`audit.witnessing`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import ScannedLog
from controller.records.audit.notes import Checkpoint
from controller.records.audit.tree import HASH_SIZE
from controller.run.journal.history import read_records
from controller.run.journal.lines import JournalError

AUDIT_KEY = "audit"
"""The key of the anchor in the content of a journal's run record."""


@dataclass(frozen=True)
class Anchor:
    """The size and the root that a log had; `place` is the record that keeps them."""

    origin: str
    size: int
    root: bytes
    place: str

    @classmethod
    def of(cls, value: object, place: str) -> Anchor | None:
        """The anchor in a JSON value, as `anchor_facts` returns it; None for any other value."""
        if not isinstance(value, dict) or value.keys() != {"origin", "size", "root"}:
            return None
        origin, size, root = value["origin"], value["size"], value["root"]
        if not isinstance(origin, str) or type(size) is not int or not isinstance(root, str):
            return None
        try:
            found = bytes.fromhex(root)
        except ValueError:
            return None
        return cls(origin, size, found, place) if size > 0 and len(found) == HASH_SIZE else None


def anchor_facts(head: Checkpoint) -> dict[str, object]:
    """The JSON value that other records keep of a head."""
    return {"origin": head.origin, "size": head.size, "root": head.root.hex()}


def anchor_of_journal(journal: Path, copies: Path | None = None) -> Anchor | None:
    """The anchor that the last run of a journal has kept; None without one.

    `copies` is the directory of the third copy. A journal that cannot be read has none: its own
    fault stops the table.
    """
    try:
        records = read_records(journal, copies)
    except (JournalError, OSError):
        return None
    for record in reversed(records):
        if record.kind == "run" and isinstance(record.content, dict):
            found = Anchor.of(record.content.get(AUDIT_KEY), f"the journal {journal}")
            if found is not None:
                return found
    return None


def require_log(folder: LogFolder, anchors: Iterable[Anchor]) -> None:
    """Check that there is a log, if an anchor names one. Raises AuditLockedError."""
    for anchor in anchors:
        raise folder.locked(
            f"it is missing, but {anchor.place} has recorded {anchor.size} events of the log"
            f" {anchor.origin}"
        )


def require_anchors(
    folder: LogFolder, log: ScannedLog, anchors: Iterable[Anchor], ended: Collection[str]
) -> None:
    """Check that a log has every head that other records keep. Raises AuditLockedError.

    `log` was read with the sizes of the anchors, and nothing of it was corrected yet: a log that is
    refused is evidence. `ended` are the origins of earlier logs that a restore or a person has
    replaced.
    """
    origin, size = log.head.origin, log.tree.size
    for anchor in anchors:
        if anchor.origin in ended and anchor.origin != origin:
            continue
        if anchor.origin != origin:
            raise folder.locked(
                f"it is the log {origin}, but {anchor.place} has recorded"
                f" {anchor.size} events of the log {anchor.origin}"
            )
        if size < anchor.size:
            raise folder.locked(
                f"it has {size} events, but {anchor.place} has recorded {anchor.size}"
            )
        if log.roots[anchor.size] != anchor.root:
            raise folder.locked(
                f"its first {anchor.size} events are not those that {anchor.place} has recorded"
            )
