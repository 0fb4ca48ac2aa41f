"""Dealing and playing without a table: random hands, known and hidden tiles, undo."""
