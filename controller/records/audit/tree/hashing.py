"""Hashes of the Merkle tree (RFC 6962, section 2.1): SHA-256 with a prefix for leaf and node."""

from __future__ import annotations

from hashlib import sha256

EMPTY_ROOT = sha256(b"").digest()
"""The root of a tree without leaves."""
HASH_SIZE = 32


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf."""
    return sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node from the hashes of its two children."""
    return sha256(b"\1" + left + right).digest()
