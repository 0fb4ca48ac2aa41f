"""The writer of a log: adds events, syncs them, and signs a head after each batch.

A batch of events is appended and synced first. Then the nodes of the tree are appended, which are
not synced because the events determine them, and a head is signed and synced. An event counts as
written after that. One thread at a time may use a log.

A log agrees with itself if it is replaced by an older copy of its whole folder, or deleted. So the
journal keeps the size and the root at the beginning of each run, and the store of the evenings
keeps the last one (`Anchor`). They are compared when the service opens the log. If a person
replaces these records too, only heads at another party show it (`audit.witnessing`).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from secrets import token_hex

from config import durable_files
from config.durable_files import replace_file, sync_folder, sync_path, write_all
from controller.records.audit.errors import AuditError
from controller.records.audit.log.event_line import AuditEntry, AuditEvent, parsed_time, time_text
from controller.records.audit.log.key_chain import KEY_ROTATED, LOG_BEGUN, rotation_details
from controller.records.audit.log.log_folder import KEPT_EVERY, FolderLock, LogFolder, kept_line
from controller.records.audit.log.log_reader import SPARSE, LogReader, ScannedLog, scan
from controller.records.audit.notes import Checkpoint, SigningKey, new_key, read_key
from controller.records.audit.tree import HASH_SIZE, GrowingTree, leaf_hash, nodes_of
from controller.records.data_folder import LOG_FORMAT
from controller.run.journal.history import read_records
from controller.run.journal.lines import JournalError

CLOCK_JUMPED = "clock_jumped"
LARGEST_DRIFT = timedelta(seconds=2)
"""A larger difference between the computer's clock and the elapsed time is a jump (our choice)."""


