"""Verifies inclusion and consistency proofs (RFC 9162, sections 2.1.3.2 and 2.1.4.2)."""

from __future__ import annotations

from collections.abc import Sequence

from controller.records.audit.errors import RefusedProofError
from controller.records.audit.tree.hashing import EMPTY_ROOT, node_hash


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
