"""Actions of Filipino mahjong, as frozen values with a text that `parse` parses.

    draw                        discard 5m                 flores 3f
    chow 3m* 4m 5m              pong 7s 7s 7s              kong 7s 7s 7s 7s*
    add 7s                      secret 2p 2p 2p 2p         pass
    win                         win 1m 1m 2m 2m ... 9s     false win

A set is written with the faces that it counts as; a star marks a joker. Faces that were not seen
can be left out: `discard`, `flores`, `pong`, `secret`. A win from an unknown hand lists its tiles,
with the winning tile last unless that tile is on the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from rules.errors import NotationError
from rules.geometry import Seat
from rules.tiles import Face, tile_set

Verb = Literal[
    "draw",
    "flores",
    "discard",
    "chow",
    "pong",
    "kong",
    "add",
    "secret",
    "win",
    "false win",
    "pass",
]
VERBS: Final[tuple[Verb, ...]] = get_args(Verb)
JOKER: Final = "*"
Tile = str
"""A face, with a star if a joker replaces it."""

_SIZES: dict[Verb, int] = {"flores": 1, "discard": 1, "add": 1}
_SIZES |= {"chow": 3, "pong": 3, "kong": 4, "secret": 4}
_STARRED = ("chow", "pong", "kong", "add", "secret")
_LONGEST = 17


@dataclass(frozen=True, slots=True)
class Act:
    """An action of one seat; `parse(act.seat, str(act))` returns an equal action."""

    seat: Seat
    verb: Verb
    tiles: tuple[Tile, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.verb, *self.tiles))


Action = Act
"""The name of this class in every game's package."""


def parse(seat: Seat, text: str) -> Act:
    """Parses the text of a seat's action. Raises NotationError for any other text."""
    for verb in VERBS:
        if text == verb or text.startswith(f"{verb} "):
            act = Act(seat, verb, tuple(text.removeprefix(verb).split()))
            sentence = why_malformed(act)
            if sentence is not None:
                raise NotationError(sentence)
            return act
    raise NotationError(f"'{text}' is not an action; write one of {', '.join(VERBS)}.")


def why_malformed(act: Act) -> str | None:
    """The objection to an action's verb, number of tiles or faces, independent of the play."""
    if act.verb not in VERBS:
        return f"There is no action '{act.verb}'; write one of {', '.join(VERBS)}."
    count, most = len(act.tiles), _SIZES.get(act.verb, 0)
    if act.verb == "win":
        if count > _LONGEST:
            return f"'{act}' shows {count} tiles; a hand has at most {_LONGEST}."
    elif count not in (0, most):
        tiles = f"{most} tile{'s' * (most > 1)} or none" if most else "no tiles"
        return f"'{act}' names {count} tiles; write '{act.verb}' with {tiles}."
    for tile in act.tiles:
        face = bare(tile)
        if face not in tile_set("mahjong_144") or tile not in (face, face + JOKER):
            return f"'{tile}' in '{act}' is not a tile; write one as 5m, 3p, 9s, 1z or 1f."
        if tile != face and act.verb not in _STARRED:
            return f"'{tile}' in '{act}' marks a joker; name the tile by its own face."
    return None


def bare(tile: Tile) -> Face:
    """The face that a tile counts as, without the star."""
    return tile.removesuffix(JOKER)


def face_under(tile: Tile, joker: Face | None) -> Face | None:
    """The face on the tile itself: that of the joker if the tile has a star."""
    return joker if tile.endswith(JOKER) else tile