class AuditLog:
    """A log that is open for writing; made by `begun_log` and `opened_log`.

    `repairs` has one sentence for each thing that was corrected when the log was opened.
    """

    def __init__(self, folder: LogFolder, lock: FolderLock, scanned: ScannedLog) -> None:
        self.folder = folder
        self.repairs: tuple[str, ...] = ()
        self.head = scanned.head
        """The last signed head."""
        self._lock = lock
        self._keys = scanned.keys
        self._places = scanned.places
        self._heads = scanned.heads
        self._tree = scanned.tree
        self._end = scanned.end
        self._nodes_end = scanned.nodes
        self._heads_end = scanned.heads_end
        self._last_wall = parsed_time(scanned.last.time)
        self._last_real: float | None = None
        self._kept = 0
        self._files: list[int] = []
        self._head_path = str(folder.head)
        self._head_text = folder.head.read_bytes()
        self._key = read_key(folder.key)

    @property
    def size(self) -> int:
        """The number of events."""
        return self._tree.size

    @property
    def key(self) -> SigningKey:
        """The key that signs heads."""
        return self._key

    def reader(self) -> LogReader:
        """Read access to the log up to its last head, for the thread that uses this log."""
        note = self.folder.read_head()
        return LogReader(self.folder, self._keys, note, self._places, self._heads)

    def append(
        self, entries: Sequence[AuditEntry], *, keep_head: bool = False
    ) -> tuple[AuditEvent, ...]:
        """Add events, sync them, and sign a head; returns the events with their indexes.

        A jump of the computer's clock is an event before the entry that shows it. Raises AuditError
        if a file cannot be written, and then adds nothing; NotCanonicalError.
        """
        placed = list[AuditEntry]()
        wall, real_s = self._last_wall, self._last_real
        for entry in entries:
            if (jump := _jump(entry, wall, real_s)) is not None:
                placed.append(jump)
            placed.append(entry)
            wall, real_s = entry.wall, entry.real_s
        size = self.size
        lines = [entry.line(number) for number, entry in enumerate(placed, size)]
        self._write(lines, keep_head=keep_head)
        self._last_wall, self._last_real = wall, real_s
        return tuple(entry.event(number) for number, entry in enumerate(placed, size))

    def rotate_key(self, entry: AuditEntry) -> AuditEvent:
        """Introduce a new key by an event, signed with the old key; then delete the old key.

        `entry` gives who did it, and when. Raises AuditError.
        """
        folder, old = self.folder, self._key
        folder.next_key.unlink(missing_ok=True)
        new = new_key(folder.next_key, old.public.name)
        details = rotation_details(old, new.public, self.size)
        rotated = replace(entry, what=KEY_ROTATED, details={**entry.details, **details})
        self._write([rotated.line(self.size)], keep_head=True)
        event = rotated.event(self.size - 1)
        try:
            folder.next_key.replace(folder.key)
            sync_folder(folder.path)
        except OSError as error:
            raise folder.unusable(error) from error
        self._key = new
        self._keys.take(event)
        return event

    def close(self) -> None:
        """Close the files and let others write. Idempotent."""
        if self._files:
            while self._files:
                os.close(self._files.pop())
            self._lock.release()

    def _write(self, lines: Sequence[bytes], *, keep_head: bool) -> None:
        if not self._files:
            raise AuditError(f"The audit log {self.folder.path} is closed.")
        events, nodes, heads = self._files
        text = b"".join(line + b"\n" for line in lines)
        tree = GrowingTree(self.size, self._tree.subtrees)
        try:
            durable_files.append(events, text, self._end)
            new = b"".join(node for line in lines for node in tree.add(leaf_hash(line)))
            write_all(nodes, new, self._nodes_end)
            head = Checkpoint(self._key.public.name, tree.size, tree.root())
            note = self._key.signed(head)
            is_kept = keep_head or tree.size - self._kept >= KEPT_EVERY
            kept = kept_line(note) if is_kept else b""
            if kept:
                durable_files.append(heads, kept, self._heads_end)
            replace_file(self._head_path, str(note).encode(), 0o600)
        except OSError as error:
            self._undo()
            raise self.folder.unusable(error) from error
        self.head, self._tree, self._head_text = head, tree, str(note).encode()
        if kept:
            self._kept = tree.size
            self._heads.append(note)
        for number, line in enumerate(lines, tree.size - len(lines)):
            if not number % SPARSE:
                self._places.append(self._end)
            self._end += len(line) + 1
        self._nodes_end += len(new)
        self._heads_end += len(kept)

    def _undo(self) -> None:
        """Cut off what a failed write has added; the log is closed if that fails too.

        The earlier head is put back first: the failed write can have replaced it, and a head of
        more events than the log has would lock the log.
        """
        ends = (self._end, self._nodes_end, self._heads_end)
        try:
            if self.folder.head.read_bytes() != self._head_text:
                replace_file(self._head_path, self._head_text, 0o600)
            for file, end in zip(self._files, ends, strict=True):
                durable_files.truncate(file, end)
        except OSError:
            self.close()

    def open_files(self, scanned: ScannedLog) -> None:
        """Open the files, and correct what a power cut has left in them. Raises AuditError."""
        folder, repairs = self.folder, list[str]()
        try:
            for path in (folder.events, folder.tree, folder.heads):
                self._files.append(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            events, nodes, heads = self._files
            if scanned.tail:
                with folder.removed.open("ab") as file:
                    file.write(scanned.tail)
                    file.flush()
                    durable_files.sync(file.fileno())
                sync_folder(folder.path)
                os.ftruncate(events, scanned.end)
                repairs.append(
                    f"{len(scanned.tail)} bytes after event {self.size - 1} of the audit log were"
                    f" not signed and were moved to {folder.removed}; a power cut explains them."
                )
            if os.fstat(heads).st_size != scanned.heads_end:
                os.ftruncate(heads, scanned.heads_end)
                repairs.append("A kept head of the audit log was cut off and was removed.")
            if os.fstat(nodes).st_size != self._nodes_end:
                os.ftruncate(nodes, self._nodes_end)
            if self._rebuild_nodes(events, nodes):
                repairs.append("The hash tree of the audit log was completed from the events.")
            self._kept = max(
                (Checkpoint.parsed(note.text).size for note in scanned.heads), default=0
            )
        except OSError as error:
            raise folder.unusable(error) from error
        self.repairs = tuple(repairs)

    def _rebuild_nodes(self, events: int, nodes: int) -> bool:
        """Append the nodes that the file of the tree lacks; returns whether any was missing."""
        tree, written, changed = GrowingTree(), 0, False
        with os.fdopen(os.dup(events), "rb") as file:
            if self._nodes_end == HASH_SIZE * nodes_of(self.size):
                return False
            file.seek(0)
            for line in file:
                new = b"".join(tree.add(leaf_hash(line[:-1])))
                if written >= self._nodes_end:
                    write_all(nodes, new, written)
                    changed = True
                written += len(new)
        self._nodes_end = written
        return changed


def begun_log(folder: LogFolder, table: str, entry: AuditEntry) -> AuditLog:
    """Begin a log in a folder that does not exist yet: a new key, and the event `log_begun`.

    `entry` gives who did it, and when. Raises AuditError.
    """
    beside = LogFolder(folder.path.with_name(f"{folder.path.name}.new"))
    try:
        _clear(beside)
        beside.path.mkdir(mode=0o700, parents=True)
        origin = f"wallwright/{table}/{token_hex(8)}"
        key = new_key(beside.key, origin)
        details = {
            **entry.details,
            "format": LOG_FORMAT,
            "key": str(key.public),
            "origin": origin,
            "table": table,
        }
        first = replace(entry, what=LOG_BEGUN, details=details).line(0)
        tree = GrowingTree()
        tree.add(leaf_hash(first))
        note = key.signed(Checkpoint(origin, 1, tree.root()))
        beside.events.write_bytes(first + b"\n")
        beside.heads.write_bytes(kept_line(note))
        beside.head.write_text(str(note), "utf-8")
        for path in (beside.events, beside.heads, beside.head, beside.path):
            sync_path(path)
        beside.path.rename(folder.path)
        sync_folder(folder.path.parent)
    except OSError as error:
        raise folder.unusable(error) from error
    return opened_log(folder)


def opened_log(
    folder: LogFolder, anchors: Sequence[Anchor] = (), ended: Collection[str] = ()
) -> AuditLog:
    """Open a log for writing, after reading and checking all of it.

    The log is compared with the `anchors` of other records before anything in it is corrected;
    `ended` are the origins of earlier logs that a restore or a person has replaced. Raises
    AuditLockedError if the log contradicts itself or an anchor, and then nothing was changed;
    AuditError if it cannot be used or another process writes it.
    """
    if not folder.path.is_dir():
        raise AuditError(f"There is no audit log {folder.path}; name the folder of one.")
    lock = FolderLock(folder)
    try:
        scanned = scan(folder, {anchor.size for anchor in anchors})
        require_anchors(folder, scanned, anchors, ended)
        _finish_rotation(folder, scanned)
        log = AuditLog(folder, lock, scanned)
        log.open_files(scanned)
        if log.size != scanned.head.size:
            log.append(())  # sign the events that a power cut left without a head
    except AuditError:
        lock.release()
        raise
    return log


def _finish_rotation(folder: LogFolder, scanned: ScannedLog) -> None:
    """Put the new key in its place if a power cut has interrupted a rotation after its event."""
    latest = str(scanned.keys.latest)
    if folder.next_key.exists() and str(read_key(folder.next_key).public) == latest:
        folder.next_key.replace(folder.key)
        sync_folder(folder.path)
    found = str(read_key(folder.key).public)
    if found != latest:
        raise folder.locked(f"its key is {found}, but its events name {latest}")
    folder.next_key.unlink(missing_ok=True)


def _jump(entry: AuditEntry, before: datetime, before_real: float | None) -> AuditEntry | None:
    """The event of a jump of the computer's clock before an entry; None without one.

    Between two starts the elapsed time is not known: only a jump back is visible.
    """
    elapsed = timedelta(seconds=0.0 if before_real is None else entry.real_s - before_real)
    drift = entry.wall - (before + elapsed)
    if abs(drift) <= LARGEST_DRIFT or (before_real is None and drift > LARGEST_DRIFT):
        return None
    details = {"by_ms": round(drift.total_seconds() * 1000), "from": time_text(before)}
    return AuditEntry(CLOCK_JUMPED, entry.wall, entry.table_s, entry.real_s, details=details)


def _clear(folder: LogFolder) -> None:
    """Remove what an interrupted beginning of a log has left."""
    if folder.path.is_dir():
        for file in folder.path.iterdir():
            file.unlink()
        folder.path.rmdir()


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

    `log` was read with the sizes of the anchors, and nothing of it was corrected yet, because a
    refused log is kept unchanged as evidence. `ended` are the origins of earlier logs that a
    restore or a person has replaced.
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
