"""Commands of service mode, in which a technician moves, tests and calibrates parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from controller.service.commands.command import (
    CommandedTable,
    NoArguments,
    command,
    require_serving,
    require_unlocked,
)
from controller.service.port import Actor, CommandRefusedError
from controller.service.status import Value
from controller.service.user_roles import UserRole
from controller.upkeep.service_mode.mode_status import ServiceModeRefusalError, ServiceModeStatus

if TYPE_CHECKING:
    from controller.service.service_mode_shift import ServiceModeShift
    from controller.upkeep.service_mode.service_mode import ServiceMode


@command("enter_service_mode", NoArguments, UserRole.TECHNICIAN)
async def enter_service_mode(table: CommandedTable, given: NoArguments, actor: Actor) -> str:
    """Enter service mode, in which the table is not playable."""
    require_serving(table)
    require_unlocked(table)
    if table.sessions.book is not None:
        raise CommandRefusedError("session", "A session is in progress.", "End it first.")
    if table.run.shift is not None:
        raise CommandRefusedError(
            "service_mode", f"{table.run.shift.name} has entered service mode already."
        )
    shift = _shift_of(table, actor.name)
    table.runs.enter_service_mode(shift)
    await shift.wait_begun()
    if shift.failure:
        raise CommandRefusedError("not_entered", shift.failure, "Remove the cause, try again.")
    return "Service mode begins; the table is not playable."


def _shift_of(table: CommandedTable, name: str) -> ServiceModeShift:
    """A stay in service mode. Raises ChoiceRefusedError if no game fits the table."""
    # Service mode needs modules that no answer to a client needs: the start is faster.
    from controller.service.service_mode_shift import (  # noqa: PLC0415
        ServiceModeShift,
    )

    game = table.run.tiles_on_table

    def show(status: ServiceModeStatus | None) -> None:
        table.run.mode_status = status
        table.events.changed()

    return ServiceModeShift(
        name,
        table.run.table,
        game,
        lambda: table.runs.opener.open_for_service(game, table.guide),
        table.state.clock,
        show,
        table.settings,
    )


@command("leave_service_mode", NoArguments, UserRole.TECHNICIAN)
async def leave_service_mode(table: CommandedTable, given: NoArguments, actor: Actor) -> str:
    """Leave service mode; moved parts return, and the state before is restored."""
    shift = _require_shift(table)
    shift.leave()
    await shift.wait_over()
    defects = shift.departure.defects if shift.departure is not None else ()
    return " ".join(["Service mode is over.", *defects])


class Jog(Value):
    """Begin or renew a jog. It ends 300 ms after the last renewal.

    `press` differs from press to press of the button, so that a late renewal has no effect.
    """

    channel: str = Field(max_length=60)
    direction: Literal["forward", "reverse"]
    speed: int = Field(ge=1, le=1000, description="Permille of the highest speed.")
    press: str = Field(default="", max_length=40)


@command("jog", Jog, UserRole.TECHNICIAN, is_repeatable=True, press=lambda given: str(given.press))
async def jog(table: CommandedTable, given: Jog, actor: Actor) -> str:
    """Move a motor or axis while the button is held."""
    from controller.upkeep.service_mode.jogging import Press  # noqa: PLC0415 - loads the boards

    with _service_mode(table) as mode:
        press = Press(actor.client, actor.name, given.press)
        await mode.jog(given.channel, given.direction, given.speed, press)
    return f"{given.channel} is jogged."


class StopJog(Value):
    """End this client's jog; with `press`, only the jog of this press, also before it begins."""

    press: str = Field(default="", max_length=40)


@command("stop_jog", StopJog, UserRole.TECHNICIAN, stops=True)
async def stop_jog(table: CommandedTable, given: StopJog, actor: Actor) -> str:
    """End this client's jog."""
    with _service_mode(table) as mode:
        await mode.stop_jog(actor.client, given.press)
    return "The jog has ended."


class Home(Value):
    """Home one motor or axis; an empty name homes every part."""

    channel: str = Field(default="", max_length=60)


