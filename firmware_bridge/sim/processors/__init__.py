"""Emulated processors that run the board's firmware, and the devices on their pins."""
