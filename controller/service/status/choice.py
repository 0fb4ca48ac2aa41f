"""A game with its house rules, as people choose it, and the base of all status values."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

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
    follow_play: bool = Field(
        default=False, description="Whether the table follows every hand by the rules."
    )
    draw_seats: bool = Field(
        default=False, description="Whether the seats are drawn before the first hand."
    )
    answers: Answers = Field(
        default_factory=dict,
        description="Choices made in advance for every round, such as the cut, by question.",
    )


class Programme(Value):
    """The game of the present round, and the game that applies from the next shuffle."""

    now: GameChoice | None = None
    next: GameChoice | None = None
