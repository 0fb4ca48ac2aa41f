"""What the command line refuses before anything moves."""


class BadInput(ValueError):
    """A command line that cannot be obeyed: one sentence, and what to do."""
