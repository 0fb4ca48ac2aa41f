"""Faults: the catalogue, retries, the recovery policy, and sorting of failures."""
