"""State machine of the table: its states and transitions, as tables.

While the table is running, there are three parallel regions: `mode` (going, paused or servicing),
`under` (preparing the next set) and `top` (playing the present set). While the table is homing,
`mode` is the only region. An activity takes a transition (`enter`) before it acts; while the table
is paused, `enter` waits. Callbacks only report a change and the work is done by tasks, so an
emergency stop never waits for a callback.
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
"""States of `top` between raised walls and play; their order depends on the game."""

Rows = tuple[tuple[str, tuple[str, ...], str], ...]
"""Rows of trigger, source states and destination state."""

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
"""Triggers that are refused while the table is paused."""
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
    """The present state does not allow a trigger."""


class TableMachine:
    """The present state of the table: `above`, and the state of each region while it runs.

    `changed(under, top)` is called after every transition, in order. Both arguments are equal in a
    state without these regions and while the table is paused or serviced.
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
        """The top-level state, one of `ABOVE`."""
        return self._states[0].split("_", 1)[0]

    @property
    def mode(self) -> str:
        """`going`, `paused` or `servicing` while the table homes or runs; else `above`."""
        return self._region("mode")

    @property
    def under(self) -> str:
        """The state of the region `under`, also while paused; `above` if there is no region."""
        return self._region("under")

    @property
    def top(self) -> str:
        """The state of the region `top`, also while paused; `above` if there is no region."""
        return self._region("top")

    async def enter(self, trigger: str) -> None:
        """Take a transition; while the table is paused, wait first.

        Raises TransitionRefusedError as `fire` does.
        """
        while not self._may_act():
            await self._going.wait()
        self.fire(trigger)

    def fire(self, trigger: str) -> None:
        """Take a transition at once.

        Raises TransitionRefusedError, with state and trigger, if the state does not allow it.
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
        """The full name of the state in every region."""
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
