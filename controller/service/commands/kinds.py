"""The commands that clients give a table, each with its arguments and the least role.

This table is the only place that assigns roles to commands: the API, the panel and the
documentation read it. A command has an id that the client chooses; the same id twice is executed
once, and the second reply equals the first.
"""

from __future__ import annotations

from dataclasses import dataclass

from controller.service.commands.arguments import (
    AddShare,
    Answer,
    AnswerServiceQuestion,
    Automatic,
    Calibrate,
    ChooseNext,
    ClearFault,
    Correct,
    DeletePreset,
    Home,
    Jog,
    NamePlayers,
    NoArguments,
    ProposedChangeId,
    RunTest,
    SavePreset,
    StartSession,
    StopJog,
)
from controller.service.status import Value
from controller.service.user_roles import UserRole


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
    CommandKind(
        "add_share",
        AddShare,
        UserRole.PLAYER,
        "Add a player's share to the random choices of the next shuffle.",
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
    CommandKind(
        "take_out_of_play",
        NoArguments,
        UserRole.ATTENDANT,
        "End the session after this round, and begin none until the table is put back in play.",
    ),
    CommandKind(
        "put_in_play", NoArguments, UserRole.ATTENDANT, "Let sessions begin again at this table."
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
    CommandKind("stop_jog", StopJog, UserRole.TECHNICIAN, "End this client's jog."),
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
STOPS = frozenset({"pause", "stop_jog", "stop_activity", "stop_service"})
"""Commands that stop motions: they are executed at once, wait for no disk, and have no limit."""
