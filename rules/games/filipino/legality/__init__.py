"""The legal actions of a hand of Filipino mahjong, and the priority of claims."""
