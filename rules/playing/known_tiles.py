"""Checks the known tiles with which a play begins, against the set-up's layout and tile set.

Known tiles come from readers, from people or from a file, and each of these can be wrong. Without
the check, a play with five tiles of one kind would settle a hand that the set cannot deal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache

from rules.errors import IllegalSetupError
from rules.geometry import Layout, Place
from rules.play import Tiles
from rules.setup import Setup
from rules.steps import TurnUp
from rules.tiles import Face, TileSet
from rules.well_typed import shown


def known_tiles(setup: Setup, tiles: Tiles | None) -> dict[Place, Face | None]:
    """The tiles that are known when a play begins, checked against the set-up.

    Raises IllegalSetupError for a place that the layout lacks, a face that the set lacks, a face
    that occurs more often than in the set, and a tile that differs from the one turned up there.
    """
    known = dict(tiles or {})
    game, places = setup.game, _places(setup.layout)
    kinds = game.tiles.kinds
    if not places.issuperset(set(known)):
        for place in known:
            if place not in places:
                raise IllegalSetupError(f"{game.title} has no tile at place {place}; leave it out.")
    for place, face in known.items():
        if face is not None and (type(face) is not str or face not in kinds):
            raise IllegalSetupError(
                f"{game.title} has no tile {shown(face)}, which is given at {place}; read it again."
            )
    seen = dict(known)
    for place, face in _turned_up(setup).items():
        if known.get(place, face) not in (face, None):
            raise IllegalSetupError(
                f"The tile turned up at {place} is {face}, but the tile given there is"
                f" {known[place]}; read it again."
            )
        seen[place] = face
    _require_one_set(setup, seen)
    return known


def _turned_up(setup: Setup) -> dict[Place, Face]:
    """The tiles that the set-up has turned up, where their faces were read."""
    return {
        step.place: outcome
        for step, outcome in setup.done
        if isinstance(step, TurnUp) and isinstance(outcome, str)
    }


def _require_one_set(setup: Setup, seen: Mapping[Place, Face | None]) -> None:
    read = Counter(filter(None, seen.values()))
    whole = _counted(setup.game.tiles)
    for face, number in read.items():
        if number > whole[face]:
            where = ", ".join(str(place) for place, other in seen.items() if other == face)
            raise IllegalSetupError(
                f"'{face}' was read {number} times, but the set has {whole[face]}; read these"
                f" places again: {where}."
            )


@cache
def _places(layout: Layout) -> frozenset[Place]:
    return frozenset(layout.places)


@cache
def _counted(tiles: TileSet) -> Counter[Face]:
    return Counter(tiles.faces)
