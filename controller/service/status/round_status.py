"""The part of the status that describes the round on the table."""

from __future__ import annotations

from pydantic import Field

from controller.service.status.choice import Answers, Value


class ThrowStatus(Value):
    """The last throw of dice in this round."""

    by: int
    dice: tuple[int, ...]
    why: str = ""


class PlayedTileStatus(Value):
    """A tile that a seat has put into the middle, and that still lies there."""

    seat: int
    face: str = Field(description="The face; empty if it was not read.")
    joined: str = Field(
        default="", description="Where the tile was joined to other tiles, such as `on 6`."
    )


class OpenSetStatus(Value):
    """Tiles that lie together before a seat: a set, flores, a hand that was shown.

    A face is empty if its tile lies face down or was not read. `claimed` is the index of the tile
    that the seat `source` had discarded; both are null without a claimed tile.
    """

    seat: int
    name: str
    faces: tuple[str, ...]
    claimed: int | None = None
    source: int | None = None


class OpenFactStatus(Value):
    """A public fact of a hand that is not a tile: a bid, a cube, a called result."""

    name: str
    text: str
    seat: int | None = None


class OpenTilesStatus(Value):
    """What every person at the table sees of the hand, for a client that joins during it.

    `played` is in the order of play; the discards of one seat are its entries. `sets` are ordered
    by seat.

    If the discards lie mixed (`mixed_discards` of the round), roles below `dealer` receive `played`
    empty and the sets without `claimed` and `source`: no order of the discards, and no seats.
    """

    played: tuple[PlayedTileStatus, ...] = ()
    pool: tuple[str, ...] = Field(
        default=(),
        description="Faces of the discards in place of `played`, sorted, for roles below `dealer`.",
    )
    sets: tuple[OpenSetStatus, ...] = ()
    facts: tuple[OpenFactStatus, ...] = ()


class RoundStatus(Value):
    """The round on the table: its set-up so far."""

    set: int
    hand: int = Field(default=0, description="Number of the round in the session; 0 without one.")
    dealer: int
    phase: str = Field(description="State of the region `top` of the state machine.")
    step: str = Field(default="", description="The present step of the set-up, in words.")
    throw: ThrowStatus | None = None
    choices: Answers = Field(default_factory=dict)
    indicator: str = Field(default="", description="Place of the tile that was turned up.")
    indicator_face: str = ""
    acts: int = Field(default=0, description="Actions taken in the hand, if the table follows it.")
    to_act: tuple[int, ...] = Field(
        default=(), description="Seats that can act in the hand that the table follows."
    )
    open_tiles: OpenTilesStatus | None = Field(
        default=None, description="What all see of the hand; null if the table follows none."
    )
    mixed_discards: bool = Field(
        default=False, description="Whether the discards lie mixed in the middle in this house."
    )
    over: bool = Field(default=False, description="Whether the hand that was followed is over.")
