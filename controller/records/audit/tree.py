"""The Merkle tree of RFC 6962 and RFC 9162 with SHA-256: hashes, roots, proofs, stored nodes.

A hash has 32 bytes and a prefix for leaf and node (RFC 6962, section 2.1). The nodes of a tree are
stored in the order in which they become complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from controller.records.audit.errors import RefusedProofError

EMPTY_ROOT = sha256(b"").digest()
"""The root of a tree without leaves."""
HASH_SIZE = 32


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf."""
    return sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node from the hashes of its two children."""
    return sha256(b"\1" + left + right).digest()


class GrowingTree:
    """The number of leaves, and the roots of the perfect subtrees, largest first.

    Raises ValueError if the number of roots does not fit the number of leaves.
    """

    def __init__(self, size: int = 0, subtrees: Sequence[bytes] = ()) -> None:
        if size < 0 or size.bit_count() != len(subtrees):
            raise ValueError(
                f"A tree of {size} leaves has {size.bit_count()} perfect subtrees; got"
                f" {len(subtrees)}."
            )
        self.size = size
        self._subtrees = list(subtrees)

    @property
    def subtrees(self) -> tuple[bytes, ...]:
        """The roots of the perfect subtrees, largest first."""
        return tuple(self._subtrees)

    def add(self, leaf: bytes) -> list[bytes]:
        """Add the hash of a leaf; returns it and every node that it completes, from below."""
        new = [leaf]
        rest = self.size
        while rest & 1:
            leaf = node_hash(self._subtrees.pop(), leaf)
            new.append(leaf)
            rest >>= 1
        self._subtrees.append(leaf)
        self.size += 1
        return new

    def root(self) -> bytes:
        """The root of the whole tree."""
        return folded(self._subtrees)


def folded(subtrees: Sequence[bytes]) -> bytes:
    """The root of a row of subtrees, of which each is larger than the next one."""
    if not subtrees:
        return EMPTY_ROOT
    root = subtrees[-1]
    for left in reversed(subtrees[:-1]):
        root = node_hash(left, root)
    return root


def root_of(leaves: Iterable[bytes]) -> bytes:
    """The root of a tree with these hashes of leaves."""
    tree = GrowingTree()
    for leaf in leaves:
        tree.add(leaf)
    return tree.root()


ReadNode = Callable[[int], bytes]
"""Returns the stored node at a place (0 is the first)."""


def place_of(level: int, number: int) -> int:
    """The place of the node with this number on this level; leaves are on level 0."""
    last_leaf = ((number + 1) << level) - 1
    return nodes_of(last_leaf) + level


def nodes_of(size: int) -> int:
    """The number of stored nodes of a tree with this many leaves."""
    return 2 * size - size.bit_count()


class StoredNodes:
    """Proofs for a tree whose nodes `read` returns. `read` raises an error for a missing node."""

    def __init__(self, read: ReadNode) -> None:
        self._read = read

    def subtrees(self, size: int) -> list[bytes]:
        """The roots of the perfect subtrees of the first `size` leaves, largest first."""
        return self._row(0, size)

    def root(self, size: int) -> bytes:
        """The root of the tree of the first `size` leaves."""
        return folded(self.subtrees(size))

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """The proof that leaf `index` is in the tree of the first `size` leaves (RFC 9162, 2.1.3).

        Raises ValueError if there is no such leaf.
        """
        if not 0 <= index < size:
            raise ValueError(f"A tree of {size} leaves has no leaf {index}.")
        path = []
        begin, end = 0, size
        while end - begin > 1:
            middle = begin + _split(end - begin)
            if index < middle:
                path.append(self._range_root(middle, end))
                end = middle
            else:
                path.append(self._range_root(begin, middle))
                begin = middle
        return path[::-1]

    def consistency(self, old: int, new: int) -> list[bytes]:
        """The proof that the first `old` of `new` leaves are the old tree (RFC 9162, 2.1.4).

        It is empty if `old` is 0 or `new`. Raises ValueError if `old` is larger than `new`.
        """
        if not 0 <= old <= new:
            raise ValueError(f"A tree of {new} leaves has fewer than {old} leaves.")
        if old in {0, new}:
            return []
        path = []
        begin, end = 0, new
        while end != old:
            middle = begin + _split(end - begin)
            if old <= middle:
                path.append(self._range_root(middle, end))
                end = middle
            else:
                path.append(self._range_root(begin, middle))
                begin = middle
        if begin:
            path.append(self._range_root(begin, end))
        return path[::-1]

    def _range_root(self, begin: int, end: int) -> bytes:
        return folded(self._row(begin, end))

    def _row(self, begin: int, end: int) -> list[bytes]:
        """The roots of the perfect subtrees of these leaves; `begin` is where a subtree begins."""
        row = []
        while begin < end:
            level = (end - begin).bit_length() - 1
            row.append(self._read(place_of(level, begin >> level)))
            begin += 1 << level
        return row


def _split(width: int) -> int:
    """The largest power of two that is smaller than `width`."""
    return 1 << ((width - 1).bit_length() - 1)


def require_inclusion(
    leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes
) -> None:
    """Check that the tree with this size and root has this leaf hash at `index`.

    Raises RefusedProofError.
    """
    if not 0 <= index < size:
        raise RefusedProofError(f"A tree of {size} events has no event {index}.")
    number, last = index, size - 1
    computed = leaf
    for sibling in path:
        if not last:
            raise RefusedProofError(f"The inclusion proof of event {index} is too long.")
        if number & 1 or number == last:
            computed = node_hash(sibling, computed)
            while not number & 1 and number:
                number >>= 1
                last >>= 1
        else:
            computed = node_hash(computed, sibling)
        number >>= 1
        last >>= 1
    if last:
        raise RefusedProofError(f"The inclusion proof of event {index} is too short.")
    if computed != root:
        raise RefusedProofError(
            f"The inclusion proof of event {index} does not lead to the root of size {size}."
        )


def require_consistency(
    old: int, old_root: bytes, new: int, new_root: bytes, path: Sequence[bytes]
) -> None:
    """Check that the tree of size `new` begins with the tree of size `old`.

    Raises RefusedProofError.
    """
    if not 0 <= old <= new:
        raise RefusedProofError(f"A tree of {new} events cannot continue one of {old} events.")
    if old in {0, new}:
        expected = EMPTY_ROOT if not old else new_root
        if path or old_root != expected:
            raise RefusedProofError(f"The roots of sizes {old} and {new} contradict each other.")
        return
    rest = list(path)
    if not old & (old - 1):
        rest.insert(0, old_root)  # the old tree is one perfect subtree, which the proof omits
    if not rest:
        raise RefusedProofError(f"The consistency proof from {old} to {new} is empty.")
    number, last = old - 1, new - 1
    while number & 1:
        number >>= 1
        last >>= 1
    first, *others = rest
    of_old = of_new = first
    for sibling in others:
        if not last:
            raise RefusedProofError(f"The consistency proof from {old} to {new} is too long.")
        if number & 1 or number == last:
            of_old = node_hash(sibling, of_old)
            of_new = node_hash(sibling, of_new)
            while not number & 1 and number:
                number >>= 1
                last >>= 1
        else:
            of_new = node_hash(of_new, sibling)
        number >>= 1
        last >>= 1
    if last:
        raise RefusedProofError(f"The consistency proof from {old} to {new} is too short.")
    if of_old != old_root or of_new != new_root:
        raise RefusedProofError(
            f"The tree of size {new} does not continue the tree of size {old}: an event was"
            " changed, removed or inserted."
        )
