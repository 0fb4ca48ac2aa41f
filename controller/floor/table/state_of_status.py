"""The state of a table as the floor sees it, from the status of its service."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from controller.floor.messages.payloads import (
    MOST_DRIFT,
    MOST_NEEDS,
    DriftWarning,
    FaultState,
    Need,
    TableState,
)
from controller.records.audit.log.event_line import time_text
from controller.service.status import Status

REMEMBERED = 200
"""Times that are remembered, so that a prompt keeps the time at which it was first seen."""


def _computer_time() -> datetime:
    return datetime.now(UTC)


class ClockTimes:
    """Converts seconds of the table's clock to texts of the computer's time.

    The same seconds always give the same text, also after the computer's clock was set.
    """

    def __init__(self, pace: float = 1.0, wall: Callable[[], datetime] = _computer_time) -> None:
        self._pace, self._wall = pace, wall
        self._known: OrderedDict[float, str] = OrderedDict()

    def text(self, seconds: float, now: float) -> str:
        """The time at `seconds` of the table's clock, which is now at `now`."""
        known = self._known.get(seconds)
        if known is None:
            ago = timedelta(seconds=max(0.0, now - seconds) / self._pace)
            known = self._known[seconds] = time_text(self._wall() - ago)
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return known


def state_of_status(
    status: Status, now: float, times: ClockTimes, drift: Sequence[tuple[str, str]] = ()
) -> TableState:
    """The state at `now` seconds of the table's clock. `drift` has parts and sentences."""
    needs = sorted(status.prompts, key=lambda prompt: prompt.since)
    fault = status.fault
    session = status.session
    return TableState(
        service=status.service.state,
        sentence=status.service.sentence[:500],
        under=status.machine.under[:20],
        top=status.machine.top[:20],
        mode=status.machine.mode[:20],
        game="" if session is None else session.title[:60],
        rounds=status.counts.rounds,
        tiles_expected=status.tiles.expected,
        tiles_accounted=status.tiles.accounted,
        out_of_play=status.service.out_of_play,
        fault=None
        if fault is None
        else FaultState(
            code=fault.code[:60],
            part=fault.part[:100],
            evidence=fault.evidence[:500],
            cure=fault.cure[:500],
            role=fault.role.value,
            since=times.text(fault.since, now),
        ),
        needs=tuple(
            Need(
                who=prompt.role.value,
                sentence=prompt.text[:500],
                since=times.text(prompt.since, now),
            )
            for prompt in needs[:MOST_NEEDS]
        ),
        drift=tuple(
            DriftWarning(part=part[:100], sentence=sentence[:500])
            for part, sentence in drift[:MOST_DRIFT]
        ),
    )
