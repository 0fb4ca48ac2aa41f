"""Pauses: the gate for commands, boards that resume them, homing, and back-off from obstacles."""
