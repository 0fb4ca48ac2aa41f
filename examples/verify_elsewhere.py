"""Verify a bundle or a receipt without Wallwright: `python verify_elsewhere.py FILE [KEY]`.

This file was written from docs/regulate/AUDIT.md and docs/regulate/CHANCE.md alone and imports
nothing of Wallwright, so that it can be read, or written again in another language, by a person who
trusts neither. It needs the package `cryptography`. It does not verify cosignatures of witnesses
nor time stamps.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

EVENT = {"details", "from", "index", "role", "table_ms", "time", "what", "who"}
HEADER = {
    *("format", "origin", "first", "size", "before", "keys"),
    *("heads", "inclusion", "time_stamps", "witnesses"),
}
RECEIPT = {"format", "event", "index", "head", "path", "keys", "receipt"}


class Refused(Exception):
    """The file does not verify; the text is the reason."""


REFUSALS = (Refused, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What a file that does not verify raises."""


def require(is_right: object, reason: str) -> None:
    """Raise Refused with the reason unless the value is true."""
    if not is_right:
        raise Refused(reason)


# ---- the hash tree: RFC 9162, section 2.1


def leaf_hash(line: bytes) -> bytes:
    """The hash of an event, whose line has no newline."""
    return hashlib.sha256(b"\0" + line).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees."""
    return hashlib.sha256(b"\1" + left + right).digest()


class Tree:
    """A tree that grows; it keeps the roots of its perfect subtrees, largest first."""

    def __init__(self, size: int, roots: Sequence[bytes]) -> None:
        require(len(roots) == size.bit_count(), "`before` does not fit `first`.")
        self.size, self.roots = size, list(roots)

    def add(self, leaf: bytes) -> None:
        """Add a leaf."""
        number = self.size
        while number & 1:
            leaf, number = node_hash(self.roots.pop(), leaf), number >> 1
        self.roots.append(leaf)
        self.size += 1

    def root(self) -> bytes:
        """The root of the leaves so far."""
        *others, root = self.roots
        for left in reversed(others):
            root = node_hash(left, root)
        return root


def require_inclusion(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> None:
    """RFC 9162, section 2.1.3.2."""
    number, last, found = index, size - 1, leaf
    require(0 <= index < size, f"There is no event {index} in a tree of {size}.")
    for node in path:
        require(last, "An inclusion proof is too long.")
        if number & 1 or number == last:
            found = node_hash(node, found)
            while number and not number & 1:
                number, last = number >> 1, last >> 1
        else:
            found = node_hash(found, node)
        number, last = number >> 1, last >> 1
    require(not last and found == root, f"The inclusion proof of event {index} is wrong.")


def require_consistency(
    old: int, old_root: bytes, new: int, new_root: bytes, path: list[bytes]
) -> None:
    """RFC 9162, section 2.1.4.2, for 0 < old < new."""
    if not old & (old - 1):
        path = [old_root, *path]
    require(path, "A consistency proof is empty.")
    number, last = old - 1, new - 1
    while number & 1:
        number, last = number >> 1, last >> 1
    of_old = of_new = path[0]
    for node in path[1:]:
        require(last, "A consistency proof is too long.")
        if number & 1 or number == last:
            of_old, of_new = node_hash(node, of_old), node_hash(node, of_new)
            while number and not number & 1:
                number, last = number >> 1, last >> 1
        else:
            of_new = node_hash(of_new, node)
        number, last = number >> 1, last >> 1
    is_right = not last and (of_old, of_new) == (old_root, new_root)
    require(is_right, f"The head of size {new} does not continue that of size {old}.")


# ---- keys, heads and events


def canonical(value: Any) -> bytes:
    """Canonical JSON (RFC 8785) of values whose numbers are whole, or have few digits."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def parsed(line: bytes) -> Any:
    """The value of a line of canonical JSON."""
    value = json.loads(line)
    require(canonical(value) == line, "A line is not canonical JSON.")
    return value


def hashes(texts: list[str]) -> list[bytes]:
    """Hashes in hexadecimal, each with 64 small digits."""
    found = [bytes.fromhex(text) for text in texts]
    require([each.hex() for each in found] == texts, "A hash is not written in the permitted way.")
    return found


