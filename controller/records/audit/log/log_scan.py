"""Reads a whole log and compares it with its hash tree and its signed heads; changes nothing.

Each byte of the events up to the last signed head is covered by that head's root. What follows was
written by a batch that a power cut interrupted, or by another program. No caller was ever told that
it is on disk, and nothing proves that the table has written it: it is no part of the log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from typing import BinaryIO

from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.event_line import LONGEST_LINE, AuditEvent, parsed_event
from controller.records.audit.log.key_chain import KEY_ROTATED, KeyChain, first_key
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.notes.checkpoint import Checkpoint
from controller.records.audit.notes.signed_note import SignedNote
from controller.records.audit.tree.growing_tree import GrowingTree
from controller.records.audit.tree.hashing import leaf_hash

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
