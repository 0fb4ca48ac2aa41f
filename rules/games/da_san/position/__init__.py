"""The position of a hand of Da San: cards, rounds, and what each seat sees."""
