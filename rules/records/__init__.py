"""Plays as text: records of hands as JSON lines, and positions on one line."""
