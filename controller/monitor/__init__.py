"""The monitor: the status of a table in a terminal."""
