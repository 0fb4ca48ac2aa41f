"""Reads a log without writing it, also while a service writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from controller.records.audit.errors import AuditError
from controller.records.audit.log.event_line import AuditEvent, parsed_event
from controller.records.audit.log.key_chain import KeyChain
from controller.records.audit.log.log_folder import LogFolder, refusing_damage
from controller.records.audit.log.log_scan import SPARSE, lines_of, scan
from controller.records.audit.notes.checkpoint import Checkpoint
from controller.records.audit.notes.signed_note import SignedNote
from controller.records.audit.tree.hashing import HASH_SIZE, leaf_hash
from controller.records.audit.tree.stored_nodes import StoredNodes


class LogReader:
    """A checked log up to a signed head: events, heads, keys and proofs.

    `places` are the places in the file of each 256th event. `checked_log` makes a reader of a
    folder; a log that is open for writing makes one without reading all events again.
    """

    def __init__(
        self,
        folder: LogFolder,
        keys: KeyChain,
        head: SignedNote,
        places: Sequence[int],
        heads: Sequence[SignedNote],
    ) -> None:
        self.folder = folder
        self.keys = keys
        self.head = head
        self.checkpoint = Checkpoint.parsed(head.text)
        self.size = self.checkpoint.size
        self._places = places
        self._heads = heads
        self.nodes = StoredNodes(self._node)

    def lines(self, first: int = 0, last: int | None = None) -> Iterator[bytes]:
        """The lines of events `first` up to `last` (without it), with their newlines."""
        end = self.size if last is None else min(last, self.size)
        if not 0 <= first <= end:
            raise AuditError(f"The log has the events 0 to {self.size - 1}; got {first}.")
        with self.folder.events.open("rb") as file:
            file.seek(self._places[first // SPARSE] if first < self.size else 0)
            begin = first % SPARSE
            yield from islice(lines_of(file), begin, begin + end - first)

    def events(self, first: int = 0, last: int | None = None) -> Iterator[AuditEvent]:
        """The events `first` up to `last` (without it)."""
        for index, line in enumerate(self.lines(first, last), first):
            yield parsed_event(line[:-1], index)

    def leaf(self, index: int) -> bytes:
        """The hash of an event in the tree."""
        return leaf_hash(next(self.lines(index, index + 1))[:-1])

    def heads(self) -> list[SignedNote]:
        """The signed heads in order of their sizes, with the cosignatures of witnesses.

        Raises AuditLockedError for a witnessed head of another tree, AuditError for a damaged one.
        """
        by_size: dict[int, SignedNote] = {}
        for note in (*self._heads, self.head, *self._witnessed()):
            size = Checkpoint.parsed(note.text).size
            if size > self.size:
                continue
            known = by_size.setdefault(size, note)
            if known.text == note.text:
                for line in note.signatures:
                    known = known.with_signature(line)
                by_size[size] = known
        return [by_size[size] for size in sorted(by_size)]

    def kept_head(self, most: int) -> SignedNote | None:
        """The largest head with at most `most` events that is kept for good; None without one."""
        for note in reversed(self._heads):
            if Checkpoint.parsed(note.text).size <= most:
                return note
        return None

    def last_kept_head(self) -> SignedNote:
        """The last head that is kept for good; the head of the log is replaced by the next one."""
        return self._heads[-1]

    def _witnessed(self) -> list[SignedNote]:
        folder = self.folder.witnessed
        if not folder.is_dir():
            return []
        notes = []
        for file in sorted(folder.glob("*.note")):
            with refusing_damage(file):
                notes.append(note := SignedNote.parsed(file.read_text("utf-8")))
                head = self.keys.verified(note)
            if head.size <= self.size and head.root != self.nodes.root(head.size):
                raise self.folder.locked(f"its witnessed head of size {head.size} is another")
        return notes

    def _node(self, place: int) -> bytes:
        with self.folder.tree.open("rb") as file:
            file.seek(HASH_SIZE * place)
            node = file.read(HASH_SIZE)
        if len(node) != HASH_SIZE:
            raise AuditError(
                f"The hash tree of the audit log {self.folder.path} is incomplete; start the"
                " service once, which completes it."
            )
        return node


def checked_log(folder: LogFolder) -> LogReader:
    """Read and check a whole log, up to its last signed head.

    Raises AuditError, and AuditLockedError if the log contradicts itself.
    """
    if not folder.exists:
        raise AuditError(f"There is no audit log {folder.path}; name the data folder of a service.")
    scanned = scan(folder)
    head = folder_head(folder, scanned.tree.size)
    return LogReader(folder, scanned.keys, head, scanned.places, scanned.heads)


def folder_head(folder: LogFolder, size: int) -> SignedNote:
    """The last head that covers at most `size` events: a service can sign another meanwhile."""
    heads = (folder.read_head(), *folder.read_heads()[0])
    fitting = [note for note in heads if Checkpoint.parsed(note.text).size <= size]
    return max(fitting, key=lambda note: Checkpoint.parsed(note.text).size)
