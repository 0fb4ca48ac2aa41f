"""The table's state machine, as two tables: the states and the transitions.

Two regions run in parallel while the table is running: `under` prepares the next set, `top` plays
the one in hand. Above both stand the states in which nothing is played. Callbacks only report a
change; the work is done by tasks, so an emergency stop never waits behind one.

A paused table remembers both regions. What an activity finishes meanwhile counts when the table
goes on, in order; whatever is asked of it then, it answers as the region that it will be in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from transitions.core import MachineError
from transitions.extensions.nesting import HierarchicalMachine, NestedState

from rules.errors import WallwrightError

UNDER = ("idle", "gathering", "shuffling", "building", "staged")
TOP = (
    "clear",
    "raising",
    "throwing",
    "cutting",
    "dealing",
    "turning",
    "replacing",
    "playing",
    "collecting",
)
ABOVE = ("offline", "testing", "homing", "paused", "servicing", "fault", "stopped")

SETTING_UP = ("throwing", "cutting", "dealing", "turning", "replacing")
"""States of `top` between raised walls and play; a game passes through them in its own order."""

# (trigger, sources, destination)
UNDER_TRANSITIONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("gather", ("idle", "staged"), "gathering"),
    ("shuffle", ("gathering",), "shuffling"),
    ("build", ("shuffling",), "building"),
    ("stage", ("building",), "staged"),
    ("hand_up", ("staged",), "idle"),
)
TOP_TRANSITIONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("raise_walls", ("clear",), "raising"),
    ("begin_throwing", ("raising", *SETTING_UP), "throwing"),
    ("begin_cutting", ("raising", *SETTING_UP), "cutting"),
    ("begin_dealing", ("raising", *SETTING_UP), "dealing"),
    ("begin_turning", ("raising", *SETTING_UP), "turning"),
    ("begin_replacing", ("raising", *SETTING_UP), "replacing"),
    ("begin_play", ("raising", *SETTING_UP), "playing"),
    ("collect", ("playing", "clear"), "collecting"),
    ("clear_top", ("collecting",), "clear"),
)
ABOVE_TRANSITIONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("connect", ("offline",), "testing"),
    ("home", ("testing",), "homing"),
    ("run", ("homing",), "running"),
    ("pause", ("running",), "paused"),
    ("service", ("paused",), "servicing"),
    ("finish_service", ("servicing",), "paused"),
    ("resume", ("paused", "fault"), "running"),
    ("fail", ("testing", "homing", "running", "paused", "servicing"), "fault"),
    ("stop", ("testing", "homing", "running", "paused", "servicing", "fault"), "stopped"),
    ("reset", ("stopped", "fault"), "testing"),
)
TRIGGERS = frozenset(
    trigger
    for table in (UNDER_TRANSITIONS, TOP_TRANSITIONS, ABOVE_TRANSITIONS)
    for trigger, _, _ in table
)


REGION_TRANSITIONS = {"under": UNDER_TRANSITIONS, "top": TOP_TRANSITIONS}
_REGION_OF = {
    trigger: region for region, table in REGION_TRANSITIONS.items() for trigger, _, _ in table
}


def _states() -> list[Any]:
    running = {
        "name": "running",
        "parallel": [
            {"name": "under", "children": list(UNDER), "initial": "idle"},
            {"name": "top", "children": list(TOP), "initial": "clear"},
        ],
    }
    return [*ABOVE, running]


def _transitions() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for prefix, table in (
        ("running_under_", UNDER_TRANSITIONS),
        ("running_top_", TOP_TRANSITIONS),
        ("", ABOVE_TRANSITIONS),
    ):
        for trigger, sources, destination in table:
            rows.append(
                {
                    "trigger": trigger,
                    "source": [prefix + source for source in sources],
                    "dest": prefix + destination,
                }
            )
    return rows


class TransitionRefusedError(WallwrightError, RuntimeError):
    """A trigger that the present state does not allow."""


class TableMachine:
    """Where the table is: `above` all, and in both regions while it runs.

    `changed(under, top)` is told every change, in order.
    """

    def __init__(self, changed: Callable[[str, str], None]) -> None:
        self._changed = changed
        self._remembered: dict[str, str] | None = None
        """Both regions of a paused table, as they will be when it goes on."""
        self._paused_at: tuple[str, str] = ("idle", "clear")
        self._kept: list[str] = []
        """What the activities have finished meanwhile."""
        self.state: Any = None
        self._machine = HierarchicalMachine(
            self,
            states=_states(),
            transitions=_transitions(),
            initial="offline",
            queued=True,
            auto_transitions=False,
            send_event=True,
            after_state_change=self._report,
        )
        self._machine.events["pause"].add_callback("before", self._remember)
        self._machine.events["resume"].add_callback("after", self._go_on)
        for trigger in ("fail", "stop"):
            self._machine.events[trigger].add_callback("after", self._forget)

    @property
    def above(self) -> str:
        """The state as a whole: `running`, or one of the states in which nothing is played."""
        first = self.state[0] if isinstance(self.state, list) else self.state
        return str(first).split("_", 1)[0]

    @property
    def under(self) -> str:
        """What happens below, also of a paused table; else the state as a whole."""
        return self._region("under")

    @property
    def top(self) -> str:
        """What happens on top, also of a paused table; else the state as a whole."""
        return self._region("top")

    def fire(self, trigger: str) -> None:
        """Take a transition. Raises Refused, naming state and trigger, where there is none."""
        if trigger not in TRIGGERS:
            raise TransitionRefusedError(self._sentence(trigger))
        if self._remembered is not None and trigger in _REGION_OF:
            self._keep(trigger, self._remembered)
            return
        try:
            taken = self.trigger(trigger)  # type: ignore[attr-defined]
        except MachineError as error:
            raise TransitionRefusedError(self._sentence(trigger)) from error
        if not taken:
            raise TransitionRefusedError(self._sentence(trigger))

    def _keep(self, trigger: str, remembered: dict[str, str]) -> None:
        """Remember what an activity finished while the table is paused."""
        region = _REGION_OF[trigger]
        for name, sources, destination in REGION_TRANSITIONS[region]:
            if name == trigger and remembered[region] in sources:
                remembered[region] = destination
                self._kept.append(trigger)
                return
        raise TransitionRefusedError(self._sentence(trigger))

    def _remember(self, _event: object) -> None:
        """Before a pause."""
        self._paused_at = (self.under, self.top)
        self._remembered = {"under": self.under, "top": self.top}

    def _forget(self, _event: object) -> None:
        """Paused no more, and no way back."""
        self._remembered = None
        self._kept.clear()

    def _go_on(self, _event: object) -> None:
        """A table that goes on is where it was paused; then what it kept happens, in order."""
        if self._remembered is None:
            return
        under, top = self._paused_at
        self._machine.set_state([f"running_under_{under}", f"running_top_{top}"], self)
        kept = tuple(self._kept)
        self._forget(_event)
        for trigger in kept:
            self.trigger(trigger)  # type: ignore[attr-defined]

    def _sentence(self, trigger: str) -> str:
        return f"'{trigger}' is not possible while under is {self.under} and top is {self.top}."

    def _region(self, name: str) -> str:
        if self._remembered is not None:
            return self._remembered[name]
        if isinstance(self.state, list):
            for state in self.state:
                prefix = f"running_{name}_"
                if state.startswith(prefix):
                    return str(state.removeprefix(prefix))
        return str(self.state)

    def _report(self, _event: object) -> None:
        whole = self.above
        if whole != "running":
            self._changed(whole, whole)
        else:
            self._changed(self.under, self.top)


NestedState.separator = "_"