def decoded(text: str) -> bytes:
    """Base64, of which only the text that an encoder writes is accepted."""
    data = base64.b64decode(text, validate=True)
    require(base64.b64encode(data).decode() == text, "Base64 has another permitted text.")
    return data


class Key:
    """A C2SP verifier key of a log: NAME+KEYID+BASE64(1, 32 bytes)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.name, key_id, code = text.split("+", 2)
        data = decoded(code)
        self.id = hashlib.sha256(self.name.encode() + b"\n" + data).digest()[:4]
        require(data[0] == 1 and self.id.hex() == key_id, f"{text} is not the key of a log.")
        self.public = data[1:]

    def require_signature(self, signature: bytes, message: bytes, what: str) -> None:
        """Raise Refused if the signature of the message is not by this key."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except InvalidSignature:
            raise Refused(f"{what} is not signed by {self.text}.") from None


class Keys:
    """The keys of a log: the first, and those that events `key_rotated` have introduced."""

    def __init__(self, proof: dict[str, Any], size: int, root: bytes, more: set[str]) -> None:
        require(proof.keys() == {"first_key", "rotations", *more}, "The list of keys.")
        require(type(proof["rotations"]) is list, "The new keys are no list.")
        self.keys = [(0, Key(proof["first_key"]))]
        self.rotations: set[int] = set()
        for each in proof["rotations"]:
            require(each.keys() == {"event", "index", "path"}, "The proof of a new key.")
            line, index = each["event"].encode(), each["index"]
            is_later = type(index) is int and index + 2 > self.keys[-1][0]
            require(is_later, "The new keys are not in order.")
            require_inclusion(leaf_hash(line), index, size, hashes(each["path"]), root)
            event = parsed(line)
            require((event["what"], event["index"]) == ("key_rotated", index), "A key is missing.")
            old, new = event["details"]["old_key"], event["details"]["new_key"]
            require(old == self.keys[-1][1].text, f"Event {index} is signed by an unknown key.")
            signature = decoded(event["details"]["signature"])
            statement = f"wallwright key rotation 1\n{old}\n{new}\n{index}\n".encode()
            self.keys[-1][1].require_signature(signature, statement, "A new key")
            self.keys.append((index + 2, Key(new)))
            require(self.keys[-1][1].name == self.keys[0][1].name, "A new key is of another log.")
            self.rotations.add(index)

    def require_known(self, known: str) -> None:
        """Raise Refused unless a key that is known from elsewhere leads to the signature.

        The last of the keys has signed the file, and each of the others its successor. So every
        key of the list will do; but a list whose last key signs nothing was refused before.
        """
        texts = [key.text for _, key in self.keys]
        require(not known or known in texts, f"No key of the file is {known}.")

    def head(self, note: str) -> tuple[str, int, bytes]:
        """The origin, size and root of a head that the right key has signed."""
        origin, size, root = parsed_head(note)
        key = next(key for begin, key in reversed(self.keys) if begin <= size)
        require(key.name == origin, f"The head is of {origin}, not of {key.name}.")
        text, _, below = note.partition("\n\n")
        *lines, end = below.split("\n")
        require(lines and all(lines) and not end, "The head does not end with a signature.")
        for line in lines:
            dash, name, code = line.split(" ")
            data = decoded(code)
            if dash == "\N{EM DASH}" and name == key.name and data[:4] == key.id:
                key.require_signature(data[4:], f"{text}\n".encode(), f"The head of size {size}")
                return origin, size, root
        raise Refused(f"The head of size {size} is not signed.")


def parsed_head(note: str) -> tuple[str, int, bytes]:
    """The origin, size and root of a head, before its signature is verified."""
    origin, size, root = note.partition("\n\n")[0].split("\n")
    return origin, int(size), decoded(root)


# ---- a bundle


