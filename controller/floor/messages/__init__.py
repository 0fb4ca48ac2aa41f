"""Topics and payloads between tables and the floor, version 1; the same code on both sides."""
