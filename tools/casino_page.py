"""Writes docs/CASINO_HOST.md: the codes of SAS and G2S for a table's events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from controller.casino.command_map import COMMANDS
from controller.casino.event_map import GROUPS, OTHERS
from controller.casino.fault_map import FAULTS
from controller.casino.host_codes import G2S, SAS, HostRow

_INTRODUCTION = """\
# A casino's host

A slot floor reports events of its machines by the Slot Accounting System (SAS) or by Game To System
(G2S). This page gives the code of both for every event that a table records, so that a gateway can
report a table like any other machine. Wallwright speaks neither protocol; it has no coins, notes,
tickets, transfers or jackpots, and no code for them. A gateway reads the events from
`GET /audit/events` ([API.md](API.md)) or from the floor's broker, and the map as JSON:

```console
$ wallwright casino map --json > codes.json
```

SAS and G2S are described in documents that their publishers sell. The codes here are those that
open implementations of both protocols use, and the meanings are in our words. No host and no test
laboratory has checked this map: check it against the protocol's document before a host relies on
it.

Rules of the map: the name of a refused request ends in `_refused` and has the codes of the request,
which are none. A fault is reported once, by the event `fault`; what the table corrects by itself is
not reported. If a row has two codes, the host gets the first one first. Tests compare the map with
all events that the program can record, with all faults and with all commands.
"""


def page() -> str:
    """Return the text of docs/CASINO_HOST.md."""
    return "\n".join([_INTRODUCTION, *_sections(), *_meanings()])


def _sections() -> Iterator[str]:
    yield "## Events of the audit log"
    yield ""
    yield "The events are described in [AUDIT.md](AUDIT.md) and [EVENTS.md](EVENTS.md)."
    yield ""
    for title, rows in GROUPS.items():
        yield from _table(f"### {title}", "event", rows)
    yield from _table("### Without an event of the audit log", "occurrence", OTHERS)
    yield "## Faults"
    yield ""
    yield "The codes of the event `fault`, by the code of the fault ([FAULTS.md](FAULTS.md))."
    yield ""
    yield from _table("", "fault", FAULTS.values())
    yield "## Commands"
    yield ""
    yield "The codes of the event `command` with the reply `done`, by the name of the command."
    yield ""
    yield from _table("", "command", COMMANDS.values())


def _table(title: str, heading: str, rows: Iterable[HostRow]) -> Iterator[str]:
    if title:
        yield title
        yield ""
    yield f"| {heading} | SAS | G2S | note |"
    yield "|---|---|---|---|"
    for row in rows:
        what = f"`{row.what}`" if " " not in row.what else row.what
        yield f"| {what} | {_listed(row.sas)} | {_listed(row.g2s)} | {row.note} |"
    yield ""


def _listed(codes: tuple[str, ...]) -> str:
    return ", ".join(f"`{code}`" for code in codes) or "-"


def _meanings() -> Iterator[str]:
    yield "## Meanings of the codes"
    yield ""
    for name, codes in (("SAS", SAS), ("G2S", G2S)):
        yield f"| {name} | meaning |"
        yield "|---|---|"
        for code, meaning in codes.items():
            yield f"| `{code}` | {meaning} |"
        yield ""
