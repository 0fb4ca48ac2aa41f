"""Actions of Filipino mahjong, as frozen values with a text that `parse` reads back.

    draw                        discard 5m                 flores 3f
    chow 3m* 4m 5m              pong 7s 7s 7s              kong 7s 7s 7s 7s*
    add 7s                      secret 2p 2p 2p 2p         pass
    win                         win 1m 1m 2m 2m ... 9s     false win

A set is written with the faces that it counts as; a star marks a joker. Unseen faces may be left
out: `discard`, `flores`, `pong`, `secret`. A win from an unknown hand lists its tiles, with the
winning tile last unless that tile is already on the table.
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
"""A face, with a star where a joker stands for it."""

_SIZES: dict[Verb, int] = {"flores": 1, "discard": 1, "add": 1}
_SIZES |= {"chow": 3, "pong": 3, "kong": 4, "secret": 4}
_STARRED = ("chow", "pong", "kong", "add", "secret")
_LONGEST = 17


@dataclass(frozen=True, slots=True)
class Act:
    """One seat's act; `parse(act.seat, str(act))` is the same act."""

    seat: Seat
    verb: Verb
    tiles: tuple[Tile, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.verb, *self.tiles))


Action = Act
"""The same under the name that it has in every game."""


def parse(seat: Seat, text: str) -> Act:
    """A seat's act from its text; raises NotationError with the text and what is wrong with it."""
    for verb in VERBS:
        if text == verb or text.startswith(f"{verb} "):
            act = Act(seat, verb, tuple(text.removeprefix(verb).split()))
            sentence = malformed(act)
            if sentence is not None:
                raise NotationError(sentence)
            return act
    raise NotationError(f"'{text}' is no act; write one of {', '.join(VERBS)}.")


def malformed(act: Act) -> str | None:
    """What is wrong with an act whatever the play: its verb, its number of tiles, their faces."""
    if act.verb not in VERBS:
        return f"There is no act '{act.verb}'; write one of {', '.join(VERBS)}."
    count, most = len(act.tiles), _SIZES.get(act.verb, 0)
    if act.verb == "win":
        if count > _LONGEST:
            return f"'{act}' shows {count} tiles; a hand has {_LONGEST} at most."
    elif count not in (0, most):
        tiles = f"{most} tile{'s' * (most > 1)} or none" if most else "no tiles"
        return f"'{act}' names {count} tiles; '{act.verb}' goes with {tiles}."
    for tile in act.tiles:
        face = bare(tile)
        if face not in tile_set("mahjong_144") or tile not in (face, face + JOKER):
            return f"'{tile}' in '{act}' is no tile; write one as 5m, 3p, 9s, 1z or 1f."
        if tile != face and act.verb not in _STARRED:
            return f"'{tile}' in '{act}' is what a joker stands for; name the tile by its face."
    return None


def bare(tile: Tile) -> Face:
    """What a tile reads as, the star left away."""
    return tile.removesuffix(JOKER)


def face_under(tile: Tile, joker: Face | None) -> Face | None:
    """The face of the tile itself: the joker's where it is starred."""
    return joker if tile.endswith(JOKER) else tile
