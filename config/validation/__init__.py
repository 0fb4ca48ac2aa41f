"""The checks of a table and of a game against each other, and the messages of their errors."""
