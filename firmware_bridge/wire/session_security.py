"""Session security: the proof by which a board shows that it has its device key.

A board computes the proof from the host's nonce, its serial number and its key; the host verifies
it.
"""

from __future__ import annotations

import hmac

from firmware_bridge.wire import messages as wire

PROOF_SIZE = 8
"""Bytes of a proof: the first ones of the digest."""


def proof(nonce: bytes, serial: bytes, key: bytes) -> bytes:
    """The proof of a board with this key, for one nonce of the host."""
    return hmac.digest(key, nonce + serial, "sha256")[:PROOF_SIZE]


def proves(identity: wire.Identity, nonce: bytes, key: bytes) -> bool:
    """Whether an identity with its proof comes from a board with this key."""
    return hmac.compare_digest(proof(nonce, identity.serial, key), identity.proof)
