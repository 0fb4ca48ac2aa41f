"""The log: an append-only file of events with a hash tree, signed heads and a key per device."""
