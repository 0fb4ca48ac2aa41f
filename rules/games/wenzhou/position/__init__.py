"""The position of a Wenzhou hand: tiles, sets laid down, and what each seat sees."""
