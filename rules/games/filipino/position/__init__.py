"""The position of a hand of Filipino mahjong: tiles, flores, and what each seat sees."""
