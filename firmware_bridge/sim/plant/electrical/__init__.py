"""The electrical parts of a table: boards, motor supply, home switches, and faults of sensors."""
