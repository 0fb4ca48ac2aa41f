"""The terminal: keyboard, questions to operators, the live view of a run, ASCII characters."""
