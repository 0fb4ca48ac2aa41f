"""Writes docs/build/INJECTED_FAULTS.md from the kinds of injected faults."""

from __future__ import annotations

from functools import cache

from config.loader import load_table, table_names
from config.schema import Table
from firmware_bridge.sim.faults.kinds import KINDS, FaultKind

MOST_PARTS = 20
"""If a kind has more parts than this, the page does not list each one."""

_INTRODUCTION = """\
# Injected faults

A simulated table can simulate the faults of a real one. This page is generated from
`firmware_bridge/sim/faults/kinds.py`; change that, then run `make docs`.

```console
$ wallwright run --fault jam:head2#30 --fault weak_motor:lift1
$ wallwright run --faults docs/build/campaigns/evening.yaml --rounds 3
$ wallwright board --pty --fault board_silent:base@40~5
```

The controller has no access to injected faults: it receives only the readings of the sensors, the
motors' currents and the faults that the boards report. No tile disappears: a jammed tile sticks
at its counter, a dropped tile is on the felt, a missing tile is on the floor. `--port` refuses
`--fault`, because faults are injected only into simulated mechanics.

## How an injected fault is written

`KIND:PART`, then when, then how much:

| text | when |
|---|---|
| `jam:head2@12.5` | once, at the first occasion from 12.5 s on, counted from the table's power-on |
| `jam:head2#30` | once, at the 30th occasion |
| `dirty_sensor:head3:0.02` | at each occasion with this probability |
| `weak_motor:lift1` | at each occasion, until a person repairs it |
| `host_stall:host@20~3` | `~` is its duration or size; each kind below gives the unit |

Where the occasion is *each change of an output*, a fault with `@` occurs exactly at that time. A
part that the table does not have is refused; the error lists the parts that it has.

A file holds a list of injected faults, as texts or as mappings of `kind`, `part`, one of `at`,
`nth` and `rate`, and `size`: `docs/build/campaigns/evening.yaml`.

The seed determines all random values: the same seed and the same injected faults give the same
run. Each injected fault has its own random numbers, so that adding one does not change the
others.

## Who repairs it

The simulated people answer prompts: they arrive after 20 to 60 s, look at the part that the
prompt names, repair what they find there, and confirm. The machine can remove some injected
faults by itself.

## The kinds
"""


def page() -> str:
    """Return the text of docs/build/INJECTED_FAULTS.md."""
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
    """Return the parts that a fault kind can have; of many only those not named as a channel."""
    tables = _tables()
    found = {part: site for table in tables for part, site in kind.parts(table).items()}
    if len(found) <= MOST_PARTS:
        return ", ".join(f"`{part}`" for part in sorted(found))
    short = ", ".join(f"`{part}`" for part in sorted(found) if found[part] != part)
    return f"each by its channel's name in the table's file; also {short}"
