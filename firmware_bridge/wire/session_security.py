"""Session security: verifies the proof by which a board shows that it has its device key."""

from __future__ import annotations

import hmac

from firmware_bridge.wire import messages as wire


def proves(identity: wire.Identity, nonce: bytes, key: bytes) -> bool:
    """Whether an identity with its proof comes from a board with this key."""
    proof = hmac.digest(key, nonce + identity.serial, "sha256")[: len(identity.proof)]
    return hmac.compare_digest(proof, identity.proof)
