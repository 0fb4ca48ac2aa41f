"""The arguments of commands, one model for each kind of command that has any."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from controller.service.status import GameChoice, Value

SeatNumber = Annotated[int, Field(ge=0, le=7)]
PlayerName = Annotated[str, Field(max_length=40)]
Names = Annotated[
    dict[SeatNumber, PlayerName],
    Field(json_schema_extra={"propertyNames": {"pattern": "^[0-7]$"}}),
]


class NoArguments(Value):
    """A command without arguments."""


class StartSession(Value):
    """Begin a session: the game with its house rules, and the players' names by seat."""

    choice: GameChoice
    names: Names = Field(default_factory=dict)


class ChooseNext(Value):
    """Choose the game and the house rules that apply from the next shuffle."""

    choice: GameChoice


class NamePlayers(Value):
    """Name players by seat; an empty name removes one."""

    names: Names


class AddShare(Value):
    """Add a text of the player at a seat to the random choices of the next shuffle."""

    seat: SeatNumber
    share: str = Field(min_length=1, max_length=64, description="Printable characters.")


class Answer(Value):
    """Answer a prompt by its id. The least role is the prompt's own."""

    prompt: str = Field(max_length=64)
    value: str = Field(max_length=500)


class Correct(Value):
    """Take back the last acts of the hand that the table follows, because one was wrong."""

    acts: int = Field(ge=1, le=1000)
    reason: str = Field(default="", max_length=200)


class ClearFault(Value):
    """Start the table after a fault; with `abandon` people put every tile away first."""

    abandon: bool = False


class SavePreset(Value):
    """Save a game with its house rules under a name."""

    name: str = Field(min_length=1, max_length=60)
    choice: GameChoice


class DeletePreset(Value):
    """Delete a saved preset by its name."""

    name: str = Field(min_length=1, max_length=60)


class Automatic(Value):
    """On a simulated table: whether the simulated people choose and act by themselves."""

    on: bool


class Jog(Value):
    """Begin or renew a jog. It ends 300 ms after the last renewal.

    `press` differs from press to press of the button, so that a late renewal has no effect.
    """

    channel: str = Field(max_length=60)
    direction: Literal["forward", "reverse"]
    speed: int = Field(ge=1, le=1000, description="Permille of the highest speed.")
    press: str = Field(default="", max_length=40)


class StopJog(Value):
    """End this client's jog; with `press`, only the jog of this press, also before it begins."""

    press: str = Field(default="", max_length=40)


class Home(Value):
    """Home one motor or axis; an empty name homes every part."""

    channel: str = Field(default="", max_length=60)


class RunTest(Value):
    """Run the test programme of a station, as the status lists it."""

    station: str = Field(max_length=60)


class Calibrate(Value):
    """Begin a calibration, as the status lists it."""

    kind: str = Field(max_length=40)
    target: str = Field(default="", max_length=60)


class AnswerServiceQuestion(Value):
    """Answer the question of a test programme or a calibration."""

    question: str = Field(max_length=20)
    value: str = Field(max_length=40)


class ProposedChangeId(Value):
    """Confirm or discard the proposed change of the table's file, by its id."""

    change: str = Field(max_length=20)
