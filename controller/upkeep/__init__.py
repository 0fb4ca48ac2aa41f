"""What keeps a table in order: doctor, service mode, self-tests, learned values, updates."""
