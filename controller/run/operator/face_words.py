"""Faces of mahjong tiles in words: `2z` is `South wind`, `3s` is `3 bamboo`."""

from __future__ import annotations

import re

from rules.tiles import Face

HONOURS = (
    "East wind",
    "South wind",
    "West wind",
    "North wind",
    "White dragon",
    "Green dragon",
    "Red dragon",
)
SUITS = {"m": "characters", "p": "circles", "s": "bamboo", "f": "flowers"}
_TILE = re.compile(r"([1-9])([mpsf])")


def face_in_words(face: Face) -> str:
    """A face of a mahjong tile in words; any other face as it is written."""
    if re.fullmatch("[1-7]z", face):
        return HONOURS[int(face[0]) - 1]
    if found := _TILE.fullmatch(face):
        return f"{found[1]} {SUITS[found[2]]}"
    return face
