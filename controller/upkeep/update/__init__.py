"""Signed updates of the program, in two slots, of which one is always complete."""
