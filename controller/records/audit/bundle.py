"""Bundles: events with proofs in one file that a stranger verifies offline.

`export_bundle` writes a header with heads and proofs, the events, and a signature over all of it.
`verify_bundle` verifies a bundle by itself: every event, root, signature and proof; it reads the
file line by line.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Any, BinaryIO

from controller.records.audit.canonical_json import canonical, parse_canonical
from controller.records.audit.errors import AuditError, NotCanonicalError, RefusedProofError
from controller.records.audit.key_proof import (
    hashes_of,
    hexadecimal,
    made_key_proof,
    require_exactly,
    require_known_key,
    verified_keys,
)
from controller.records.audit.log.event_line import (
    LONGEST_LINE,
    AuditEvent,
    kind_of_event,
    parsed_event,
)
from controller.records.audit.log.key_chain import KEY_ROTATED, KeyChain, first_key
from controller.records.audit.log.log_folder import refusing_damage
from controller.records.audit.log.log_reader import LogReader
from controller.records.audit.notes import (
    COSIGNATURE,
    Checkpoint,
    SignedNote,
    VerifierKey,
    cosigned_at,
    decoded,
    encoded,
    read_key,
)
from controller.records.audit.tree import (
    GrowingTree,
    leaf_hash,
    require_consistency,
    require_inclusion,
)

if TYPE_CHECKING:
    from cryptography.x509 import Certificate


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
    """The message that the last line of a bundle signs: the SHA-256 of all lines before it."""
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


LONGEST_HEADER = 32 << 20
_LATEST = 253_402_300_799
"""The last second of the year 9999, in seconds since 1970."""
_LEAST_PER_VALUE = 16
"""Bytes of a header for each of its values, on average; most are hashes of 64 digits. Without this
limit a header of 32 MB with nothing but empty lists takes 1 GB of memory."""
_KEYS = {
    "format",
    "origin",
    "first",
    "size",
    "before",
    "keys",
    "heads",
    "inclusion",
    "time_stamps",
    "witnesses",
}
_KEYS_OF_PARTS = {
    "heads": {"note", "consistency"},
    "inclusion": {"index", "path"},
    "time_stamps": {"size", "token"},
}


@dataclass(frozen=True)
class Cosigned:
    """A head that a witness has signed; `at` is in seconds since 1970 (UTC)."""

    witness: str
    size: int
    at: int


@dataclass(frozen=True)
class StampedHead:
    """A head that a time-stamping authority has signed: it existed at that time (UTC)."""

    authority: str
    size: int
    time: datetime
    is_trusted: bool


@dataclass(frozen=True)
class VerifiedBundle:
    """What a bundle proves: these events, of this log, in this order."""

    origin: str
    first: int
    size: int
    begun: AuditEvent
    last: AuditEvent
    heads: int
    keys: tuple[VerifierKey, ...]
    cosigned: tuple[Cosigned, ...]
    stamped: tuple[StampedHead, ...] = ()


def verify_bundle(
    file: BinaryIO,
    known: VerifierKey | None = None,
    witnesses: tuple[VerifierKey, ...] = (),
    authorities: Sequence[Certificate] = (),
) -> VerifiedBundle:
    """Verify a bundle; `known` is the device's key and `witnesses` those of witnesses, if known.

    With certificates of time-stamping authorities, one of them must have stamped a head.

    Raises RefusedProofError with the reason, for any bundle that does not verify.
    """
    try:
        return _Verification(file, known, witnesses, authorities).run()
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RefusedProofError(
            f"The bundle's header is damaged: a value is missing or has a wrong type ({error})."
        ) from error


class _Verification:
    def __init__(
        self,
        file: BinaryIO,
        known: VerifierKey | None,
        witnesses: tuple[VerifierKey, ...],
        authorities: Sequence[Certificate],
    ) -> None:
        self._file = file
        self._known = known
        self._witnesses = witnesses
        self._authorities = authorities
        self._digest = sha256()

    def run(self) -> VerifiedBundle:
        header = self._header()
        heads = [(SignedNote.parsed(each["note"]), each["consistency"]) for each in header["heads"]]
        if not heads:
            raise RefusedProofError("The bundle has no signed head.")
        last_head = Checkpoint.parsed(heads[-1][0].text)
        keys = verified_keys(header["keys"], last_head)
        require_known_key(keys, self._known)
        checkpoints = self._check_heads(header, heads, keys)
        first, size = header["first"], header["size"]
        if last_head.size != size or type(first) is not int or not 0 <= first < size:
            raise RefusedProofError("The sizes in the bundle's header contradict each other.")
        tree = GrowingTree(first, hashes_of(header["before"], "The tree before the events"))
        begun, last = self._check_events(header, tree, keys, checkpoints)
        self._check_seal(keys)
        notes = [note for note, _ in heads]
        return VerifiedBundle(
            last_head.origin,
            first,
            size,
            begun,
            last,
            len(heads),
            keys.keys,
            self._cosigned(header, notes),
            self._stamped(header, notes),
        )

    def _header(self) -> dict[str, Any]:
        line = self._file.readline(LONGEST_HEADER)
        self._digest.update(line)
        if not line.endswith(b"\n"):
            raise RefusedProofError("The bundle's header is cut off or too long.")
        if line.count(b",") > 1000 + len(line) // _LEAST_PER_VALUE:
            raise RefusedProofError("The bundle's header has more values than a header can have.")
        try:
            header = parse_canonical(line[:-1])
        except NotCanonicalError as error:
            raise RefusedProofError(f"The bundle's header is damaged. {error}") from error
        if not isinstance(header, dict) or header.get("format") != BUNDLE_FORMAT:
            raise RefusedProofError(f"The file is not a bundle of the format {BUNDLE_FORMAT}.")
        require_exactly(header, _KEYS, "The bundle's header")
        for name, keys in _KEYS_OF_PARTS.items():
            for part in header[name]:
                require_exactly(part, keys, f"A part of `{name}` in the bundle's header")
        return header

    def _check_heads(
        self, header: dict[str, Any], heads: list[tuple[SignedNote, Any]], keys: KeyChain
    ) -> dict[int, Checkpoint]:
        before: Checkpoint | None = None
        checkpoints: dict[int, Checkpoint] = {}
        for note, proof in heads:
            head = keys.verified(note)
            path = hashes_of(proof, "A consistency proof")
            if head.origin != header["origin"]:
                raise RefusedProofError(f"A head belongs to another log, {head.origin}.")
            if before is not None and head.size <= before.size:
                raise RefusedProofError(
                    f"The head of size {head.size} follows one of size {before.size}: a head was"
                    " replayed."
                )
            if before is not None:
                require_consistency(before.size, before.root, head.size, head.root, path)
            elif path:
                raise RefusedProofError("The first head has a proof without an older head.")
            checkpoints[head.size] = before = head
        return checkpoints

    def _check_events(
        self,
        header: dict[str, Any],
        tree: GrowingTree,
        keys: KeyChain,
        checkpoints: dict[int, Checkpoint],
    ) -> tuple[AuditEvent, AuditEvent]:
        size, proofs = header["size"], _inclusion_proofs(header)
        begun = last = b""
        rotated = {rotation["index"] for rotation in header["keys"]["rotations"]}
        for line in self._event_lines(size - tree.size):
            index = tree.size
            what = kind_of_event(line, index)
            begun, last = begun or line, line
            if (what == KEY_ROTATED) != (index in rotated):
                raise RefusedProofError(
                    f"Event {index} does not match the list of new keys in the bundle's header."
                )
            leaf = leaf_hash(line)
            if index in proofs:
                head = checkpoints[size]
                require_inclusion(leaf, index, size, proofs.pop(index), head.root)
            tree.add(leaf)
            if tree.size in checkpoints and tree.root() != checkpoints[tree.size].root:
                raise RefusedProofError(
                    f"The events do not have the root of the signed head of size {tree.size}: one"
                    " of the events before it was changed."
                )
        if proofs or not last:
            raise RefusedProofError("A proof is for an event that the bundle does not have.")
        first = parsed_event(begun, header["first"])
        if not first.index and first_key(first) != keys.keys[0]:
            raise RefusedProofError("The first event names another key than the header.")
        return first, parsed_event(last, size - 1)

    def _event_lines(self, count: int) -> Iterator[bytes]:
        update, readline = self._digest.update, self._file.readline
        for number in range(count):
            line = readline(LONGEST_LINE + 1)
            if not line.endswith(b"\n"):
                raise RefusedProofError(
                    f"The bundle is cut off after {number} events, or its next event is too long."
                )
            update(line)
            yield line[:-1]

    def _check_seal(self, keys: KeyChain) -> None:
        rest = self._file.read(LONGEST_LINE)
        try:
            seal = parse_canonical(rest.removesuffix(b"\n"))
        except NotCanonicalError as error:
            raise RefusedProofError(f"The bundle's last line is damaged. {error}") from error
        if not rest.endswith(b"\n") or seal.keys() != {"key", "signature"}:
            raise RefusedProofError("The bundle's last line is damaged.")
        signature = decoded(seal["signature"], "The bundle's signature")
        key = keys.latest
        if seal["key"] != str(key) or not key.verify(signature, sealed(self._digest.digest())):
            raise RefusedProofError(
                "The signature over the whole bundle is wrong: a byte of it was changed."
            )

    def _cosigned(self, header: dict[str, Any], notes: list[SignedNote]) -> tuple[Cosigned, ...]:
        found = []
        keys = (*self._witnesses, *(VerifierKey.parsed(text) for text in header["witnesses"]))
        for witness in dict.fromkeys(keys):
            if witness.purpose != COSIGNATURE:
                raise RefusedProofError(f"{witness} is not the key of a witness.")
            signed = [(note, note.signature_of(witness)) for note in notes]
            lines = [(note, line) for note, line in signed if line is not None]
            if witness in self._witnesses and not lines:
                raise RefusedProofError(f"No head of the bundle is cosigned by {witness.name}.")
            for note, line in lines:
                at = cosigned_at(line)
                if at > _LATEST:
                    raise RefusedProofError(
                        f"The time of the cosignature by {witness.name} is out of range: {at}."
                    )
                found.append(Cosigned(witness.name, Checkpoint.parsed(note.text).size, at))
        return tuple(found)

    def _stamped(self, header: dict[str, Any], notes: list[SignedNote]) -> tuple[StampedHead, ...]:
        """The time stamps of the heads. Raises RefusedProofError for a wrong or a missing one."""
        found: list[StampedHead] = []
        texts = {Checkpoint.parsed(note.text).size: note.text.encode() for note in notes}
        for each in header["time_stamps"]:
            from controller.records.audit.timestamps import (  # noqa: PLC0415 - seldom used
                verified_time_stamp,
            )

            token = decoded(each["token"], "A time stamp")
            stamp = verified_time_stamp(token, texts[each["size"]], self._authorities)
            found.append(StampedHead(stamp.authority, each["size"], stamp.time, stamp.is_trusted))
        if self._authorities and not found:
            raise RefusedProofError("No head of the bundle has a time stamp.")
        return tuple(found)


def _inclusion_proofs(header: dict[str, Any]) -> dict[int, list[bytes]]:
    return {
        each["index"]: hashes_of(each["path"], "An inclusion proof") for each in header["inclusion"]
    }
