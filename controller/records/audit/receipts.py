"""Receipts of shuffle cycles and rounds: proven by the audit log, as JSON, text and PDF.

The log holds the contents of a receipt as an event. The receipt adds the signed head of the log,
the proof that the event is in it, and the keys, so that a stranger verifies the receipt alone.
`receipt_lines` makes lines of text for people from it: a name and a value each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from controller.records.audit.errors import AuditError, RefusedProofError
from controller.records.audit.key_proof import (
    hashes_of,
    hexadecimal,
    made_signer_proof,
    require_exactly,
    require_known_key,
    verified_signers,
)
from controller.records.audit.log.event_line import AuditEvent, parsed_event
from controller.records.audit.log.log_reader import LogReader
from controller.records.audit.notes import Checkpoint, SignedNote, VerifierKey
from controller.records.audit.tree import leaf_hash, require_inclusion
from controller.run.chance.records import shares_with_codes
from controller.run.chance.verification import verify_chance

if TYPE_CHECKING:
    from cryptography.x509 import Certificate


RECEIPT = "receipt"
"""The kind of the event that holds the contents of a receipt."""


def nameplate_facts(nameplate: tuple[str, str, str]) -> dict[str, str]:
    """Maker, model and serial number by their keys."""
    return dict(zip(("maker", "model", "serial"), nameplate, strict=True))


RECEIPT_FORMAT = "wallwright-receipt/2"
RECEIPT_FORMAT_1 = "wallwright-receipt/1"
"""Receipts of release 0.2; they do not prove the log's first event."""
_KEYS = {"format", "event", "index", "head", "path", "keys", "receipt"}


@dataclass(frozen=True)
class VerifiedReceipt:
    """What a receipt proves. `chance` says what the record of the random choices proves."""

    origin: str
    event: AuditEvent
    keys: tuple[VerifierKey, ...]
    chance: str

    @property
    def contents(self) -> dict[str, Any]:
        """The contents: table, game, dice, result and so on."""
        return self.event.details


def receipt_of(log: LogReader, index: int) -> dict[str, Any]:
    """The receipt whose contents are the event with this index. Raises AuditError."""
    if not 0 <= index < log.size:
        raise AuditError(f"The log has the events 0 to {log.size - 1}; got {index}.")
    line = next(log.lines(index, index + 1))[:-1]
    event = parsed_event(line, index)
    if event.what != RECEIPT:
        raise AuditError(
            f"Event {index} is not a receipt, but `{event.what}`; `wallwright audit show --what"
            " receipt` lists the receipts."
        )
    return {
        "format": RECEIPT_FORMAT,
        "receipt": event.details,
        "event": line.decode(),
        "index": index,
        "head": str(log.head),
        "path": hexadecimal(log.nodes.inclusion(index, log.size)),
        "keys": made_signer_proof(log),
    }


