"""The table's state machine, as tables: the states and the transitions.

While the table is running, three regions are parallel: `mode` says whether the table is going,
paused or being serviced; `under` prepares the next set; `top` plays the one in hand. While every
part is homed there is the region `mode` alone. An activity asks the machine before it acts
(`enter`): at a paused table it waits until the table is going again. Callbacks only report a
change; the work is done by tasks, so an emergency stop never waits behind one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from transitions.core import MachineError
from transitions.extensions.nesting import HierarchicalMachine, NestedState

from rules.errors import WallwrightError

MODE = ("going", "paused", "servicing")
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
ABOVE = ("offline", "testing", "homing", "running", "fault", "stopped")

SETTING_UP = ("throwing", "cutting", "dealing", "turning", "replacing")
"""States of `top` between raised walls and play; a game passes through them in its own order."""

Rows = tuple[tuple[str, tuple[str, ...], str], ...]
"""Trigger, the states it leads from, the state it leads to."""

MODE_TRANSITIONS: Rows = (
    ("pause", ("going",), "paused"),
    ("service", ("paused",), "servicing"),
    ("finish_service", ("servicing",), "paused"),
    ("resume", ("paused",), "going"),
)
UNDER_TRANSITIONS: Rows = (
    ("gather", ("idle", "staged"), "gathering"),
    ("shuffle", ("gathering",), "shuffling"),
    ("build", ("shuffling",), "building"),
    ("stage", ("building",), "staged"),
    ("hand_up", ("staged",), "idle"),
)
TOP_TRANSITIONS: Rows = (
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
ABOVE_TRANSITIONS: Rows = (
    ("connect", ("offline",), "testing"),
    ("home", ("testing",), "homing"),
    ("run", ("homing",), "running"),
    ("fail", ("testing", "homing", "running"), "fault"),
    ("stop", ("testing", "homing", "running"), "stopped"),
)
UNDER_WAY = ("testing", "homing", "running")
"""States from which a table can fail or be stopped."""
ONLY_GOING = frozenset(row[0] for row in (*UNDER_TRANSITIONS, *TOP_TRANSITIONS)) | {"run"}
"""Triggers that a paused table refuses."""
TRIGGERS = frozenset(
    trigger
    for table in (MODE_TRANSITIONS, UNDER_TRANSITIONS, TOP_TRANSITIONS, ABOVE_TRANSITIONS)
    for trigger, _, _ in table
)


def _states() -> list[Any]:
    mode = {"name": "mode", "children": list(MODE), "initial": "going"}
    return [
        *(state for state in ABOVE if state not in ("homing", "running")),
        {"name": "homing", "parallel": [mode]},
        {
            "name": "running",
            "parallel": [
                mode,
                {"name": "under", "children": list(UNDER), "initial": "idle"},
                {"name": "top", "children": list(TOP), "initial": "clear"},
            ],
        },
    ]


def _transitions(going: Callable[[object], bool]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for prefix, table in (
        ("homing_mode_", MODE_TRANSITIONS),
        ("running_mode_", MODE_TRANSITIONS),
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
                    "conditions": [going] if trigger in ONLY_GOING else [],
                }
            )
    return rows


class TransitionRefusedError(WallwrightError, RuntimeError):
    """A trigger that the present state does not allow."""


class TableMachine:
    """Where the table is: `above` all, and in each region while it runs.

    `changed(under, top)` is called at every change, in order; in a state without those regions, and
    in a paused or serviced table, with that state twice.
    """

    def __init__(self, changed: Callable[[str, str], None]) -> None:
        self._changed = changed
        self._going = asyncio.Event()
        """Set while the table is not paused."""
        self._going.set()
        self.state: Any = None
        self._machine = HierarchicalMachine(
            self,
            states=_states(),
            transitions=_transitions(self._may_act),
            initial="offline",
            queued=True,
            auto_transitions=False,
            send_event=True,
            after_state_change=self._report,
        )

    @property
    def above(self) -> str:
        """The state as a whole."""
        return self._states[0].split("_", 1)[0]

    @property
    def mode(self) -> str:
        """`going`, `paused` or `servicing` while the table homes or runs; else the whole state."""
        return self._region("mode")

    @property
    def under(self) -> str:
        """What happens below, also of a paused table; else the state as a whole."""
        return self._region("under")

    @property
    def top(self) -> str:
        """What happens on top, also of a paused table; else the state as a whole."""
        return self._region("top")

    async def enter(self, trigger: str) -> None:
        """Take a transition as soon as the table is going.

        Raises TransitionRefusedError as `fire` does.
        """
        while not self._may_act():
            await self._going.wait()
        self.fire(trigger)

    def fire(self, trigger: str) -> None:
        """Take a transition.

        Raises TransitionRefusedError, naming state and trigger, where there is none.
        """
        if trigger not in TRIGGERS or (trigger in ONLY_GOING and not self._may_act()):
            raise TransitionRefusedError(self._sentence(trigger))
        try:
            taken = self.trigger(trigger)  # type: ignore[attr-defined]
        except MachineError as error:
            raise TransitionRefusedError(self._sentence(trigger)) from error
        if not taken:
            raise TransitionRefusedError(self._sentence(trigger))

    @property
    def _states(self) -> Sequence[str]:
        """The state of every region, under its full name."""
        return [self.state] if isinstance(self.state, str) else list(self.state)

    def _region(self, name: str) -> str:
        for state in self._states:
            _, _, within = state.partition("_")
            if within.startswith(f"{name}_"):
                return within.removeprefix(f"{name}_")
        return self.above

    def _may_act(self, _event: object = None) -> bool:
        return self.mode not in ("paused", "servicing")

    def _sentence(self, trigger: str) -> str:
        paused = "" if self._may_act() else f" and the table is {self.mode}"
        where = f"under is {self.under} and top is {self.top}"
        return f"'{trigger}' is not possible while {where}{paused}."

    def _report(self, _event: object) -> None:
        if self._may_act():
            self._going.set()
            self._changed(self.under, self.top)
        else:
            self._going.clear()
            self._changed(self.mode, self.mode)


NestedState.separator = "_"
