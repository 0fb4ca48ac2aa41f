"""The Merkle tree of RFC 6962 and RFC 9162 with SHA-256: hashes, roots, proofs, stored nodes."""
