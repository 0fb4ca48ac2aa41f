"""Challenge: the three messages by which host and board prove to each other that they have the key.

Both sides compute the proofs over the same two messages, encoded as frames with sequence number 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge.wire.codec import plain
from firmware_bridge.wire.messages import PROTOCOL, Authenticate, Identify, Identity
from firmware_bridge.wire.session_security import (
    PROOF_SIZE,
    SessionKeys,
    is_equal,
    proof,
    session_keys,
)


@dataclass(frozen=True)
class Challenge:
    """The keys and the proofs of one session that is being opened."""

    keys: SessionKeys
    board_proof: bytes
    host_proof: bytes

    @classmethod
    def of(cls, key: bytes, address: int, identify: Identify, identity: Identity) -> Challenge:
        """Derive keys and proofs from the device key and the first two messages.

        The identity's own proof is not used.
        """
        asked = plain(address, 0, identify)
        answered = plain(address, 0, identity)[:-PROOF_SIZE]
        keys = session_keys(key, identify.nonce, identity.nonce)
        return cls(keys, proof(keys.board, asked, answered), proof(keys.host, asked, answered))

    def is_answered_by(self, authenticate: Authenticate) -> bool:
        """Whether this message has the host's proof."""
        return is_equal(self.host_proof, authenticate.proof)


def verified(key: bytes, address: int, nonce: bytes, identity: Identity) -> Challenge | None:
    """The challenge that an identity answers; None if its board does not have this key."""
    challenge = Challenge.of(key, address, Identify(PROTOCOL, nonce), identity)
    return challenge if is_equal(challenge.board_proof, identity.proof) else None
