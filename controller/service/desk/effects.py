"""Waits until what a person has entered is on disk, before the reply says that it is done.

An answer, a correction and a share take effect in the run, which adds them to the journal: an
action and a correction as an intent, the outcome of a step or of a question as an outcome. A kill
before that loses them. So the reply waits for the first such record after the command, and for its
sync. Usually both take one sync. A table that is paused can take longer: the reply then says that
the command takes effect later.

A press of the lid's key is not among them. It is not repeated after a restart: the lid moves near
people's hands, so people press the key again (docs/decisions/0049).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from controller.run.journal import JournalError
from controller.service.desk.known_replies import FREE_SPACE
from controller.service.requests import CommandRefusedError

if TYPE_CHECKING:
    from controller.run.run_state import RunState
    from controller.service.requests import CommandRequest
    from controller.service.table_service import TableService

LONGEST = 0.5
"""Real seconds for which a reply waits until the effect is on disk (our choice)."""
NOT_ON_DISK = "It is not on disk yet: if the service restarts now, it has to be given again."
STEPS = ("play", "top")
ENTERED: Mapping[str, tuple[str, ...]] = {"act": STEPS, "fault": ("asked", "fault")}
"""By kind of prompt: the activities of the journal to which its answer adds a record."""


@dataclass(frozen=True)
class Effect:
    """What a command will have added to the journal: a record after the first `number`.

    The records are those of the `activities`; with none, the command has added its record itself.
    """

    run_state: RunState
    activities: tuple[str, ...]
    number: int

    async def on_disk(self, pace: float) -> bool:
        """Wait until the record is on disk; returns False after `LONGEST`.

        Raises CommandRefusedError if the journal cannot be written.
        """
        try:
            async with asyncio.timeout(LONGEST * pace):
                await self.run_state.on_disk_after(self.activities, self.number)
        except TimeoutError:
            return False
        except JournalError as error:
            raise CommandRefusedError("not_stored", str(error), FREE_SPACE) from error
        return True


def effect_of(service: TableService, request: CommandRequest) -> Effect | None:
    """The effect that a command will have; None if it has none in the journal. Call it before."""
    if service.daemon is None:
        return None
    run_state = service.daemon.run_state
    match request.name:
        case "answer":
            prompt = service.prompts.find(str(request.arguments.get("prompt")))
            if prompt is None or service.guide.is_done_by_simulated_people(
                prompt, str(request.arguments.get("value"))
            ):
                return None
            activities = ENTERED.get(prompt.kind, STEPS)
        case "correct":
            activities = ("play",)
        case "add_share":
            activities = ()
        case _:
            return None
    return Effect(run_state, activities, run_state.added(activities))
