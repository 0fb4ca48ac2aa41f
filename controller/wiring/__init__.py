"""How a table is wired: which lead goes to which pin, and the same as a WireViz document."""
