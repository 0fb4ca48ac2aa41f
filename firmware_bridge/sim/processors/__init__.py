"""Emulated processors that run the board's own firmware, and what hangs on their pins."""
