"""Forges receipts, bundles and heads for tests that both verifiers refuse them.

The forger has every public file of two devices, keys of his own, and may have a key that a device
has replaced. He does not have the key that a device uses now.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from controller.records.audit.bundle import BUNDLE_FORMAT, export_bundle, sealed
from controller.records.audit.canonical_json import canonical
from controller.records.audit.key_proof import hexadecimal
from controller.records.audit.log.key_chain import rotation_details
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import LogReader, checked_log
from controller.records.audit.notes import (
    Checkpoint,
    NoteSignatureLine,
    SignedNote,
    SigningKey,
    VerifierKey,
    encoded,
    read_key,
)
from controller.records.audit.receipts import RECEIPT_FORMAT, receipt_of, receipt_text
from controller.records.audit.tree import GrowingTree, StoredNodes, leaf_hash
from controller.run.chance.records import CycleDraw, permutation
from tests.controller.records.audit.logs_for_tests import entry, log_of


@dataclass(frozen=True)
class Device:
    """A device: its log, its public files, and its keys, of which the last one is in use."""

    log: LogReader
    receipts: tuple[bytes, ...]
    bundles: tuple[bytes, ...]
    keys: tuple[SigningKey, ...]

    @property
    def lines(self) -> list[bytes]:
        """The lines of all events."""
        return [line[:-1] for line in self.log.lines()]

    @property
    def heads(self) -> list[SignedNote]:
        """All signed heads."""
        return self.log.heads()


def device_of(folder: Path) -> Device:
    """A device with three keys; receipts and bundles were saved under each of them."""
    log = log_of(folder, 6)
    receipts: list[bytes] = []
    bundles: list[bytes] = []
    keys = [read_key(log.folder.key)]
    for number in (7, 17, 27):
        asked = (permutation("wall", 8),)
        draw = CycleDraw("device", number, bytes([number]) * 32, requests=asked)
        chance = draw.revealed(draw.draw()).facts()
        details = {"kind": "round", "number": number, "chance": chance}
        log.append([replace(entry(number, what="receipt"), details=details)], keep_head=True)
        index = log.size - 1
        log.append([entry(number + 1)])
        saved = checked_log(LogFolder(folder))
        receipts.append(receipt_text(receipt_of(saved, index)).encode())
        bundles += [_bundle(saved, 0), _bundle(saved, index)]
        if number < 27:
            log.rotate_key(entry(number + 2))
            keys.append(log.key)
            log.append([entry(number + 3)])
    reader = checked_log(LogFolder(folder))
    log.close()
    return Device(reader, tuple(receipts), tuple(bundles), tuple(keys))


def _bundle(log: LogReader, first: int) -> bytes:
    file = io.BytesIO()
    export_bundle(log, file, first)
    return file.getvalue()


class ForgedLog:
    """A log in memory, whose events and heads the forger chooses."""

    def __init__(self, origin: str, lines: Sequence[bytes]) -> None:
        self.origin, self.lines = origin, list(lines)
        tree, nodes, self._roots = GrowingTree(), list[bytes](), list[bytes]()
        for line in lines:
            nodes += tree.add(leaf_hash(line))
            self._roots.append(tree.root())
        self._nodes = StoredNodes(nodes.__getitem__)

    def head(self, size: int, signer: SigningKey) -> SignedNote:
        """A signed head; `signer` can have the name of another log."""
        checkpoint = Checkpoint(self.origin, size, self._roots[size - 1])
        text = checkpoint.text
        data = signer.sign(text.encode())
        line = NoteSignatureLine(signer.public.name, signer.public.key_id, data)
        return SignedNote(text, (line,))

    def keys(self, first: VerifierKey, rotations: Sequence[int], size: int) -> dict[str, Any]:
        """The list of keys of a bundle."""
        proofs = [
            {
                "event": self.lines[index].decode(),
                "index": index,
                "path": hexadecimal(self._nodes.inclusion(index, size)),
            }
            for index in rotations
        ]
        return {"first_key": str(first), "rotations": proofs}

    def receipt(
        self, index: int, note: SignedNote, first: VerifierKey, rotations: Sequence[int]
    ) -> dict[str, Any]:
        """The receipt of an event."""
        size = len(self.lines)
        begun = {
            "event": self.lines[0].decode(),
            "path": hexadecimal(self._nodes.inclusion(0, size)),
        }
        return {
            "format": RECEIPT_FORMAT,
            "receipt": json.loads(self.lines[index])["details"],
            "event": self.lines[index].decode(),
            "index": index,
            "head": str(note),
            "path": hexadecimal(self._nodes.inclusion(index, size)),
            "keys": {**self.keys(first, rotations, size), "begun": begun},
        }

    def bundle(
        self,
        heads: Sequence[SignedNote],
        sealer: SigningKey,
        first: VerifierKey,
        rotations: Sequence[int],
    ) -> bytes:
        """A bundle of all events."""
        size = len(self.lines)
        sizes = [0, *(Checkpoint.parsed(note.text).size for note in heads)]
        steps = [
            self._nodes.consistency(old, new) if old < new else [] for old, new in pairwise(sizes)
        ]
        header = {
            "format": BUNDLE_FORMAT,
            "origin": self.origin,
            "first": 0,
            "size": size,
            "before": [],
            "keys": self.keys(first, rotations, size),
            "heads": [
                {"note": str(note), "consistency": hexadecimal(step)}
                for note, step in zip(heads, steps, strict=True)
            ],
            "inclusion": [],
            "time_stamps": [],
            "witnesses": [],
        }
        text = b"".join(line + b"\n" for line in (canonical(header), *self.lines))
        return resealed(text, sealer, sealer.public)


def resealed(text: bytes, sealer: SigningKey, named: VerifierKey) -> bytes:
    """The lines of a bundle with a last line that names a key and is signed by `sealer`."""
    signature = encoded(sealer.sign(sealed(sha256(text).digest())))
    return text + canonical({"key": str(named), "signature": signature}) + b"\n"


def event(index: int, what: str, details: dict[str, Any]) -> bytes:
    """The line of an event."""
    return replace(entry(index, what=what), details=details).line(index)


def receipt_event(index: int) -> bytes:
    """The line of a receipt that names a result which never was."""
    return event(index, "receipt", {"kind": "round", "number": 99, "result": {"sentence": "Won."}})


def first_event(key: VerifierKey) -> bytes:
    """The line of the event that begins a log with this key."""
    details = {"format": "wallwright-audit-log/1", "key": str(key), "origin": key.name}
    return event(0, "log_begun", details)


def introduction(old: SigningKey, new: VerifierKey, index: int) -> bytes:
    """The line of an event by which a key introduces another one, without its consent."""
    return event(index, "key_rotated", rotation_details(old, new, index))


@dataclass(frozen=True)
class Forger:
    """The forger's stock: the public files of two devices, and keys that sign."""

    device: Device
    other: Device
    chance: Random

    def forged_chain(self) -> tuple[bytes, VerifierKey]:
        """A receipt or a bundle of an invented log, and the device's key that a verifier knows.

        The log has keys of the forger, of the device and of another device in any order. The forger
        signs with what he has: his own keys, and keys of the device from before the known one.
        """
        chance, device = self.chance, self.device
        number = chance.randrange(len(device.keys))
        known, stolen = device.keys[number].public, device.keys[:number]
        own = [SigningKey(known.name, bytes([each]) * 32) for each in range(1, 4)]
        foreign = SigningKey(self.other.log.checkpoint.origin, bytes([9]) * 32)
        signers = [*own, *stolen, foreign]
        named: list[VerifierKey] = [
            *(key.public for key in (*signers, *device.keys, *self.other.keys)),
            known,
            known,
        ]
        begin: VerifierKey = chance.choice(named)
        lines, rotations, latest = [first_event(begin)], list[int](), begin
        receipts = list[int]()
        for index in range(1, chance.randrange(2, 12)):
            kind = chance.randrange(4)
            if kind == 0:
                new = chance.choice(named)
                lines.append(self._introduced(latest, new, index, signers))
                rotations.append(index)
                latest = new
            elif kind == 1:
                lines.append(receipt_event(index))
                receipts.append(index)
            elif kind == 2 and len(device.lines) > index:
                lines.append(device.lines[index])
                if b'"what":"key_rotated"' in lines[-1]:
                    rotations.append(index)
            else:
                lines.append(event(index, "command", {}))
        if not receipts:
            receipts.append(len(lines))
            lines.append(receipt_event(len(lines)))
        if chance.random() < 0.5:  # end with the introduction of the known key, as the attack did
            rotations.append(len(lines))
            lines.append(self._introduced(latest, known, len(lines), signers))
        log = ForgedLog(known.name, lines)
        signer = chance.choice(signers)
        note = log.head(len(lines), signer)
        if chance.random() < 0.3:
            note = self._with_another_signature(note, known)
        kept = [index for index in rotations if chance.random() < 0.9]
        first = begin if chance.random() < 0.9 else chance.choice(named)
        if chance.random() < 0.7:
            made = log.receipt(chance.choice(receipts), note, first, kept)
            if chance.random() < 0.3:
                made["format"] = "wallwright-receipt/1"
                del made["keys"]["begun"]
            return receipt_text(made).encode(), known
        between = [log.head(size, chance.choice(signers)) for size in range(1, len(lines), 3)]
        data = log.bundle([*between, note], chance.choice(signers), first, kept)
        if chance.random() < 0.5:
            text = data[: data.rindex(b"\n", 0, -1) + 1]
            data = resealed(text, chance.choice(signers), known)
        return data, known

    def _introduced(
        self, old: VerifierKey, new: VerifierKey, index: int, signers: Sequence[SigningKey]
    ) -> bytes:
        """An introduction by `old`, signed by it if the forger has it, else by any other key."""
        fitting = [key for key in signers if key.public == old]
        signer = fitting[0] if fitting else self.chance.choice(signers)
        details = rotation_details(signer, new, index)
        return event(index, "key_rotated", {**details, "old_key": str(old)})

    def _with_another_signature(self, note: SignedNote, known: VerifierKey) -> SignedNote:
        """The head with a signature line that names the known key: copied, or made by another."""
        copied = self.chance.choice(self.device.heads).signatures[0]
        data = self.chance.choice([copied.data, note.signatures[0].data, self.chance.randbytes(64)])
        line = NoteSignatureLine(known.name, known.key_id, data)
        return SignedNote(note.text, self.chance.choice([(line,), (*note.signatures, line)]))

    def altered_receipt(self) -> bytes:
        """A receipt of the device that differs from the saved one in a value or in a byte."""
        chance = self.chance
        whole = chance.choice(self.device.receipts)
        if chance.random() < 0.3:
            return altered_bytes(whole, chance)
        receipt = json.loads(whole)
        donor = json.loads(chance.choice((*self.device.receipts, *self.other.receipts)))
        for _ in range(chance.randrange(1, 3)):
            altered_value(receipt, donor, chance)
        try:
            return receipt_text(receipt).encode()
        except UnicodeEncodeError:
            return whole

    def altered_bundle(self) -> bytes:
        """A bundle of the device with altered, moved, foreign or missing lines, or header."""
        chance = self.chance
        whole = chance.choice(self.device.bundles)
        if chance.random() < 0.3:
            return altered_bytes(whole, chance)
        lines = whole.splitlines(keepends=True)
        donor = chance.choice((*self.device.bundles, *self.other.bundles)).splitlines(keepends=True)
        kind, at = chance.randrange(5), chance.randrange(len(lines))
        if kind == 0:
            lines[at] = chance.choice(donor)
        elif kind == 1:
            del lines[at]
        elif kind == 2:
            lines.insert(at, chance.choice(donor))
        elif kind == 3:
            other = chance.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        else:
            header = json.loads(lines[0])
            altered_value(header, json.loads(donor[0]), chance)
            lines[0] = json.dumps(
                header, sort_keys=True, separators=(",", ":"), ensure_ascii=False
            ).encode(errors="replace") + (b"\n")
        if chance.random() < 0.5:  # the forger seals what he has altered, with a key of his own
            own = SigningKey(self.device.log.checkpoint.origin, bytes([5]) * 32)
            return resealed(b"".join(lines[:-1]), own, self.device.keys[-1].public)
        return b"".join(lines)

    def altered_head(self) -> str:
        """A head of the device with another text, another signature or one of another key."""
        chance = self.chance
        note = chance.choice(self.device.heads)
        other = chance.choice([*self.device.heads, *self.other.heads])
        kind = chance.randrange(4)
        if kind == 0:
            return str(SignedNote(other.text, note.signatures))
        if kind == 1:
            text = note.text.replace("\n", f"{chance.randrange(10)}\n", 2)
            return str(SignedNote(text, note.signatures))
        if kind == 2:
            line = note.signatures[0]
            data = chance.choice([chance.randbytes(64), line.data[:-1], line.data[::-1]])
            return str(SignedNote(note.text, (replace(line, data=data),)))
        return altered_bytes(str(note).encode(), chance).decode(errors="replace")


