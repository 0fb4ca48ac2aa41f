"""Commands for the round on the table: answers, corrections, shares, the lid's key, pauses, faults.

The commands after a fault take the lead of a recovery and clear the fault; the last one stops the
service itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from controller.service.commands.command import (
    CommandedTable,
    NoArguments,
    command,
    require_daemon,
    require_role,
    require_seats,
    require_session,
    require_unlocked,
)
from controller.service.commands.sessions import SeatNumber
from controller.service.evening.evening_programme import hand_name
from controller.service.port import Actor, CommandRefusedError
from controller.service.status import Status, Value
from controller.service.user_roles import UserRole

PAUSE_NOT_STORED = (
    "The pause is not stored yet: if the service restarts now, the table is not paused."
)
STEPS = ("play", "top")
ENTERED: Mapping[str, tuple[str, ...]] = {"act": STEPS, "fault": ("asked", "fault")}
"""By kind of prompt: the activities of the journal to which its answer adds a record."""


@command("press_lid_key", NoArguments, UserRole.PLAYER)
async def press_lid_key(table: CommandedTable, given: NoArguments, actor: Actor) -> str:
    """Press the lid's key: take the tiles in, or confirm that they are in."""
    daemon = require_daemon(table)
    if table.guide.is_pushing:
        raise CommandRefusedError(
            "tiles_not_in",
            "The simulated people have not pushed the tiles in yet.",
            "Wait; they press the key when the tiles are in.",
        )
    daemon.press_lid_key()
    return "The lid's key is pressed."


class AddShare(Value):
    """Add a text of the player at a seat to the random choices of the next shuffle."""

    seat: SeatNumber
    share: str = Field(min_length=1, max_length=64, description="Printable characters.")


@command("add_share", AddShare, UserRole.PLAYER, activities=lambda table, given: ())
async def add_share(table: CommandedTable, given: AddShare, actor: Actor) -> str:
    """Add a player's share to the random choices of the next shuffle."""
    daemon = require_daemon(table)
    book = require_session(table)
    require_seats((given.seat,), book.game.seats)
    record = daemon.chances.add_share(given.seat, given.share, actor.name)
    table.events.changed()
    return (
        f"The share is number {len(record.codes)} of cycle {record.cycle}; its code is"
        f" {record.codes[-1]}."
    )


class Answer(Value):
    """Answer a prompt by its id. The least role is the prompt's own."""

    prompt: str = Field(max_length=64)
    value: str = Field(max_length=500)


def _activities_of_answer(table: CommandedTable, given: Answer) -> tuple[str, ...] | None:
    prompt = table.prompts.find(given.prompt)
    if prompt is None or table.guide.is_done_by_simulated_people(prompt, given.value):
        return None
    return ENTERED.get(prompt.kind, STEPS)


def _role_of_prompt(status: Status, given: Answer) -> UserRole | None:
    return next((each.role for each in status.prompts if each.id == given.prompt), None)


@command(
    "answer",
    Answer,
    UserRole.PLAYER,
    # The id of a prompt is not valid after a restart, so a repeated answer has no effect then.
    is_repeatable=True,
    activities=_activities_of_answer,
    target_role=_role_of_prompt,
    target="answer this prompt",
    example={"prompt": "p7", "value": "done"},
)
async def answer(table: CommandedTable, given: Answer, actor: Actor) -> str:
    """Answer an open prompt."""
    prompt = table.prompts.find(given.prompt)
    if prompt is not None:
        require_role(actor, prompt.role, "This prompt")
        lead = table.lead.other_leader(actor.client)
        if prompt.kind == "fault" and lead is not None:
            raise CommandRefusedError(
                "lead",
                f"{lead.name} leads this recovery.",
                "Take the lead first, if that person agrees.",
            )
    daemon = table.run.daemon
    corrects = daemon is not None and daemon.hand is not None and daemon.hand.is_correcting
    if prompt is not None and prompt.kind == "act" and corrects:
        raise CommandRefusedError(
            "correcting", "Actions are being taken back.", "Wait for the next prompt."
        )
    fresh = table.prompts.answer(given.prompt, given.value)
    return "The answer is taken." if fresh else "This answer was given before."


MOST_HANDS = 1_000_000
"""No session has more hands than this; a longer number is refused before it is used."""


class ReportResult(Value):
    """Say how a hand has ended; `hand` names an earlier hand of the session, to correct it."""

    result: dict[str, object] = Field(
        description="The fields of the form in `question` of the status, or of an earlier result."
    )
    hand: int | None = Field(
        default=None, ge=1, le=MOST_HANDS, description="Null: the hand that is over now."
    )
    reason: str = Field(
        default="", max_length=200, description="Why the earlier result was wrong; needed then."
    )


