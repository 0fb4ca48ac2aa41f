"""The commands that clients give a table, each with its arguments and the least role.

This table is the only place that assigns roles to commands: the API, the panel and the
documentation read it. A command has an id that the client chooses; the same id twice is executed
once, and the second reply equals the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from controller.service.status import GameChoice, Value
from controller.service.user_roles import UserRole

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


@dataclass(frozen=True)
class CommandKind:
    """One kind of command: its name, its arguments, its least role, and what it does."""

    name: str
    arguments: type[Value]
    role: UserRole
    summary: str


KINDS: tuple[CommandKind, ...] = (
    CommandKind("start_session", StartSession, UserRole.PLAYER, "Begin a session with this game."),
    CommandKind(
        "choose_next",
        ChooseNext,
        UserRole.PLAYER,
        "Choose the game and house rules that apply from the next shuffle.",
    ),
    CommandKind("end_session", NoArguments, UserRole.PLAYER, "End the session after this round."),
    CommandKind("name_players", NamePlayers, UserRole.PLAYER, "Name the players by seat."),
    CommandKind(
        "press_lid_key",
        NoArguments,
        UserRole.PLAYER,
        "Press the lid's key: take the tiles in, or confirm that they are in.",
    ),
    CommandKind("answer", Answer, UserRole.PLAYER, "Answer an open prompt."),
    CommandKind(
        "pause", NoArguments, UserRole.PLAYER, "Pause the table: every output becomes safe."
    ),
    CommandKind(
        "resume", NoArguments, UserRole.PLAYER, "Resume the table after a commanded pause."
    ),
    CommandKind("correct", Correct, UserRole.DEALER, "Take back the last acts of the hand."),
    CommandKind("save_preset", SavePreset, UserRole.DEALER, "Save house rules under a name."),
    CommandKind("delete_preset", DeletePreset, UserRole.DEALER, "Delete saved house rules."),
    CommandKind(
        "take_lead", NoArguments, UserRole.ATTENDANT, "Lead the recovery from this client."
    ),
    CommandKind("release_lead", NoArguments, UserRole.ATTENDANT, "Let another client lead."),
    CommandKind("clear_fault", ClearFault, UserRole.ATTENDANT, "Start the table after a fault."),
    CommandKind(
        "automatic", Automatic, UserRole.PLAYER, "Let simulated people act, or act in their place."
    ),
    CommandKind("stop_service", NoArguments, UserRole.TECHNICIAN, "Stop the service safely."),
    CommandKind(
        "enter_service_mode",
        NoArguments,
        UserRole.TECHNICIAN,
        "Enter service mode, in which the table is not playable.",
    ),
    CommandKind(
        "leave_service_mode",
        NoArguments,
        UserRole.TECHNICIAN,
        "Leave service mode; moved parts return, and the state before is restored.",
    ),
    CommandKind("jog", Jog, UserRole.TECHNICIAN, "Move a motor or axis while the button is held."),
    CommandKind("stop_jog", NoArguments, UserRole.TECHNICIAN, "End this client's jog."),
    CommandKind("home", Home, UserRole.TECHNICIAN, "Home a part, or every part."),
    CommandKind("run_test", RunTest, UserRole.TECHNICIAN, "Run a station's test programme."),
    CommandKind(
        "calibrate", Calibrate, UserRole.TECHNICIAN, "Measure a part and propose a value for it."
    ),
    CommandKind(
        "answer_service_question",
        AnswerServiceQuestion,
        UserRole.TECHNICIAN,
        "Answer the question of a test programme or a calibration.",
    ),
    CommandKind(
        "stop_activity",
        NoArguments,
        UserRole.TECHNICIAN,
        "Stop every motion of service mode, and what is in progress.",
    ),
    CommandKind(
        "clear_board_faults",
        NoArguments,
        UserRole.TECHNICIAN,
        "Clear the latched faults of the boards in service mode.",
    ),
    CommandKind(
        "confirm_change",
        ProposedChangeId,
        UserRole.TECHNICIAN,
        "Write the proposed change to the table's file.",
    ),
    CommandKind(
        "discard_change", ProposedChangeId, UserRole.TECHNICIAN, "Discard the proposed change."
    ),
)
BY_NAME: dict[str, CommandKind] = {kind.name: kind for kind in KINDS}


class CommandRequest(Value):
    """A command from a client; `id` is the client's own, unique in the table's life."""

    id: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._:-]+$")
    name: str = Field(max_length=40)
    arguments: dict[str, object] = Field(default_factory=dict)


class CommandReply(Value):
    """The result of a command: accepted (it takes effect later), done, or refused.

    `code` is a short name of the refusal for programs; `next_step` says what a person can do.
    """

    id: str
    state: Literal["accepted", "done", "refused"]
    sentence: str = ""
    code: str = ""
    next_step: str = ""


@dataclass(frozen=True)
class Actor:
    """The person or device that gives a command, as the API has authenticated it.

    `client` identifies the connection, for the control lease of recoveries.
    """

    name: str
    role: UserRole
    client: str