def receipt_text(receipt: dict[str, Any]) -> str:
    """The one way in which the JSON of a receipt is written."""
    return json.dumps(receipt, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def verify_receipt(
    data: bytes,
    known: VerifierKey | None = None,
    witnesses: Sequence[VerifierKey] = (),
    authorities: Sequence[Certificate] = (),
) -> VerifiedReceipt:
    """Verify the JSON of a receipt; `known` is the device's key, if known.

    A receipt has neither cosignatures nor time stamps, so it is refused if a witness or an
    authority is required. Raises RefusedProofError with the reason.
    """
    if witnesses or authorities:
        missing = "cosignature of a witness" if witnesses else "time stamp of an authority"
        raise RefusedProofError(
            f"A receipt has no {missing}. Verify a bundle of the log that contains the receipt's"
            " event, with the same option."
        )
    try:
        receipt = json.loads(data)
        if receipt_text(receipt).encode() != data:
            raise RefusedProofError("The receipt is not canonical JSON: a byte of it was changed.")
        return _verified(receipt, known)
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise RefusedProofError(
            f"The receipt is damaged: a value is missing or has a wrong type ({error})."
        ) from error


def _verified(receipt: dict[str, Any], known: VerifierKey | None) -> VerifiedReceipt:
    require_exactly(receipt, _KEYS, "The receipt")
    if receipt["format"] not in {RECEIPT_FORMAT, RECEIPT_FORMAT_1}:
        raise RefusedProofError(f"The file is not a receipt of the format {RECEIPT_FORMAT}.")
    note = SignedNote.parsed(receipt["head"])
    head = Checkpoint.parsed(note.text)
    is_begun_proven = receipt["format"] == RECEIPT_FORMAT
    keys = verified_signers(receipt["keys"], head, is_begun_proven=is_begun_proven)
    require_known_key(keys, known)
    if note != SignedNote(note.text, note.signatures[:1]) or keys.verified(note) != head:
        raise RefusedProofError("The receipt's head has other signatures than the table's.")
    line = receipt["event"].encode()
    event = parsed_event(line, receipt["index"])
    path = hashes_of(receipt["path"], "The proof of the receipt")
    require_inclusion(leaf_hash(line), event.index, head.size, path, head.root)
    # Texts are compared, because Python's `==` takes 1, 1.0 and true for the same value.
    if event.what != RECEIPT or receipt_text(event.details) != receipt_text(receipt["receipt"]):
        raise RefusedProofError("The contents of the receipt are not those of the log's event.")
    return VerifiedReceipt(head.origin, event, keys.keys, _chance_of(event.details))


def _chance_of(contents: dict[str, Any]) -> str:
    """What the record of the random choices proves. Raises RefusedProofError."""
    record = contents.get("chance")
    if record is None:
        return "no random choice of the machine"
    verdict = verify_chance(record)
    if verdict.is_pending:
        return "committed, not revealed yet"
    if not verdict.is_verified:
        raise RefusedProofError(f"The random choices do not verify. {verdict.reason}")
    proven = f"{len(verdict.choices)} random choices recomputed from the revealed share"
    if not verdict.is_bound:
        return f"{proven}; version 1: the machine was not committed to the list of its choices"
    return proven


def compact_form(receipt: dict[str, Any]) -> str:
    """The text of the QR code: identifies the log, the event and its hash in the tree."""
    origin = Checkpoint.parsed(SignedNote.parsed(receipt["head"]).text).origin
    digest = leaf_hash(receipt["event"].encode()).hex()
    return f"wallwright-receipt:1?log={origin}&event={receipt['index']}&hash={digest}"


Line = tuple[str, str]


def receipt_lines(receipt: dict[str, Any]) -> list[Line]:
    """The lines of a receipt, each with its name; the proof comes last."""
    return [(name, printable(value)) for name, value in _lines(receipt) if value]


def printable(text: str) -> str:
    """A text with `?` for each character that could control the terminal or hide other text."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def receipt_page(receipt: dict[str, Any]) -> str:
    """A receipt as text."""
    return "".join(f"{name:<14} {value}\n" for name, value in receipt_lines(receipt))


def _lines(receipt: dict[str, Any]) -> Iterator[Line]:
    contents = receipt["receipt"]
    event = json.loads(receipt["event"])
    software = contents.get("software") or {}
    yield "Receipt", f"{contents.get('kind', '')} {contents.get('number', '')}".strip()
    yield "Maker", str(contents.get("maker", ""))
    yield "Model", str(contents.get("model", ""))
    yield "Serial number", str(contents.get("serial", ""))
    yield "Table", str(contents.get("table", ""))
    yield "Software", f"{software.get('version', '')} {software.get('hash', '')}".strip()
    yield "Time", f"{contents.get('began', '')} to {event['time']}"
    yield "Operator", str(contents.get("operator", ""))
    yield "Game", str(contents.get("game", ""))
    rules = contents.get("house_rules") or {}
    yield "House rules", ", ".join(f"{name} {value}" for name, value in sorted(rules.items()))
    for player in contents.get("players") or ():
        yield "Player", str(player)
    for choice in contents.get("choices") or ():
        yield "Choice", f"seat {choice['by']}: {choice['what']} {choice['answer']}"
    for throw in contents.get("dice") or ():
        yield "Dice", f"seat {throw['by']}: {' '.join(map(str, throw['dice']))}"
    result = contents.get("result") or {}
    yield "Result", str(result.get("sentence", "")) or str(contents.get("state", ""))
    for payment in result.get("payments") or ():
        ends = f"{_end(payment['payer'])} pays {_end(payment['payee'])} {payment['amount']:g}"
        yield "Payment", f"{ends}: {payment['why']}"
    chance = contents.get("chance") or {}
    yield "Commitment", str(chance.get("commitment", ""))
    yield "Reveal", str(chance.get("reveal") or "")
    for share in shares_with_codes(chance) if chance else ():
        yield "Share", f"seat {share['seat']}: {share['share']} (code {share['code']})"
    head = Checkpoint.parsed(SignedNote.parsed(receipt["head"]).text)
    yield "Log", head.origin
    yield "Log entry", f"{receipt['index']} of {head.size}"
    yield "Root", head.root.hex()
    yield "Identity", compact_form(receipt)


def _end(seat: int | None) -> str:
    return "the house" if seat is None else f"seat {seat}"
