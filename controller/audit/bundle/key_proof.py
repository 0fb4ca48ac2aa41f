"""The keys of a log with their proofs, as bundles and receipts carry them.

`first_key` is the key of the first event. Each rotation is the line of its event with the proof
that the event is in the tree of the file's head.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from controller.audit.errors import RefusedProofError
from controller.audit.log.event_line import parsed_event
from controller.audit.log.key_chain import KEY_ROTATED, KeyChain
from controller.audit.log.log_reader import LogReader
from controller.audit.notes.checkpoint import Checkpoint
from controller.audit.notes.verifier_key import VerifierKey
from controller.audit.tree.hashing import leaf_hash
from controller.audit.tree.proofs import require_inclusion

_HASH = re.compile(r"[0-9a-f]{64}")


def hexadecimal(hashes: Sequence[bytes]) -> list[str]:
    """The hashes as texts."""
    return [each.hex() for each in hashes]


def hashes_of(value: Any, what: str) -> list[bytes]:
    """A list of hashes in hexadecimal. Raises RefusedProofError."""
    if type(value) is not list or not all(
        type(text) is str and _HASH.fullmatch(text) for text in value
    ):
        raise RefusedProofError(f"{what} is not a list of hashes.")
    return [bytes.fromhex(text) for text in value]


def made_key_proof(log: LogReader) -> dict[str, Any]:
    """The keys of a log, with proofs for its last head."""
    rotations = [
        {
            "event": next(log.lines(index, index + 1))[:-1].decode(),
            "index": index,
            "path": hexadecimal(log.nodes.inclusion(index, log.size)),
        }
        for index in log.keys.rotations
        if index < log.size
    ]
    return {"first_key": str(log.keys.keys[0]), "rotations": rotations}


def verified_keys(value: Any, head: Checkpoint) -> KeyChain:
    """The keys of a file with this head. Raises RefusedProofError, also KeyError and TypeError."""
    keys = KeyChain(VerifierKey.parsed(value["first_key"]))
    for rotation in value["rotations"]:
        line = rotation["event"].encode()
        event = parsed_event(line, rotation["index"])
        path = hashes_of(rotation["path"], "The proof of a new key")
        require_inclusion(leaf_hash(line), event.index, head.size, path, head.root)
        if event.what != KEY_ROTATED:
            raise RefusedProofError(f"Event {event.index} does not introduce a key.")
        keys.take(event)
    return keys


def require_known_key(keys: KeyChain, known: VerifierKey | None) -> None:
    """Check that a key which the verifier has from elsewhere is one of the keys.

    Raises RefusedProofError.
    """
    if known is not None and known not in keys.keys:
        raise RefusedProofError(
            f"The file is signed by {keys.keys[0]}, not by the given key {known}; it is from"
            " another device, or a forgery."
        )