def altered_bytes(whole: bytes, chance: Random) -> bytes:
    """A file with a changed, missing or added byte, or cut off."""
    data, at = bytearray(whole), chance.randrange(len(whole))
    kind = chance.randrange(4)
    if kind == 0:
        data[at] ^= 1 << chance.randrange(8)
    elif kind == 1:
        del data[at]
    elif kind == 2:
        data.insert(at, chance.choice(b' \n"0,a='))
    else:
        del data[at:]
    return bytes(data)


def altered_value(value: Any, donor: Any, chance: Random) -> None:
    """Change one value of a JSON object or list in place, at any depth."""
    places = list(_places(value, donor))
    inside, key, foreign = chance.choice(places)
    kind, old = chance.randrange(7), inside[key]
    if kind == 0 and foreign is not None:
        inside[key] = foreign
    elif kind == 1:
        del inside[key]
    elif kind == 2:
        if isinstance(inside, dict):
            inside[chance.choice(["more", "note", "index", ""])] = old
        else:
            inside.insert(key, old)
    elif kind == 3 and isinstance(old, list):
        chance.shuffle(old)
    elif kind == 4 and isinstance(old, int):
        inside[key] = chance.choice([old + 1, float(old), bool(old), str(old), -old])
    elif kind == 5 and isinstance(old, str):
        inside[key] = chance.choice([old.upper(), old[:-1], f" {old}", f"{old}\n", f"{old}="])
    else:
        inside[key] = chance.choice([None, True, 0, "", [], {}])


def _places(value: Any, donor: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Every container, key and index in a value, with the value at the same place of the donor."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        try:
            foreign = donor[key]
        except (KeyError, IndexError, TypeError):
            foreign = None
        yield value, key, foreign
        if isinstance(value[key], (dict, list)):
            yield from _places(value[key], foreign)
