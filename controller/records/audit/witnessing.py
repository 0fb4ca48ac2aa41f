"""Witnesses: another party signs a head after checking that it continues the last one it saw.

The request is the one of c2sp.org/tlog-witness: `old SIZE`, the consistency proof, an empty line
and the signed head. The reply is one cosignature line. Both are files that people carry, or send.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from config.durable_files import replace_file
from controller.records.audit.errors import AuditError, RefusedProofError
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import LogReader
from controller.records.audit.notes import (
    COSIGNATURE,
    Checkpoint,
    NoteSignatureLine,
    SignedNote,
    SigningKey,
    VerifierKey,
    cosigned_at,
    decoded,
    encoded,
    verified_checkpoint,
)
from controller.records.audit.tree import require_consistency

_OLD = "old "
_DAY = 86_400


def witness_request(log: LogReader, old: int) -> str:
    """The request to cosign the last head; the witness has seen the head of size `old`, or 0.

    The head is kept beside the log, so that the reply finds it. Raises AuditError.
    """
    if not 0 <= old <= log.size:
        raise AuditError(f"The log has {log.size} events; the witness cannot have seen {old}.")
    proof = "".join(f"{encoded(node)}\n" for node in log.nodes.consistency(old, log.size))
    _write(log.folder, f"{log.size:012}-asked.note", str(log.head))
    return f"{_OLD}{old}\n{proof}\n{log.head}"


class WitnessMemory:
    """The last head of each log that a witness has seen, in a JSON file. Raises AuditError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: dict[str, dict[str, Any]] = {}
        try:
            if path.exists():
                self._seen = _json_object(path.read_text("utf-8"))
                for origin in self._seen:
                    self.last(origin)
                    self.key(origin)
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RefusedProofError,
        ) as error:
            raise AuditError(
                f"The witness's memory {path} is damaged ({error}); put back an intact copy."
            ) from error

    def last(self, origin: str) -> Checkpoint | None:
        """The last head that was seen; None for a log that is new."""
        seen = self._seen.get(origin)
        return None if seen is None else Checkpoint.parsed(seen["head"])

    def key(self, origin: str) -> VerifierKey | None:
        """The key of the log; None for a log that is new."""
        seen = self._seen.get(origin)
        return None if seen is None else VerifierKey.parsed(seen["key"])

    def keep(self, head: Checkpoint, key: VerifierKey) -> None:
        """Remember a head, durably, before it is cosigned. Raises AuditError."""
        self._seen[head.origin] = {"head": head.text, "key": str(key)}
        try:
            text = json.dumps(self._seen, indent=1, sort_keys=True, ensure_ascii=False)
            replace_file(self._path, text.encode(), 0o600)
        except OSError as error:
            raise AuditError(
                f"The witness's memory {self._path} cannot be written ({error.strerror}); name a"
                " file in a directory that you can write."
            ) from error


def cosigned(
    request: str,
    witness: SigningKey,
    memory: WitnessMemory,
    now: datetime,
    key: VerifierKey | None = None,
) -> NoteSignatureLine:
    """Cosign the head of a request, after checking it; `key` is the log's, if it is new or changed.

    Raises RefusedProofError if the head does not continue the last one, AuditError.
    """
    size, path, note = _parsed_request(request)
    head = Checkpoint.parsed(note.text)
    last = memory.last(head.origin)
    known = key or memory.key(head.origin)
    if known is None:
        raise RefusedProofError(
            f"The log {head.origin} is new to this witness; give its key with --log-key after"
            " comparing its fingerprint with the table's."
        )
    head = verified_checkpoint(note, known)
    if last is None and size:
        raise RefusedProofError("This witness has seen no head of this log; ask with `--seen 0`.")
    if last is not None:
        if size != last.size:
            raise RefusedProofError(
                f"This witness has last seen size {last.size}, but the request continues size"
                f" {size}; ask with `--seen {last.size}`."
            )
        require_consistency(last.size, last.root, head.size, head.root, path)
    memory.keep(head, known)
    return witness.cosignature(head, int(now.timestamp()))


def take_cosignature(log: LogReader, reply: str, witness: VerifierKey) -> int:
    """Keep a cosignature beside the log; returns the size of its head.

    Raises RefusedProofError if it is not one of this witness for a head of this log.
    """
    line = NoteSignatureLine.parsed(reply.removesuffix("\n"))
    if witness.purpose != COSIGNATURE or (line.name, line.key_id) != (
        witness.name,
        witness.key_id,
    ):
        raise RefusedProofError(f"The reply is not signed by {witness.name}.")
    for note in reversed(log.heads()):
        candidate = SignedNote(note.text, (*note.signatures, line))
        try:
            candidate.signature_of(witness)
        except RefusedProofError:
            continue
        size = Checkpoint.parsed(note.text).size
        _keep(log.folder, candidate, witness, size)
        return size
    raise RefusedProofError(
        f"The cosignature of {witness.name} belongs to no kept head of this log."
    )


def keep_daily(folder: LogFolder, note: SignedNote, witness: VerifierKey) -> None:
    """Keep a head with the cosignature of a witness, in place of one of the same UTC day.

    A later head of the log commits to every event of an earlier one, so a witness that cosigns many
    times a day leaves one file a day. Raises RefusedProofError, AuditError.
    """
    line = note.signature_of(witness)
    if line is None:
        raise RefusedProofError(f"The head has no cosignature of {witness.name}.")
    size, day = Checkpoint.parsed(note.text).size, cosigned_at(line) // _DAY
    _keep(folder, note, witness, size)
    kept = sorted(folder.witnessed.glob(f"*-{witness.key_id.hex()}.note"))
    for file in kept[-2:]:
        earlier = SignedNote.parsed(file.read_text("utf-8"))
        signed = earlier.signature_of(witness)
        is_earlier = Checkpoint.parsed(earlier.text).size < size
        if is_earlier and signed is not None and cosigned_at(signed) // _DAY == day:
            file.unlink(missing_ok=True)


def _keep(folder: LogFolder, note: SignedNote, witness: VerifierKey, size: int) -> None:
    keys = folder.witnessed / "keys"
    known = keys.read_text("utf-8").split() if keys.exists() else []
    _write(folder, "keys", "".join(f"{key}\n" for key in sorted({*known, str(witness)})))
    _write(folder, f"{size:012}-{witness.key_id.hex()}.note", str(note))


def _write(folder: LogFolder, name: str, text: str) -> None:
    try:
        folder.witnessed.mkdir(mode=0o700, exist_ok=True)
        replace_file(folder.witnessed / name, text.encode(), 0o600)
    except OSError as error:
        raise folder.unusable(error) from error


def _parsed_request(request: str) -> tuple[int, list[bytes], SignedNote]:
    above, separator, note = request.partition("\n\n")
    first, *proof = above.split("\n")
    size = first.removeprefix(_OLD)
    if not separator or not first.startswith(_OLD) or not size.isdecimal() or len(size) > 18:
        raise RefusedProofError("The file is not a request to a witness; make one with `ask`.")
    path = [decoded(line, "The consistency proof") for line in proof]
    return int(size), path, SignedNote.parsed(note)


def _json_object(text: str) -> dict[str, Any]:
    """The JSON object of a text. Raises ValueError, TypeError."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError(f"it has a {type(value).__name__}, not an object")
    return value
