"""Counts what the events of a table report, since the service started."""

from __future__ import annotations

from collections import Counter

from controller.events import Event
from controller.web.metrics.catalogue import ASSIST_LIMITS
from controller.web.metrics.distribution import Histogram
from controller.web.metrics.label_values import CODES, bounded
from controller.web.metrics.phase_times import PhaseTimes, StateTimes

_JAM = "JAM"
_FORGOTTEN = "FORGOTTEN"
"""The fault whose assists do not count for the mean time to assist, as in the statistics."""


class Observation:
    """The counts of one table. `at` is the time of its clock when the observation begins."""

    def __init__(self, service_state: str, at: float) -> None:
        self.service = StateTimes(service_state, at)
        """Times in the states of the service."""
        self.machine = PhaseTimes(at)
        self.faults: Counter[str] = Counter()
        self.jams = 0
        self.assists = Histogram(ASSIST_LIMITS)
        """Times from a prompt about a fault to its answer."""
        self.sets_built = 0
        self.tiles_lifted = 0
        self.board_resets: Counter[str] = Counter()
        self.copies_repaired = 0
        self.scrapes = 0
        self._asked: dict[tuple[str, str], float] = {}

    def on_event(self, event: Event) -> None:
        """Take an event of the table."""
        at = float(str(event["t"]))
        match event:
            case {"event": "state", "under": str(under), "top": str(top)}:
                self.machine.update(at, under, top)
            case {"event": "fault", "code": code}:
                self.faults[bounded(code, CODES)] += 1
                self.jams += code == _JAM
            case {"event": "recovered", "code": code}:
                self.jams += code == _JAM
            case {"event": "set_built", "counted": int(counted)}:
                self.sets_built += 1
                self.tiles_lifted += counted
            case {"event": "board_reset", "board": str(board)}:
                self.board_resets[board] += 1
            case {"event": "journal_copy_repaired"}:
                self.copies_repaired += 1
            case {"event": "operator_prompted" | "prompt_answered" | "prompt_withdrawn"}:
                self._take_prompt(str(event["event"]), event, at)

    def _take_prompt(self, name: str, event: Event, at: float) -> None:
        prompt = (str(event["code"]), str(event["part"]))
        if name == "operator_prompted":
            self._asked[prompt] = at
            return
        asked = self._asked.pop(prompt, None)
        if name == "prompt_answered" and asked is not None and prompt[0] != _FORGOTTEN:
            self.assists.add(max(0.0, at - asked))