@command("home", Home, UserRole.TECHNICIAN)
async def home(table: CommandedTable, given: Home, actor: Actor) -> str:
    """Home a part, or every part."""
    with _service_mode(table) as mode:
        mode.home(given.channel)
    return f"Homing of {given.channel or 'every part'} begins."


class RunTest(Value):
    """Run the test programme of a station, as the status lists it."""

    station: str = Field(max_length=60)


@command("run_test", RunTest, UserRole.TECHNICIAN)
async def run_test(table: CommandedTable, given: RunTest, actor: Actor) -> str:
    """Run a station's test programme."""
    with _service_mode(table) as mode:
        mode.run_test(given.station)
    return f"The test programme of {given.station} begins."


class Calibrate(Value):
    """Begin a calibration, as the status lists it."""

    kind: str = Field(max_length=40)
    target: str = Field(default="", max_length=60)


@command("calibrate", Calibrate, UserRole.TECHNICIAN)
async def calibrate(table: CommandedTable, given: Calibrate, actor: Actor) -> str:
    """Measure a part and propose a value for it."""
    with _service_mode(table) as mode:
        mode.calibrate(given.kind, given.target)
    return "The calibration begins."


class AnswerServiceQuestion(Value):
    """Answer the question of a test programme or a calibration."""

    question: str = Field(max_length=20)
    value: str = Field(max_length=40)


@command("answer_service_question", AnswerServiceQuestion, UserRole.TECHNICIAN)
async def answer_service_question(
    table: CommandedTable, given: AnswerServiceQuestion, actor: Actor
) -> str:
    """Answer the question of a test programme or a calibration."""
    with _service_mode(table) as mode:
        mode.answer(given.question, given.value)
    return "The answer is taken."


@command("stop_activity", NoArguments, UserRole.TECHNICIAN, stops=True)
async def stop_activity(table: CommandedTable, given: NoArguments, actor: Actor) -> str:
    """Stop every motion of service mode, and what is in progress."""
    with _service_mode(table) as mode:
        await mode.stop_jog()
        await mode.stop_activity()
    return "Everything is stopped."


@command("clear_board_faults", NoArguments, UserRole.TECHNICIAN)
async def clear_board_faults(table: CommandedTable, given: NoArguments, actor: Actor) -> str:
    """Clear the latched faults of the boards in service mode."""
    with _service_mode(table) as mode:
        await mode.clear_faults()
    return "The faults of the boards are cleared."


class ProposedChangeId(Value):
    """Confirm or discard the proposed change of the table's file, by its id."""

    change: str = Field(max_length=20)


@command("confirm_change", ProposedChangeId, UserRole.TECHNICIAN)
async def confirm_change(table: CommandedTable, given: ProposedChangeId, actor: Actor) -> str:
    """Write the proposed change to the table's file."""
    with _service_mode(table) as mode:
        mode.confirm_change(given.change)
    return "The table's file is changed; the next start of the service uses it."


@command("discard_change", ProposedChangeId, UserRole.TECHNICIAN)
async def discard_change(table: CommandedTable, given: ProposedChangeId, actor: Actor) -> str:
    """Discard the proposed change."""
    with _service_mode(table) as mode:
        mode.discard_change(given.change)
    return "The change is discarded."


def _require_shift(table: CommandedTable) -> ServiceModeShift:
    if table.run.shift is None:
        raise CommandRefusedError(
            "no_service_mode", "The table is not in service mode.", "Enter it first."
        )
    return table.run.shift


@contextmanager
def _service_mode(table: CommandedTable) -> Iterator[ServiceMode]:
    """Service mode, whose refusals become those of the command. Raises CommandRefusedError."""
    mode = _require_shift(table).mode
    if mode is None:
        raise CommandRefusedError("not_begun", "Service mode has not begun yet.", "Wait.")
    try:
        yield mode
    except ServiceModeRefusalError as refusal:
        raise CommandRefusedError(refusal.code, refusal.sentence, refusal.next_step) from refusal
