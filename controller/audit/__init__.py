"""The audit: a signed log of significant events, bundles with proofs, and witnesses of its heads.

The service does not write this log yet.
"""
