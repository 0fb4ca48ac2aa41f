"""The position of a hand of dominoes: tiles, tableau, and what each seat sees."""
