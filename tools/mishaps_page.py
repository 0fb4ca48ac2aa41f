"""Writes docs/MISHAPS.md from the kinds of injected faults."""

from __future__ import annotations

from functools import cache

from config.loader import load_table, table_names
from config.schema import Table
from firmware_bridge.sim.faults.kind import FaultKind
from firmware_bridge.sim.faults.kinds import KINDS

MOST_PARTS = 20
"""More than that are not listed one by one."""

_INTRODUCTION = """\
# Mishaps

A simulated table can have every fault that a real one has. This page is generated from
`firmware_bridge/sim/faults/kinds.py`; change that, then run `make docs`.

```console
$ wallwright run --fault jam:head2#30 --fault weak_motor:lift1
$ wallwright run --faults docs/campaigns/evening.yaml --rounds 3
$ wallwright board --pty --fault board_silent:base@40~5
```

Nothing above the board knows of them: the controller sees what the sensors, the motors' currents
and the boards' own faults show, and no more. Tiles stay what they are: a jammed one sticks at its
counter, a dropped one lies on the felt, a missing one on the floor. A real table has its own
faults, so `--port` takes none of this.

## How a mishap is written

`KIND:PART`, then when, then how much:

| text | when |
|---|---|
| `jam:head2@12.5` | once, at the first occasion from 12.5 s on, counted from the table's power-on |
| `jam:head2#30` | once, at the 30th occasion |
| `dirty_sensor:head3:0.02` | at each occasion with this probability |
| `weak_motor:lift1` | at each occasion, until somebody mends it |
| `host_stall:host@20~3` | `~` is how long it lasts or how bad it is; each kind says in what |

Where the occasion is *each change of an output*, whatever is ordered at `@` a time comes exactly
then. A part that the table does not have is refused, with those that it has.

A file holds a list of them, as texts or as mappings of `kind`, `part`, one of `at`, `nth` and
`rate`, and `size`: `docs/campaigns/evening.yaml`.

The seed settles all of it: the same seed and the same mishaps give the same run. Each mishap has
chances of its own, so that one does not shift the others.

## Who mends it

The people at a simulated table help when they are asked: they come after 20 to 60 s, look at the
part that is named, put right what they find there, and say that it is done. Some mishaps the
machine can cure by itself.

## The kinds
"""


def page() -> str:
    """The whole page."""
    return _INTRODUCTION + "".join(f"\n{_section(kind)}" for kind in KINDS.values())


def _section(kind: FaultKind) -> str:
    facts = {
        "parts": _parts(kind),
        "occasion": kind.occasion,
        "what the sensors show": kind.shows,
        "cure": kind.cure,
    }
    if kind.measure:
        usual = f"; usually {kind.usual:g}" if kind.usual else ""
        facts["`~`"] = f"{kind.measure}{usual}"
    rows = "".join(f"| {name} | {fact} |\n" for name, fact in facts.items())
    return f"### {kind.name}\n\n{kind.does}\n\n| | |\n|---|---|\n{rows}"


@cache
def _tables() -> tuple[Table, ...]:
    return tuple(load_table(name) for name in table_names())


def _parts(kind: FaultKind) -> str:
    """The parts of all tables together; of too many, those that are short for another."""
    tables = _tables()
    found = {part: site for table in tables for part, site in kind.parts(table).items()}
    if len(found) <= MOST_PARTS:
        return ", ".join(f"`{part}`" for part in sorted(found))
    short = ", ".join(f"`{part}`" for part in sorted(found) if found[part] != part)
    return f"each by its channel's name in the table's file; also {short}"
