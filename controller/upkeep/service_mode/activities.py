"""The activity of service mode: homing, a test programme or a calibration, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Literal

from controller.run.faults.failures import TableFault
from controller.upkeep.selftest.trial import DisagreementError
from controller.upkeep.service_mode.calibration import CalibrationError
from controller.upkeep.service_mode.mode_status import ActivityStatus, ServiceModeRefusalError
from firmware_bridge.wire.errors import BoardError

Kind = Literal["home", "test", "calibration"]
Report = Callable[[str, Literal["info", "warning", "fault"]], None]
"""Takes a finding: its sentence and its kind."""


class Activities:
    """Runs one activity at a time. `report` takes findings, `changed` is called at changes."""

    def __init__(
        self, clock: Callable[[], float], report: Report, changed: Callable[[], None]
    ) -> None:
        self._clock = clock
        self._report = report
        self._changed = changed
        self._task: asyncio.Task[None] | None = None
        self.status: ActivityStatus | None = None
        """The activity in progress, or None."""

    def check_free(self) -> None:
        """Raise ServiceModeRefusalError while an activity is in progress."""
        if self.status is not None:
            raise ServiceModeRefusalError(
                "busy",
                f"A {self.status.kind} of {self.status.target} is in progress.",
                "Wait for its end, or stop it.",
            )

    def begin(self, kind: Kind, target: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begin an activity. Raises ServiceModeRefusalError."""
        self.check_free()
        self.status = ActivityStatus(kind=kind, target=target, since=round(self._clock(), 3))
        self._task = asyncio.create_task(self._run(work()))
        self._changed()

    def step(self, text: str) -> None:
        """Show what the activity does now."""
        if self.status is not None:
            self.status = self.status.model_copy(update={"step": text})
            self._changed()

    async def stop(self) -> bool:
        """End the activity and wait for its end; returns whether there was one."""
        if self.status is None or self._task is None:
            return False
        self._task.cancel()
        await asyncio.wait({self._task})
        return True

    async def _run(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the work of an activity; what ends it early becomes a finding."""
        try:
            await work
        except (BoardError, TableFault, CalibrationError, DisagreementError) as error:
            self._report(str(error), "fault")
        except ServiceModeRefusalError as refusal:
            self._report(str(refusal), "warning")
        finally:
            self.status = self._task = None
            self._changed()
