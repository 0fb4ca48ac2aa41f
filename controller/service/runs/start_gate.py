"""The moment from which clients get answers: the recovery and the self-tests have ended."""

from __future__ import annotations

from collections.abc import Callable

from controller.events import Event, EventName

_BEFORE = ("offline", "testing")
"""States of the machine before its self-tests have ended."""


class StartGate:
    """Closed at the start of the service, and opened once.

    It opens when the boards have passed their self-tests after an earlier run was read from the
    journal; when no run is to be recovered; and when the start needs a person, because of a fault,
    a prompt or a pause.
    """

    def __init__(self) -> None:
        self.is_open = False
        self._waiting: list[Callable[[], None]] = []

    def when_open(self, act: Callable[[], None]) -> None:
        """Call `act` when the gate opens; at once if it is open."""
        if self.is_open:
            act()
        else:
            self._waiting.append(act)

    def open(self) -> None:
        """Open the gate."""
        self.is_open = True
        while self._waiting:
            self._waiting.pop(0)()

    def on_event(self, event: Event) -> None:
        """Take an event of the table."""
        match event:
            case {"event": EventName.STATE, "top": str(top)} if top not in _BEFORE:
                self.open()
            case {
                "event": EventName.OPERATOR_PROMPTED
                | EventName.PAUSED
                | EventName.FAULT
                | EventName.PUT_AWAY_REQUESTED
            }:
                self.open()
