"""Words for places and for faces of tiles, by which a person finds them at the table.

Examples of faces: `2z` is `South wind`, `3s` is `3 bamboo`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rules.geometry import BoneyardPlace, CardPlace, HandPlace, PilePlace, Place, WallPlace
from rules.tiles import Face

LEVELS = ("upper", "lower")


def places_in_words(places: Iterable[Place]) -> str:
    """Places as a person finds them, for example `wall of seat 1, stack 3`."""
    walls: dict[int, dict[int, list[int]]] = {}
    others: dict[str, list[str]] = {}
    for place in places:
        match place:
            case WallPlace(owner, column, level):
                walls.setdefault(owner, {}).setdefault(column, []).append(level)
            case PilePlace(column, level):
                others.setdefault("pile, from its right end and its top:", []).append(
                    f"column {column} tile {level}"
                )
            case BoneyardPlace(number):
                others.setdefault("boneyard, tile", []).append(str(number))
            case CardPlace(number):
                others.setdefault("cards, from the top, card", []).append(str(number))
            case HandPlace(seat):
                others.setdefault("hand of", []).append(f"seat {seat}")
    found = [_wall_in_words(owner, stacks) for owner, stacks in walls.items()]
    for name, each in others.items():
        plural = "s" if name.endswith(("tile", "card")) and len(each) > 1 else ""
        found.append(f"{name}{plural} {_listed(each)}")
    return "; ".join(found)


def _wall_in_words(owner: int, stacks: dict[int, list[int]]) -> str:
    whole = [str(column) for column, levels in stacks.items() if len(levels) > 1]
    single = [
        f"the {LEVELS[levels[0]]} tile of stack {column}"
        for column, levels in stacks.items()
        if len(levels) == 1
    ]
    named = [f"stack{'s' if len(whole) > 1 else ''} {_listed(whole)}"] if whole else []
    return f"wall of seat {owner}, {_listed(named + single)} from its right end"


def _listed(texts: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


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
