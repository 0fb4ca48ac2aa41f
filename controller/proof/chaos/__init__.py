"""Chaos: random games on random tables with injected faults, checked against the plant."""
