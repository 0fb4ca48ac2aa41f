"""The keys of a log with their proofs, as bundles and receipts carry them.

`first_key` is the key of the first event. Each rotation is the line of its event with the proof
that the event is in the tree of the file's head.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.event_line import parsed_event
from controller.records.audit.log.key_chain import KEY_ROTATED, KeyChain, first_key
from controller.records.audit.log.log_reader import LogReader
from controller.records.audit.notes import Checkpoint, VerifierKey
from controller.records.audit.tree import leaf_hash, require_inclusion

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


def made_signer_proof(log: LogReader) -> dict[str, Any]:
    """The keys up to the one that signs the last head, and the first event with its proof.

    A receipt has no signature over the whole file, as a bundle has. So its keys begin with the one
    that the log's first event names, and end with the one that signs the head: no key can be
    removed or added at either end.
    """
    proof = made_key_proof(log)
    return {
        "first_key": proof["first_key"],
        "begun": {
            "event": next(log.lines(0, 1))[:-1].decode(),
            "path": hexadecimal(log.nodes.inclusion(0, log.size)),
        },
        "rotations": [each for each in proof["rotations"] if each["index"] + 2 <= log.size],
    }


def verified_keys(value: Any, head: Checkpoint) -> KeyChain:
    """The keys of a bundle with this head. Raises RefusedProofError, KeyError and TypeError."""
    require_exactly(value, {"first_key", "rotations"}, "The list of keys")
    return _chain(value, head)


def verified_signers(value: Any, head: Checkpoint, *, is_begun_proven: bool) -> KeyChain:
    """The keys of a receipt with this head, of which the last one signs the head.

    A forger can begin a log with a key of his own, and end it with an event that introduces the
    key of another device: that needs no signature by the other device. A key that signs nothing in
    the file is therefore refused. Raises RefusedProofError, KeyError and TypeError.
    """
    begun = {"begun"} if is_begun_proven else set[str]()
    require_exactly(value, {"first_key", "rotations", *begun}, "The list of keys")
    keys = _chain(value, head)
    if is_begun_proven:
        require_exactly(value["begun"], {"event", "path"}, "The proof of the first event")
        line = value["begun"]["event"].encode()
        path = hashes_of(value["begun"]["path"], "The proof of the first event")
        require_inclusion(leaf_hash(line), 0, head.size, path, head.root)
        if first_key(parsed_event(line, 0)) != keys.keys[0]:
            raise RefusedProofError("The first event names another key than the receipt.")
    signer = keys.key_for(head.size)
    if signer != keys.latest:
        raise RefusedProofError(
            f"The head is signed by {signer}, but the last key of the file is {keys.latest}, which "
            "signs nothing in it. A forger can name the key of another device in this way."
        )
    return keys


def _chain(value: dict[str, Any], head: Checkpoint) -> KeyChain:
    keys = KeyChain(VerifierKey.parsed(value["first_key"]))
    if type(value["rotations"]) is not list:
        raise RefusedProofError("The proofs of new keys are not a list.")
    for rotation in value["rotations"]:
        require_exactly(rotation, {"event", "index", "path"}, "The proof of a new key")
        line = rotation["event"].encode()
        event = parsed_event(line, rotation["index"])
        path = hashes_of(rotation["path"], "The proof of a new key")
        require_inclusion(leaf_hash(line), event.index, head.size, path, head.root)
        if event.what != KEY_ROTATED:
            raise RefusedProofError(f"Event {event.index} does not introduce a key.")
        keys.take(event)
    return keys


def require_exactly(value: Any, names: set[str], what: str) -> None:
    """Check that a JSON value is an object with these names and no others.

    A receipt is not signed as a whole: a name that no check reads could be added to it.
    """
    if type(value) is not dict or value.keys() != names:
        raise RefusedProofError(f"{what} does not have the keys {', '.join(sorted(names))}.")


def require_known_key(keys: KeyChain, known: VerifierKey | None) -> None:
    """Check that a key which the verifier has from elsewhere is one of the keys.

    The caller checks that the last of the keys has signed the file. Each key before it has signed
    its successor, so each of them leads to that signature. Raises RefusedProofError.
    """
    if known is not None and known not in keys.keys:
        raise RefusedProofError(
            f"The file is signed by {keys.latest}, not by the given key {known} nor by one that it"
            " has introduced; it is from another device, from before the given key was introduced,"
            " or a forgery."
        )
