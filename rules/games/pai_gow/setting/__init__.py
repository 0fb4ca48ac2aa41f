"""How a player sets four tiles: house ways, and the best split by enumeration."""