@command(
    "report_result",
    ReportResult,
    UserRole.PLAYER,
    activities=lambda table, given: (),
    example={"result": {"winner": 2}},
)
async def report_result(table: CommandedTable, given: ReportResult, actor: Actor) -> str:
    """Report how the hand has ended, or correct the result of an earlier hand."""
    daemon, book = require_daemon(table), table.sessions.last_book
    if book is None:
        raise CommandRefusedError("no_session", "No session has begun yet.", "Start one first.")
    question = daemon.results.open_hand
    name = question.name if question is not None and given.hand is None else ""
    if given.hand is not None:
        name = hand_name(book.id, given.hand)
    if question is None or name != question.name:
        require_role(actor, UserRole.DEALER, "The correction of a result")
        if not given.reason.strip():
            raise CommandRefusedError(
                "reason", "A correction needs a reason.", "Say why the earlier result was wrong."
            )
    await daemon.results.report(given.result, actor.name, name or None, given.reason.strip())
    return "The result is taken."


class Correct(Value):
    """Take back the last acts of the hand that the table follows, because one was wrong."""

    acts: int = Field(ge=1, le=1000)
    reason: str = Field(default="", max_length=200)


@command("correct", Correct, UserRole.DEALER, activities=lambda table, given: ("play",))
async def correct(table: CommandedTable, given: Correct, actor: Actor) -> str:
    """Take back the last acts of the hand."""
    daemon = require_daemon(table)
    if table.prompts.takes_answer("act"):
        raise CommandRefusedError(
            "action_entered",
            "An action was entered at this moment.",
            "Look at the actions, and correct them again.",
        )
    daemon.correct(given.acts, actor.name, given.reason)
    last = "action is" if given.acts == 1 else f"{given.acts} actions are"
    return f"The last {last} taken back."


@command("pause", NoArguments, UserRole.PLAYER, stops=True, not_stored=PAUSE_NOT_STORED, example={})
async def pause(table: CommandedTable, given: NoArguments, actor: Actor) -> str:
    """Pause the table: every output becomes safe."""
    require_daemon(table)
    table.runs.pause()
    return "The table is paused."


@command("resume", NoArguments, UserRole.PLAYER)
async def resume(table: CommandedTable, given: NoArguments, actor: Actor) -> str:
    """Resume the table after a commanded pause."""
    if not require_daemon(table).is_held:
        raise CommandRefusedError("not_paused", "No person has paused the table.")
    table.runs.resume()
    return "The table resumes."


class Automatic(Value):
    """On a simulated table: whether the simulated people choose and act by themselves."""

    on: bool


@command("automatic", Automatic, UserRole.PLAYER)
async def automatic(table: CommandedTable, given: Automatic, actor: Actor) -> str:
    """Let simulated people act, or act in their place."""
    table.guide.set_automatic(on=given.on)
    table.events.changed()
    return "The simulated people act." if given.on else "People act."


@command("take_lead", NoArguments, UserRole.ATTENDANT)
async def take_lead(table: CommandedTable, given: NoArguments, actor: Actor) -> str:
    """Lead the recovery from this client."""
    before = table.lead.take(actor)
    table.lead_watch.watch()
    over = f" from {before.name}" if before is not None else ""
    return f"{actor.name} takes the lead of the recovery{over}."


@command("release_lead", NoArguments, UserRole.ATTENDANT)
async def release_lead(table: CommandedTable, given: NoArguments, actor: Actor) -> str:
    """Let another client lead."""
    if not table.lead.release(actor.client):
        raise CommandRefusedError("lead", "This client does not lead the recovery.")
    table.lead_watch.watch()
    return "The lead is free."


class ClearFault(Value):
    """Start the table after a fault; with `abandon` people put every tile away first."""

    abandon: bool = False


@command("clear_fault", ClearFault, UserRole.ATTENDANT)
async def clear_fault(table: CommandedTable, given: ClearFault, actor: Actor) -> str:
    """Start the table after a fault."""
    if table.state.status.state != "fault":
        raise CommandRefusedError("no_fault", "The table has no fault.")
    require_unlocked(table)
    fault = table.feed.status.fault
    if fault is not None:
        require_role(actor, fault.role, f"The fault {fault.code}")
    table.runs.clear_fault(abandon=given.abandon)
    return "The table starts again."


@command("stop_service", NoArguments, UserRole.TECHNICIAN, stops=True)
async def stop_service(table: CommandedTable, given: NoArguments, actor: Actor) -> str:
    """Stop the service safely."""
    table.runs.stop()
    return "The service stops."
