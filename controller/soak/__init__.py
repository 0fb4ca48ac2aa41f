"""Chaos: random games on random tables under random mishaps, checked against the plant's truth."""
