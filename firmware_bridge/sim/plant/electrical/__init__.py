"""The electrical parts of a table: the relay in the motors' supply, and the faults of sensors."""
