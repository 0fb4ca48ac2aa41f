"""The part of the status that describes the round on the table."""

from __future__ import annotations

from pydantic import Field

from controller.service.status.choice import Answers, Value


class ThrowStatus(Value):
    """The last throw of dice in this round."""

    by: int
    dice: tuple[int, ...]
    why: str = ""


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
    to_act: tuple[int, ...] = ()
    over: bool = Field(default=False, description="Whether the hand that was followed is over.")
