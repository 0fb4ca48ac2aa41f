"""Faults: the catalogue, retries, the recovery policy, and gathering all tiles."""
