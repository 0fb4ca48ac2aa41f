"""Writes docs/reference/MACHINE.md from the tables of the state machine.

A diagram (Mermaid) shows the states; tables then list them in words. Rows of a table that have the
same several sources share one choice point in the diagram.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from controller.run.state_machine import (
    ABOVE,
    ABOVE_TRANSITIONS,
    MODE,
    MODE_TRANSITIONS,
    TOP,
    TOP_TRANSITIONS,
    UNDER,
    UNDER_TRANSITIONS,
)

Rows = Sequence[tuple[str, tuple[str, ...], str]]

MEANINGS = {
    "offline": "No board has answered yet.",
    "testing": "Boards identify themselves, are checked and configured.",
    "homing": "Every part moves to a known position.",
    "running": "Both activities run; the region of each gives its state.",
    "going": "Parts can move.",
    "paused": "Nothing moves; activities wait until the pause ends.",
    "servicing": "The table is paused, and an operator is prompted to remove a fault.",
    "fault": "The table has stopped and reports what its sensors did not show.",
    "stopped": "Every output has its safe value.",
    "idle": "No set below: the trays are empty.",
    "gathering": "The lid is open and a set is pushed in.",
    "shuffling": "The lid is closed; the drum mixes the set.",
    "building": "The heads lift tiles out and stack them in the trays.",
    "staged": "The walls stand in the trays, ready to rise.",
    "clear": "The field is empty.",
    "raising": "The lifts bring the walls up.",
    "throwing": "Dice are thrown.",
    "cutting": "The wall is broken or the pile is cut.",
    "dealing": "Packets are delivered to the seats.",
    "turning": "The indicator is turned up.",
    "replacing": "Laid out tiles are replaced, or lots are drawn.",
    "playing": "The hand is played.",
    "collecting": "The played set is pushed into the lid.",
}
"""What happens in each state, for a person at the table."""

_INTRODUCTION = """\
# The table's state machine

This page is generated from the tables in `controller/run/state_machine.py`; change those, then run
`make docs`.

While the table is running, three regions are active in parallel: `mode` is going, paused or
servicing; `under` prepares the next set; `top` plays the current set. While the table is homing,
only the region `mode` is active. Each trigger belongs to one region and changes only that region.
A paused table refuses `run` and every trigger of `under` and `top`: an activity waits until the
mode is going again. A trigger that the tables below do not list for the current states is
refused; the error names the trigger and the states. A test checks that the program takes every
transition.
"""


def page() -> str:
    """Return the text of docs/reference/MACHINE.md."""
    return "\n".join([_INTRODUCTION, *_diagram(), "", *_tables()]).rstrip("\n") + "\n"


# The diagram


def _diagram() -> Iterator[str]:
    yield "```mermaid"
    yield "stateDiagram-v2"
    yield f"    [*] --> {ABOVE[0]}"
    yield from _arrows(ABOVE_TRANSITIONS, "above", 1)
    yield "    state running {"
    yield from _region(MODE, MODE_TRANSITIONS, "mode")
    yield "        --"
    yield from _region(UNDER, UNDER_TRANSITIONS, "under")
    yield "        --"
    yield from _region(TOP, TOP_TRANSITIONS, "top")
    yield "    }"
    yield "```"


def _region(states: Sequence[str], rows: Rows, name: str) -> Iterator[str]:
    yield f"        state {name} {{"
    yield f"            [*] --> {states[0]}"
    yield from _arrows(rows, name, 3)
    yield "        }"


def _arrows(rows: Rows, name: str, depth: int) -> Iterator[str]:
    """Yield an arrow for each source; sources that several rows share get one choice point."""
    indent = "    " * depth
    points: list[tuple[str, ...]] = []
    for trigger, sources, destination in rows:
        if len(sources) == 1 or [row[1] for row in rows].count(sources) == 1:
            for source in sources:
                yield f"{indent}{source} --> {destination}: {trigger}"
            continue
        if sources not in points:
            points.append(sources)
            yield f"{indent}state {name}{len(points)} <<choice>>"
            for source in sources:
                yield f"{indent}{source} --> {name}{len(points)}"
        yield f"{indent}{name}{points.index(sources) + 1} --> {destination}: {trigger}"


# The tables


def _tables() -> Iterator[str]:
    yield "## Above both activities"
    yield ""
    yield from _states(ABOVE)
    yield from _transitions(ABOVE_TRANSITIONS)
    yield "When the table enters `running`, `under` is idle and `top` is clear."
    yield ""
    yield "## `mode`: whether parts can move"
    yield ""
    yield from _states(MODE)
    yield from _transitions(MODE_TRANSITIONS)
    yield "## `under`: the next set"
    yield ""
    yield from _states(UNDER)
    yield from _transitions(UNDER_TRANSITIONS)
    yield "## `top`: the set in play"
    yield ""
    yield from _states(TOP)
    yield from _transitions(TOP_TRANSITIONS)


def _states(states: Iterable[str]) -> Iterator[str]:
    yield "| state | what happens |"
    yield "|---|---|"
    for state in states:
        yield f"| `{state}` | {MEANINGS[state]} |"
    yield ""


def _transitions(rows: Rows) -> Iterator[str]:
    yield "| trigger | from | to |"
    yield "|---|---|---|"
    for trigger, sources, destination in rows:
        yield f"| `{trigger}` | {_list(sources)} | `{destination}` |"
    yield ""


def _list(states: Sequence[str]) -> str:
    texts = [f"`{state}`" for state in states]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"
