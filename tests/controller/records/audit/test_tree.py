import random
from hashlib import sha256

import pytest
from pymerkle import InmemoryTree
from tlog_scales.tlog import ConsistencyProof, InclusionProof

from controller.records.audit.errors import RefusedProofError
from controller.records.audit.tree import (
    EMPTY_ROOT,
    GrowingTree,
    StoredNodes,
    leaf_hash,
    nodes_of,
    place_of,
    require_consistency,
    require_inclusion,
    root_of,
)

LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""The vectors of Certificate Transparency: the roots of the first 1 to 8 leaves."""
MOST = 70


def grown(count: int) -> tuple[list[bytes], StoredNodes, list[bytes]]:
    """Leaves, the stored nodes above them, and the root after each number of leaves."""
    leaves = [leaf_hash(bytes([number])) for number in range(count)]
    nodes: list[bytes] = []
    tree, roots = GrowingTree(), [EMPTY_ROOT]
    for leaf in leaves:
        nodes += tree.add(leaf)
        roots.append(tree.root())
        assert len(nodes) == nodes_of(tree.size)
    return leaves, StoredNodes(nodes.__getitem__), roots


def test_roots_are_those_of_certificate_transparency() -> None:
    assert sha256(b"").digest() == EMPTY_ROOT
    for size, root in enumerate(ROOTS, 1):
        assert root_of(map(leaf_hash, LEAVES[:size])).hex() == root


def test_roots_are_those_of_another_implementation() -> None:
    theirs, (_, stored, roots) = InmemoryTree("sha256"), grown(MOST)
    for number in range(MOST):
        theirs.append_entry(bytes([number]))
        assert theirs.get_root() == roots[number + 1] == stored.root(number + 1)


def test_every_inclusion_proof_is_accepted_by_another_implementation_and_by_ours() -> None:
    leaves, stored, roots = grown(MOST)
    for size in range(1, MOST + 1):
        for index in range(size):
            path = stored.inclusion(index, size)
            assert len(path) <= (size - 1).bit_length()
            InclusionProof(index, size, path).check(leaves[index], roots[size])
            require_inclusion(leaves[index], index, size, path, roots[size])


def test_every_consistency_proof_is_accepted_by_another_implementation_and_by_ours() -> None:
    _, stored, roots = grown(MOST)
    for new in range(1, MOST + 1):
        for old in range(new + 1):
            path = stored.consistency(old, new)
            assert len(path) <= new.bit_length() + 1
            ConsistencyProof(old, new, path).check(roots[old], roots[new])
            require_consistency(old, roots[old], new, roots[new], path)


def test_proofs_have_the_hashes_that_another_implementation_puts_into_them() -> None:
    theirs, (_, stored, _) = InmemoryTree("sha256"), grown(MOST)
    theirs.append_entries([bytes([number]) for number in range(MOST)])
    for index in range(0, MOST, 7):
        path = stored.inclusion(index, MOST)
        assert set(path) <= set(theirs.prove_inclusion(index + 1).path)


def test_a_changed_proof_is_refused() -> None:
    leaves, stored, roots = grown(MOST)
    chance = random.Random(3)
    for _ in range(300):
        new = chance.randrange(2, MOST + 1)
        old, index = chance.randrange(1, new), chance.randrange(new)
        inclusion, consistency = stored.inclusion(index, new), stored.consistency(old, new)
        for path in (inclusion, consistency):
            change = chance.randrange(4)
            at = chance.randrange(len(path))
            if change == 0:
                path[at] = leaf_hash(path[at])
            elif change == 1:
                del path[at]
            elif change == 2:
                path.insert(at, leaves[0])
            else:
                path.append(leaves[0])
        with pytest.raises(RefusedProofError):
            require_inclusion(leaves[index], index, new, inclusion, roots[new])
        with pytest.raises(RefusedProofError):
            require_consistency(old, roots[old], new, roots[new], consistency)


def test_another_root_size_or_place_is_refused() -> None:
    leaves, stored, roots = grown(20)
    path = stored.inclusion(5, 20)
    for index, size, root in ((4, 20, roots[20]), (5, 19, roots[19]), (20, 20, roots[20])):
        with pytest.raises(RefusedProofError):
            require_inclusion(leaves[5], index, size, path, root)
    for old, new, message in (
        (6, 20, "does not continue"),
        (21, 20, "cannot continue"),
        (20, 20, "contradict"),
        (0, 20, "contradict"),
    ):
        with pytest.raises(RefusedProofError, match=message):
            require_consistency(
                old, roots[5], new, roots[20], stored.consistency(6, 20) if old == 6 else []
            )
    with pytest.raises(RefusedProofError, match="is empty"):
        require_consistency(3, roots[3], 20, roots[20], [])


def test_a_proof_for_what_the_tree_does_not_have_cannot_be_made() -> None:
    _, stored, _ = grown(5)
    with pytest.raises(ValueError, match="no leaf 5"):
        stored.inclusion(5, 5)
    with pytest.raises(ValueError, match="has fewer than 6 leaves"):
        stored.consistency(6, 5)
    with pytest.raises(ValueError, match="perfect subtrees"):
        GrowingTree(5, [EMPTY_ROOT])


def test_a_tree_continues_from_its_perfect_subtrees() -> None:
    leaves, stored, roots = grown(50)
    for begun in range(50):
        tree = GrowingTree(begun, stored.subtrees(begun))
        for leaf in leaves[begun:]:
            tree.add(leaf)
        assert tree.root() == roots[50]


def test_a_proof_reads_a_logarithmic_number_of_nodes() -> None:
    read: list[int] = []

    def counting(place: int) -> bytes:
        read.append(place)
        return bytes(32)

    size = 1_000_000
    stored = StoredNodes(counting)
    stored.inclusion(123_456, size)
    stored.consistency(654_321, size)
    assert max(read) < nodes_of(size)
    assert len(read) < 100
    assert place_of(0, size - 1) == nodes_of(size - 1)
