"""The commands that clients give a table, each with its arguments and the least role.

This table is the only place that assigns roles to commands: the API, the panel and the
documentation read it. A command has an id that the client chooses; the same id twice is executed
once, and the second reply equals the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from controller.service.status import GameChoice, Value
from controller.service.user_roles import UserRole

Names = dict[int, str]


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
    CommandKind("clear_fault", NoArguments, UserRole.ATTENDANT, "Start the table after a fault."),
    CommandKind(
        "automatic", Automatic, UserRole.PLAYER, "Let simulated people act, or act in their place."
    ),
    CommandKind("stop_service", NoArguments, UserRole.TECHNICIAN, "Stop the service safely."),
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
