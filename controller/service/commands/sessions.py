"""Commands for sessions: beginning and end, games, players, saved house rules."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from controller.service.commands.command import (
    CommandedTable,
    NoArguments,
    command,
    require_seats,
    require_serving,
    require_session,
)
from controller.service.port import Actor, CommandRefusedError
from controller.service.status import GameChoice, Value
from controller.service.user_roles import UserRole

MOST_PRESETS = 200
"""Largest number of saved presets."""

SeatNumber = Annotated[int, Field(ge=0, le=7)]
PlayerName = Annotated[str, Field(max_length=40)]
Names = Annotated[
    dict[SeatNumber, PlayerName],
    Field(json_schema_extra={"propertyNames": {"pattern": "^[0-7]$"}}),
]


class StartSession(Value):
    """Begin a session: the game with its house rules, and the players' names by seat."""

    choice: GameChoice
    names: Names = Field(default_factory=dict)


@command(
    "start_session",
    StartSession,
    UserRole.PLAYER,
    example={"choice": {"game": "wenzhou"}, "names": {"0": "Ana", "1": "Ben"}},
)
async def start_session(table: CommandedTable, given: StartSession, actor: Actor) -> str:
    """Begin a session with this game."""
    state, shift = table.state, table.run.shift
    require_serving(table)
    if state.status.state == "fault":
        raise CommandRefusedError(
            "fault",
            f"The table has a fault: {state.status.sentence}",
            "Clear the fault first.",
        )
    if shift is not None:
        raise CommandRefusedError(
            "service_mode",
            f"The table is in service mode, which {shift.name} has entered.",
            "Leave service mode first.",
        )
    if state.out_of_play is not None:
        raise CommandRefusedError(
            "out_of_play",
            f"{state.out_of_play} has taken the table out of play.",
            "Ask a person with the role attendant to put it back in play.",
        )
    if table.sessions.book is not None:
        raise CommandRefusedError(
            "session", "A session is in progress.", "End it first, or choose its next game."
        )
    game = table.run.plan(given.choice)
    require_seats(given.names, game.seats)
    if not table.sessions.hold_updates():
        raise CommandRefusedError(
            "update", "An update of the program is being installed.", "Wait until it has ended."
        )
    table.runs.begin_session(game, dict(given.names))
    table.receipts.started_by(actor.name)
    return f"The session begins: {game.orders.game.title}."


class ChooseNext(Value):
    """Choose the game and the house rules that apply from the next shuffle."""

    choice: GameChoice


@command("choose_next", ChooseNext, UserRole.PLAYER)
async def choose_next(table: CommandedTable, given: ChooseNext, actor: Actor) -> str:
    """Choose the game and house rules that apply from the next shuffle."""
    require_session(table)
    game = table.run.plan(given.choice)
    table.runs.choose(game)
    return f"{game.orders.game.title} applies from the next shuffle."


@command("end_session", NoArguments, UserRole.PLAYER)
async def end_session(table: CommandedTable, given: NoArguments, actor: Actor) -> str:
    """End the session after this round."""
    require_session(table)
    table.runs.finish_session()
    ended = table.sessions.book is None
    return "The session is over." if ended else "The session ends after this round."


class NamePlayers(Value):
    """Name players by seat; an empty name removes one."""

    names: Names


@command("name_players", NamePlayers, UserRole.PLAYER)
async def name_players(table: CommandedTable, given: NamePlayers, actor: Actor) -> str:
    """Name the players by seat."""
    book = require_session(table)
    require_seats(given.names, book.game.seats)
    book.name_players(given.names)
    table.events.changed()
    return "The players are named."


@command("take_out_of_play", NoArguments, UserRole.ATTENDANT)
async def take_out_of_play(table: CommandedTable, given: NoArguments, actor: Actor) -> str:
    """End the session after this round, and begin none until the table is put back in play."""
    # A round that a fault interrupted is still recovered and played to its end.
    if table.state.out_of_play is not None:
        raise CommandRefusedError("out_of_play", "The table is out of play already.")
    table.state.take_out_of_play(actor.name)
    if table.sessions.book is not None:
        table.runs.finish_session()
    playing = table.sessions.book is not None
    return f"The table is out of play{' after this round' if playing else ''}."


@command("put_in_play", NoArguments, UserRole.ATTENDANT)
async def put_in_play(table: CommandedTable, given: NoArguments, actor: Actor) -> str:
    """Let sessions begin again at this table."""
    if table.state.out_of_play is None:
        raise CommandRefusedError("in_play", "The table is in play already.")
    table.state.put_in_play()
    return "The table is in play."


class SavePreset(Value):
    """Save a game with its house rules under a name."""

    name: str = Field(min_length=1, max_length=60)
    choice: GameChoice


@command("save_preset", SavePreset, UserRole.DEALER)
async def save_preset(table: CommandedTable, given: SavePreset, actor: Actor) -> str:
    """Save house rules under a name."""
    table.run.plan(given.choice)
    presets = table.presets.all()
    if given.name not in presets and len(presets) >= MOST_PRESETS:
        raise CommandRefusedError("full", f"There are {MOST_PRESETS} presets.", "Delete one first.")
    table.presets.save(given.name, given.choice)
    return f"The house rules are saved as '{given.name}'."


class DeletePreset(Value):
    """Delete a saved preset by its name."""

    name: str = Field(min_length=1, max_length=60)


@command("delete_preset", DeletePreset, UserRole.DEALER)
async def delete_preset(table: CommandedTable, given: DeletePreset, actor: Actor) -> str:
    """Delete saved house rules."""
    if given.name not in table.presets.all():
        raise CommandRefusedError("unknown_preset", f"There is no preset '{given.name}'.")
    table.presets.delete(given.name)
    return f"The preset '{given.name}' is deleted."
