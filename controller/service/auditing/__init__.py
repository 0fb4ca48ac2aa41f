"""Records what happens at a table in its audit log."""
