"""The order of discards in Wenzhou mahjong, and its check after a hand (W16, W17, E16)."""
