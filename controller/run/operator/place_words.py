"""Places of tiles in the words by which a person at the table finds them."""

from __future__ import annotations

from collections.abc import Iterable

from rules.geometry import BoneyardPlace, CardPlace, HandPlace, PilePlace, Place, WallPlace

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
