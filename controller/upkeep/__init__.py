"""Maintenance of a table: doctor, service mode, self-tests, learned values, updates."""
