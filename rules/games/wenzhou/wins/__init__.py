"""Winning hands of Wenzhou mahjong: shapes, classes and caishen (W14, W15, W24, W25)."""
