"""Signed notes and checkpoints of C2SP, with Ed25519: made, parsed and verified."""
