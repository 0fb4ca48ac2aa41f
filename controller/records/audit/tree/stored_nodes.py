"""Makes proofs from stored nodes of a tree; a proof reads O(log² n) of them.

Nodes are stored in the order in which they are completed: each leaf, then the nodes above it
that it completes. Nodes are only appended, and the place of each follows from its level and number.
"""

from __future__ import annotations

from collections.abc import Callable

from controller.records.audit.tree.growing_tree import folded

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
            raise ValueError(f"A tree of {new} leaves has no first {old} leaves.")
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
