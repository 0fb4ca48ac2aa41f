"""Commands after a fault, and for the service itself: the lead of a recovery, faults, stopping."""

from __future__ import annotations

from controller.service.commands.command import (
    CommandedTable,
    NoArguments,
    command,
    require_role,
    require_unlocked,
)
from controller.service.requests import Actor, CommandRefusedError
from controller.service.status import Value
from controller.service.user_roles import UserRole


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
