"""Sessions of the commands that run a table: `run`, `chaos`, `selftest` and `board`."""
