"""Writes a bundle: a header with heads and proofs, the events, and a signature over all of it."""

from __future__ import annotations

from collections.abc import Container
from hashlib import sha256
from itertools import pairwise
from typing import Any, BinaryIO

from controller.records.audit.bundle.key_proof import hexadecimal, made_key_proof
from controller.records.audit.canonical_json import canonical
from controller.records.audit.errors import AuditError
from controller.records.audit.log.log_folder import refusing_damage
from controller.records.audit.log.log_reader import LogReader
from controller.records.audit.notes import Checkpoint, SignedNote, VerifierKey, encoded, read_key

BUNDLE_FORMAT = "wallwright-audit-bundle/1"
MOST_SPACED_HEADS = 1000
"""About as many of the kept heads are in a bundle. A log keeps one for each receipt; with all of
them the header of a log of 560,000 events was longer than a verifier reads."""


def export_bundle(log: LogReader, file: BinaryIO, first: int = 0) -> int:
    """Write the events from `first` on; returns their number. Raises AuditError."""
    if not 0 <= first < log.size:
        raise AuditError(
            f"The log has the events 0 to {log.size - 1}; got {first} for the first event."
        )
    key = read_key(log.folder.key)
    if key.public != log.keys.latest:
        raise AuditError(
            f"The key {log.folder.key} is {key.public}, but the log is signed by"
            f" {log.keys.latest}; put back the key that was there."
        )
    digest = sha256()

    def write(line: bytes) -> None:
        digest.update(line)
        file.write(line)

    write(canonical(_header(log, first)) + b"\n")
    for line in log.lines(first):
        write(line)
    seal = {"key": str(key.public), "signature": encoded(key.sign(sealed(digest.digest())))}
    file.write(canonical(seal) + b"\n")
    return log.size - first


def sealed(digest: bytes) -> bytes:
    """What the last line of a bundle signs: the SHA-256 of all lines before it."""
    return b"wallwright bundle 1\n" + digest


def _header(log: LogReader, first: int) -> dict[str, Any]:
    time_stamps = _time_stamps(log)
    heads = _exported_heads(log, time_stamps)
    sizes, notes = list(heads), list(heads.values())
    steps = [log.nodes.consistency(old, new) for old, new in pairwise([0, *sizes])]
    proven = sorted({first, log.size - 1})
    return {
        "format": BUNDLE_FORMAT,
        "origin": log.checkpoint.origin,
        "first": first,
        "size": log.size,
        "before": hexadecimal(log.nodes.subtrees(first)),
        "keys": made_key_proof(log),
        "heads": [
            {"note": str(note), "consistency": hexadecimal(step)}
            for note, step in zip(notes, steps, strict=True)
        ],
        "inclusion": [
            {"index": index, "path": hexadecimal(log.nodes.inclusion(index, log.size))}
            for index in proven
        ],
        "time_stamps": [
            {"size": size, "token": encoded(token)}
            for size, token in sorted(time_stamps.items())
            if size in heads
        ],
        "witnesses": log_witnesses(log),
    }


def _exported_heads(log: LogReader, time_stamps: Container[int]) -> dict[int, SignedNote]:
    """The heads that a bundle has, by their sizes in ascending order.

    These are the last head under each key, those that other parties have signed or stamped, and
    about `MOST_SPACED_HEADS` others.
    """
    spacing = log.size // MOST_SPACED_HEADS
    needed = {log.size, *(index + 1 for index in log.keys.rotations)}
    found: dict[int, SignedNote] = {}
    before = 0
    for note in log.heads():
        size = Checkpoint.parsed(note.text).size
        is_needed = size in needed or size in time_stamps or len(note.signatures) > 1
        if is_needed or size - before >= spacing:
            found[size], before = note, size
    return found


def _time_stamps(log: LogReader) -> dict[int, bytes]:
    """The tokens of time-stamping authorities by the sizes of their heads."""
    folder = log.folder.witnessed
    files = folder.glob("*.tst") if folder.is_dir() else ()
    found = {}
    for file in files:
        with refusing_damage(file):
            found[int(file.stem)] = file.read_bytes()
    return found


def log_witnesses(log: LogReader) -> list[str]:
    """The keys of the witnesses that have cosigned heads of this log."""
    file = log.folder.witnessed / "keys"
    if not file.exists():
        return []
    with refusing_damage(file):
        return [str(VerifierKey.parsed(text)) for text in sorted(set(file.read_text().split()))]