def verify_bundle(data: bytes) -> tuple[Keys, str]:
    """Verify a bundle; returns its keys and a sentence."""
    require(data.endswith(b"\n"), "The bundle is cut off.")
    first_line, *events, seal_line = data[:-1].split(b"\n")
    header, seal = parsed(first_line), parsed(seal_line)
    require(header.keys() == HEADER, "The header does not have the keys of a header.")
    origin, first, size = header["origin"], header["first"], header["size"]
    last_root = parsed_head(header["heads"][-1]["note"])[2]
    keys = Keys(header["keys"], size, last_root, set())
    roots, before = {}, (0, b"")
    for each in header["heads"]:
        of, at, root = keys.head(each["note"])
        require(of == origin and at > before[0], "A head is of another log, or was replayed.")
        if before[0]:
            require_consistency(*before, at, root, hashes(each["consistency"]))
        roots[at], before = root, (at, root)
    require(before[0] == size and first + len(events) == size, "Events are missing.")
    tree, leaves = Tree(first, hashes(header["before"])), {}
    for index, line in enumerate(events, first):
        event = parsed(line)
        require(event.keys() == EVENT and event["index"] == index, f"Event {index} is missing.")
        require((event["what"] == "key_rotated") == (index in keys.rotations), "A key is missing.")
        if not index:
            is_first = event["details"]["key"] == header["keys"]["first_key"]
            require(event["what"] == "log_begun" and is_first, "The first event has another key.")
        leaves[index] = leaf_hash(line)
        tree.add(leaves[index])
        is_right = roots.get(tree.size, tree.root()) == tree.root()
        require(is_right, f"The events do not have the root of the head of size {tree.size}.")
    for each in header["inclusion"]:
        path, leaf = hashes(each["path"]), leaves[each["index"]]
        require_inclusion(leaf, each["index"], size, path, last_root)
    digest = hashlib.sha256(data[: -len(seal_line) - 1]).digest()
    latest = keys.keys[-1][1]
    require(seal.keys() == {"key", "signature"} and seal["key"] == latest.text, "The last line.")
    signature = decoded(seal["signature"])
    latest.require_signature(signature, b"wallwright bundle 1\n" + digest, "The bundle")
    return keys, f"{len(events)} events of {origin}"


# ---- a receipt


