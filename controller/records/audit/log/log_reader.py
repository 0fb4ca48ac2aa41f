"""Reads a log without writing it, also while a service writes it.

`scan` reads a whole log and compares it with its hash tree and its signed heads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from controller.records.audit.errors import AuditError, RefusedProofError
from controller.records.audit.log.event_line import LONGEST_LINE, AuditEvent, parsed_event
from controller.records.audit.log.key_chain import KEY_ROTATED, KeyChain, first_key
from controller.records.audit.log.log_folder import LogFolder, refusing_damage
from controller.records.audit.notes import Checkpoint, SignedNote
from controller.records.audit.tree import HASH_SIZE, GrowingTree, StoredNodes, leaf_hash

SPARSE = 256
"""The place in the file is kept for one in this number of events."""
_ROTATION = f'"what":"{KEY_ROTATED}"'.encode()


@dataclass
class ScannedLog:
    """A log that agrees with itself.

    `places` are the places in the file of each 256th event. `end` is the number of bytes of signed
    events, `tail` what follows them. `nodes` is the number of bytes of the file `tree` that agree.
    `roots` are the roots of the sizes that were asked for, as far as the log has them.
    """

    keys: KeyChain
    tree: GrowingTree
    last: AuditEvent
    head: Checkpoint
    heads: list[SignedNote]
    heads_end: int
    places: list[int] = field(default_factory=list)
    end: int = 0
    tail: bytes = b""
    nodes: int = 0
    roots: dict[int, bytes] = field(default_factory=dict)


def scan(folder: LogFolder, sizes: Collection[int] = ()) -> ScannedLog:
    """Read and check a whole log, and compute the roots of its first `sizes` events.

    Raises AuditLockedError for any contradiction, AuditError.
    """
    folder.require_regular_files()
    head = folder.read_head()
    heads, heads_end = folder.read_heads()
    try:
        with folder.events.open("rb") as events, _nodes(folder) as nodes:
            return _Scan(folder, head, heads, heads_end).run(events, nodes, sizes)
    except FileNotFoundError as error:
        raise folder.locked("its events are missing") from error
    except OSError as error:
        raise folder.unusable(error) from error
    except RefusedProofError as error:
        raise folder.locked(str(error).removesuffix(".")) from error


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file with their newlines; a line that is too long comes in parts."""
    return iter(partial(file.readline, LONGEST_LINE), b"")


def _nodes(folder: LogFolder) -> BinaryIO:
    return folder.tree.open("rb") if folder.tree.exists() else BytesIO()


class _Scan:
    def __init__(
        self, folder: LogFolder, head: SignedNote, heads: list[SignedNote], heads_end: int
    ) -> None:
        self._folder = folder
        self._head, self._heads, self._heads_end = head, heads, heads_end
        self._expected: dict[int, list[SignedNote]] = {}
        for note in (*heads, head):
            self._expected.setdefault(Checkpoint.parsed(note.text).size, []).append(note)
        self._signed = max(self._expected)

    def run(self, events: BinaryIO, nodes: BinaryIO, sizes: Collection[int]) -> ScannedLog:
        first = events.readline(LONGEST_LINE)
        if not self._signed or not first.endswith(b"\n"):
            raise self._folder.locked("its first event is missing")
        keys = KeyChain(first_key(parsed_event(first[:-1], 0)))
        scanned = ScannedLog(
            keys,
            GrowingTree(),
            parsed_event(first[:-1], 0),
            Checkpoint.parsed(self._head.text),
            self._heads,
            self._heads_end,
        )
        events.seek(0)
        nodes_agree, last_line = True, first
        for line in lines_of(events):
            tree, index = scanned.tree, scanned.tree.size
            if index >= self._signed:
                scanned.tail = line + events.read()
                break
            if not line.endswith(b"\n"):
                raise self._folder.locked(f"event {index} is cut off")
            if (
                _ROTATION in line
                and (rotated := parsed_event(line[:-1], index)).what == KEY_ROTATED
            ):
                keys.take(rotated)
            if not index % SPARSE:
                scanned.places.append(scanned.end)
            new = b"".join(tree.add(leaf_hash(line[:-1])))
            if nodes_agree:
                stored = nodes.read(len(new))
                nodes_agree = stored == new
                if nodes_agree:
                    scanned.nodes += len(new)
            scanned.end += len(line)
            last_line = line
            if tree.size in sizes:
                scanned.roots[tree.size] = tree.root()
            if tree.size in self._expected:
                self._check_heads(tree, keys)
        if self._expected:
            raise self._folder.locked(
                f"it has {scanned.tree.size} events, but a head of size {self._signed} is signed"
            )
        scanned.last = parsed_event(last_line[:-1], scanned.tree.size - 1)
        return scanned

    def _check_heads(self, tree: GrowingTree, keys: KeyChain) -> None:
        for note in self._expected.pop(tree.size):
            checkpoint = keys.verified(note)
            if checkpoint.root != tree.root():
                raise self._folder.locked(
                    f"its events do not agree with the signed head of size {tree.size}: one of the"
                    " events before it was changed"
                )


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
                raise self.folder.locked(
                    f"its witnessed head of size {head.size} differs from its events"
                )
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


_COUNTED = {
    "power_ups": b'"what":"power_up"',
    "lid_openings": b'"what":"lid_opened"',
    "service_entries": b'"what":"service_mode_entered"',
}
"""The text that each counted event has; in a text of a person the quotes would be escaped."""
_BEFORE_WHO = b'"who":'


def event_counts(folder: Path) -> dict[str, int] | None:
    """The counts, after checking the whole log; None if the folder has no log.

    Raises AuditError, and AuditLockedError if the log contradicts itself.
    """
    log_folder = LogFolder(folder)
    if not log_folder.exists:
        return None
    log = checked_log(log_folder)
    counts = {"events": log.size, **dict.fromkeys(_COUNTED, 0)}
    for line in log.lines():
        for name, text in _COUNTED.items():
            # The keys are in order, so the kind of an event is between its time and its person.
            counts[name] += line.rpartition(_BEFORE_WHO)[0].endswith(text + b",")
    return counts
