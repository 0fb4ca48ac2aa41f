"""Cross-checks of a table, and of a game against a table, with their error messages."""