def verify_receipt(data: bytes) -> tuple[Keys, str]:
    """Verify a receipt and its random choices; returns its keys and a sentence."""
    receipt = json.loads(data)
    text = json.dumps(receipt, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    require(text.encode() == data, "The receipt is not canonical JSON.")
    require(receipt.keys() == RECEIPT, "The receipt does not have the keys of a receipt.")
    of, _, version = receipt["format"].rpartition("/")
    require(of == "wallwright-receipt" and version in {"1", "2"}, "The format is another.")
    _, size, root = parsed_head(receipt["head"])
    proof = receipt["keys"]
    keys = Keys(proof, size, root, {"begun"} if version == "2" else set())
    if version == "2":
        begun = proof["begun"]
        require(begun.keys() == {"event", "path"}, "The proof of the first event.")
        line = begun["event"].encode()
        require_inclusion(leaf_hash(line), 0, size, hashes(begun["path"]), root)
        event = parsed(line)
        is_first = event["details"]["key"] == proof["first_key"]
        require(event["what"] == "log_begun" and is_first, "The first event has another key.")
    # A log can end with an event that introduces the key of another device, without its consent.
    require(keys.keys[-1][0] <= size, "The last key of the file does not sign its head.")
    origin, _, _ = keys.head(receipt["head"])
    require(receipt["head"].count("\n") == 5, "The head has more than one signature.")
    line, index = receipt["event"].encode(), receipt["index"]
    require(type(index) is int, "The index must be a whole number.")
    require_inclusion(leaf_hash(line), index, size, hashes(receipt["path"]), root)
    event = parsed(line)
    require(event.keys() == EVENT, "The event does not have the keys of an event.")
    require((event["what"], event["index"]) == ("receipt", index), "The event is not a receipt.")
    is_same = canonical(event["details"]) == canonical(receipt["receipt"])
    require(is_same, "The contents are not those of the event.")
    chance = event["details"].get("chance")
    return keys, f"event {index} of {origin}; {verify_chance(chance)}"


# ---- the random choices: docs/regulate/CHANCE.md


def frame(version: int, *parts: str | int | bytes) -> bytes:
    """The framed parts: numbers have 8 bytes, and a length of 8 bytes is before each part."""
    framed = b""
    for part in (f"wallwright chance {version}", *parts):
        data = part.encode() if isinstance(part, str) else part
        data = data.to_bytes(8, "big") if isinstance(data, int) else data
        framed += len(data).to_bytes(8, "big") + data
    return framed


def stream(version: int, seed: bytes, name: str) -> Iterator[int]:
    """The random bytes of a choice."""
    block = 0
    while True:
        yield from hmac.digest(seed, frame(version, "stream", name, block), "sha256")
        block += 1


def below(of: int, random: Iterator[int]) -> int:
    """A number below `of`."""
    bits = (of - 1).bit_length()
    while True:
        data = bytes(next(random) for _ in range((bits + 7) // 8))
        number = int.from_bytes(data, "big") % (1 << bits)
        if number < of:
            return number


def drawn(version: int, seed: bytes, choice: dict[str, Any]) -> list[int]:
    """The values of a choice."""
    random, of = stream(version, seed, choice["name"]), choice["of"]
    if choice["kind"] == "permutation":
        order = list(range(of))
        for place in range(of - 1, 0, -1):
            other = below(place + 1, random)
            order[place], order[other] = order[other], order[place]
        return order
    least = {"integer": 0, "dice": 1}[choice["kind"]]
    return [below(of, random) + least for _ in range(choice["count"])]


def verify_chance(record: dict[str, Any] | None) -> str:
    """Draw every choice again; returns a sentence."""
    if record is None or record["reveal"] is None:
        return "no revealed random choices"
    version, (share,) = record["version"], hashes([record["reveal"]])
    require(type(version) is int and version in {1, 2}, "The record has another version.")
    require(record["choices"][-1]["name"] == "check", "The last choice is not the check.")
    place, asked = (record["device"], record["cycle"]), list[str | int]()
    for choice in record["choices"]:
        asked += [choice["name"], choice["kind"], choice["of"], choice["count"]]
    # Version 1 does not bind the list: the machine could choose it after the players' shares.
    bound = asked if version == 2 else []
    commitment = hashlib.sha256(frame(version, "commitment", *place, share, *bound)).hexdigest()
    require(commitment == record["commitment"], "The share and the list have another commitment.")
    parts: list[str | int] = [*place, len(record["player_shares"])]
    for each in record["player_shares"]:
        parts += [each["seat"], each["share"]]
    seed = hmac.digest(share, frame(version, "seed", *parts, *asked), "sha256")
    for choice in record["choices"]:
        is_right = drawn(version, seed, choice) == choice["value"]
        require(is_right, f"`{choice['name']}` was not drawn so.")
    limit = "" if version == 2 else " (version 1: the list of choices is not committed to)"
    codes = ", ".join(share_codes(record))
    shares = f"; codes of the players' shares: {codes}" if codes else ""
    return f"{len(record['choices']) - 1} random choices drawn again{limit}{shares}"


def share_codes(record: dict[str, Any]) -> list[str]:
    """The code of each player's share: a hash of the list of shares up to it."""
    place, codes = (record["device"], record["cycle"]), list[str]()
    state = frame(2, "shares", *place, record["commitment"])
    for each in record["player_shares"]:
        state = hashlib.sha256(frame(2, "share", state, each["seat"], each["share"])).digest()
        text = base64.b32encode(state)[:12].decode()
        codes.append(f"{text[:4]}-{text[4:8]}-{text[8:]}")
    return codes


def main(file: str, known: str = "") -> int:
    """Verify a file; returns the exit code."""
    data = Path(file).read_bytes()
    try:
        verify = verify_receipt if data.startswith(b"{\n") else verify_bundle
        keys, sentence = verify(data)
        keys.require_known(known)
    except REFUSALS as error:
        print(f"Refused: {error}", file=sys.stderr)
        return 1
    print(f"Verified: {sentence}")
    for _, key in keys.keys:
        print(f"key {key.text}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
