"""The parts of the status that describe what is played: the choice, the session, the round.

Of the machine's random choices they contain the commitments and the revealed shares, and never a
share that is not revealed.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from controller.run.orders import Follow

Answers = dict[str, int | str]


class Value(BaseModel):
    """Base of the status models: frozen, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class GameChoice(Value):
    """A game with its house rules, as people choose it for the next shuffle."""

    game: str = Field(description="Name of the game, as `wallwright games` lists it.")
    house_rules: dict[str, object] = Field(
        default_factory=dict,
        description="Parameters of the game that differ from its defaults, by name.",
    )
    players: int | None = Field(default=None, description="Number of players; null: the usual one.")
    dealer: int = Field(default=0, ge=0, le=7, description="Seat of the first dealer, from 0.")
    follow: Follow = Field(
        default="result",
        description="What the table knows of a hand: `none`; the `result`, which people report at"
        " its end; or the `play`, of which people enter every action.",
    )
    follow_play: bool = Field(
        default=False,
        description="Deprecated: true is the same as `follow` = `play`. A choice without `follow`"
        " and with false here has `follow` = `result`.",
    )
    draw_seats: bool = Field(
        default=False, description="Whether the seats are drawn before the first hand."
    )
    answers: Answers = Field(
        default_factory=dict,
        description="Choices made in advance for every round, such as the cut, by question.",
    )
    waits_for_result: bool = Field(
        default=False,
        description="Whether the table waits for the result of a hand without an end. Otherwise the"
        " dealer stays if nobody has reported it in time.",
    )

    @model_validator(mode="before")
    @classmethod
    def _with_both_names(cls, given: Any) -> Any:
        """Give `follow` the value of the older `follow_play`, and keep the two equal."""
        if not isinstance(given, dict):
            return given
        older = given.get("follow_play", False)
        if not isinstance(older, bool):
            raise ValueError("`follow_play` must be true or false; or leave it out for `follow`")  # noqa: TRY004  a ValueError is what pydantic reports
        follow = given.get("follow", "play" if older else "result")
        if older and follow != "play":
            raise ValueError(f"`follow_play` is true, but `follow` is '{follow}'; leave one out")
        return {**given, "follow": follow, "follow_play": follow == "play"}


class Programme(Value):
    """The game of the present round, and the game that applies from the next shuffle."""

    now: GameChoice | None = None
    next: GameChoice | None = None


class PlayerShareStatus(Value):
    """A text that the player at a seat has added to a cycle."""

    seat: int
    share: str
    code: str = Field(
        default="",
        description="A hash of the list of shares up to this one, by which its player proves it.",
    )


class CycleStatus(Value):
    """A shuffle cycle whose share is not revealed yet; `commitment` is the hash of the share."""

    cycle: int
    commitment: str
    player_shares: tuple[PlayerShareStatus, ...] = ()


class ChanceStatus(Value):
    """The cycle that takes players' shares, and the cycle of the set that is on the table."""

    next: CycleStatus | None = Field(
        default=None, description="Begins with the next shuffle; takes players' shares until then."
    )
    playing: CycleStatus | None = Field(
        default=None, description="Its choices are drawn; revealed after the round."
    )


class RevealStatus(Value):
    """The machine's share of the cycle of a round that is over, as hexadecimal text."""

    cycle: int
    commitment: str
    reveal: str


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
    """The public view of the hand, for a client that joins during it.

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


RESULTS = 20
"""Number of hand results that the status contains; the API pages through all of them."""


class SeatStatus(Value):
    """One seat of the present session: its wind in games with winds, its player, its score."""

    seat: int
    wind: str = Field(default="", description="East, South, West or North; empty without winds.")
    name: str = ""
    dealer: bool = False
    tiles: int = 0
    score: float = 0


class PaymentStatus(Value):
    """One payment of a settlement; `payer` and `payee` are seats, null is the bank or pot."""

    payer: int | None
    payee: int | None
    amount: float
    why: str


class HandResult(Value):
    """The result of one hand, with its reasons."""

    number: int
    game: str
    sentence: str
    winner: int | None = None
    payments: tuple[PaymentStatus, ...] = ()
    reasons: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    abandoned: bool = False
    result: dict[str, object] | None = Field(
        default=None, description="The result that people have reported, by the form's fields."
    )
    by: str = Field(default="", description="Who has reported it, or corrected it last.")
    counted: bool = Field(
        default=True, description="Whether the payments are known; false for a result `who`."
    )
    chance: RevealStatus | None = Field(
        default=None, description="The revealed share of the round's random choices."
    )


class Debt(Value):
    """What one player owes another after all hands of the session."""

    debtor: str
    creditor: str
    amount: float


class ResultQuestion(Value):
    """The hand whose result people can report now, without a reason.

    Its session can be over: the last hand of an evening is reported after it.
    """

    session: str
    hand: int
    seats: tuple[SeatStatus, ...] = Field(
        default=(), description="The seats of the hand, with their winds and players."
    )
    form: dict[str, object] = Field(
        description="The fields of the game's result, with their choices and limits."
    )
    result: dict[str, object] | None = Field(
        default=None, description="What has been reported so far; another report replaces it."
    )
    overdue: bool = Field(default=False, description="Whether the table waits for the result.")


class SessionStatus(Value):
    """The present session: its game, its players, its scores and its last results."""

    id: str
    started: str
    game: str
    title: str
    rounds: int = 0
    ending: bool = Field(default=False, description="Whether the session ends after this round.")
    follow_play: bool = False
    follow: Follow = "none"
    seats: tuple[SeatStatus, ...] = ()
    results: tuple[HandResult, ...] = ()
    debts: tuple[Debt, ...] = ()
