"""The wiring of a table: leads and their pins, supplies, and both as a WireViz document."""
