"""Ranks and splits of pai gow hands, and their comparison (4.1, 4.2)."""
