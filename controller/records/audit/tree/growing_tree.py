"""A Merkle tree that leaves are added to: keeps the roots of its perfect subtrees only.

A tree with n leaves is a row of perfect subtrees, largest first, one for each bit of n that is set.
Their roots are enough to add leaves and to compute the root, so the memory is logarithmic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from controller.records.audit.tree.hashing import EMPTY_ROOT, node_hash


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
