"""The audit: a signed log of significant events, its proofs, and receipts of shuffles and rounds.

docs/regulate/AUDIT.md describes every format exactly enough to write another verifier.
"""
