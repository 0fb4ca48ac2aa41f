"""Rounds: the activity below prepares a set; the activity on top deals and plays a set."""
