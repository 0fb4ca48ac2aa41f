"""A receipt as lines of text for people: a name and a value each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from controller.records.audit.notes.checkpoint import Checkpoint
from controller.records.audit.notes.signed_note import SignedNote
from controller.records.audit.receipts.receipt import compact_form
from controller.run.chance.records import shares_with_codes

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
