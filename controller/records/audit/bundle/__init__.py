"""Bundles: events with proofs in one file that a stranger verifies offline."""
