"""Writes docs/floor/CASINO_HOST.md: checks of the program by GAT, and the codes of SAS and G2S."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from controller.casino.host_map import COMMANDS, FAULTS, G2S, GROUPS, OTHERS, SAS, HostRow

_INTRODUCTION = """\
# A casino's host

- [Checks of the program](#checks-of-the-program-gat): a terminal of the casino or of a regulator
  checks over a serial line that the table runs the approved program (GAT).
- [Codes for events](#codes-for-events): SAS exceptions and G2S event codes for all events.

There is no protocol for money: the table takes no coins, notes, tickets or transfers.

## Checks of the program (GAT)

A Game Authentication Terminal sends a random seed; the machine answers with a hash over the seed
and its program, which the terminal compares with the answer of a reference copy.

```console
$ wallwright casino gat --port /dev/ttyUSB1                   # on the table: answers until Ctrl-C
$ wallwright casino gat-query --port /dev/ttyUSB0             # a terminal: asks with a new seed
$ wallwright casino gat-query --port /dev/ttyUSB0 --functions # the components of the table
$ wallwright identity challenge SEED --json                   # the answers of a reference copy
```

`wallwright serve --gat PORT` answers beside the service of the table, and records each check in the
audit log (`gat_started`, `gat_complete`, `gat_failed`). `casino gat` prints each check as a line of
JSON with the time, the seed and the answers, or the reason of a failure. Both need a
[signed installation](../operate/SERVICE.md#a-signed-installation). A process of the lowest priority
reads the files, so that play is not delayed; a calculation has 20 minutes.

**A matching answer proves less than it seems to.** The machine computes its answer itself: a
program that was exchanged could keep the files of the approved one and hash those. The answer shows
which files are on the disk of a computer that runs the approved program. To be certain, read the
disk from another computer.

| | |
|---|---|
| line | 9600 baud, 8 data bits, no parity, 1 stop bit, no handshake; a null-modem cable |
| frame | command (1 byte), length of the whole frame (1), data (0 to 251), checksum (2) |
| checksum | CRC-16, polynomial 0xA001 (reflected), start 0xFFFF, high byte first |
| numbers | high byte first |
| silence | after 0.1 s without a byte, the rest of a frame is not awaited any more |
| damaged frame | no answer; the terminal repeats its query |

| query | data | response | data |
|---|---|---|---|
| 01 status | - | 81 | version 03 50, state (1 byte), formats 02: XML |
| 02 last status | - | 82 | level (1), seconds since the last calculation (4) |
| 03 last results | format (1), frame's number (2) | 83 | marks (1), number (2), up to 248 bytes |
| 04 start | level (1), parameter | 84 | answer (1) |

| state | meaning | | mark, answer | meaning |
|---|---|---|---|---|
| 04 | idle, no result | | 83: bit 0 | no such frame, no result, or a format that is not offered |
| 09 | calculating | | 83: bit 1 | the last frame |
| 06 | a result can be read | | 84: 03 | accepted and started |
| 0C | the last request failed or was refused | | 84: 04, 00 | this level is not offered; refused |

Frames of a result are numbered from 1. Without a result, level and seconds are 0.
A request during a calculation is refused (answer 00), and the calculation goes on. Levels are BA
(hexadecimal), with a zero byte and one of these texts as the parameter (`<TAB>` between the parts),
and 01, with the seed alone, for all components:

| text | result |
|---|---|
| `Get Special Functions` | the list of these texts, at once |
| `Get File<TAB>AuthenticationResponse.xml<TAB>SEED` | the answers of all components |
| `Component<TAB>NAME<TAB>SEED` | the answer of one component |

SEED is 16 to 64 bytes in hexadecimal; a request without a seed is refused, because its answer could
have been stored before. A component is a root of the manifest, such as `controller`, and
`all files` is all of them. The answer is the SHA-256 over the name and the HMAC-SHA-256 of every
file with the seed as the key: the 64 digits that `wallwright identity challenge` prints. The list
of functions has the mark `%%SHA1_HMAC%%`, for which terminals insert a seed of 20 bytes; it does
not name our algorithm.

There are other open implementations: Monaco (a machine) and GatHost (a terminal). Frames, states
and texts here are those on which these two and a published description of a shuffler agree; the
protocol's own document was not at hand. The refusal during a calculation is our choice: Monaco
begins again. No terminal of a laboratory has been connected yet.

## Codes for events

A slot floor reports events of its machines by the Slot Accounting System (SAS) or by Game To System
(G2S). This page gives the code of both for every event that a table records, so that a gateway can
report a table like any other machine. Wallwright speaks neither protocol. A gateway reads the
events from `GET /audit/events` ([API.md](../reference/API.md)) or from the floor's broker, and the
map as JSON:

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
    """Return the text of docs/floor/CASINO_HOST.md."""
    return "\n".join([_INTRODUCTION, *_sections(), *_meanings()])


def _sections() -> Iterator[str]:
    yield "### Events of the audit log"
    yield ""
    yield (
        "The events are described in [AUDIT.md](../regulate/AUDIT.md) and"
        " [EVENTS.md](../reference/EVENTS.md)."
    )
    yield ""
    for title, rows in GROUPS.items():
        yield from _table(f"#### {title}", "event", rows)
    yield from _table("#### Without an event of the audit log", "occurrence", OTHERS)
    yield "### Faults"
    yield ""
    yield "The codes of the event `fault`, by the fault's code ([FAULTS.md](../operate/FAULTS.md))."
    yield ""
    yield from _table("", "fault", FAULTS.values())
    yield "### Commands"
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
    yield "### Meanings of the codes"
    yield ""
    for name, codes in (("SAS", SAS), ("G2S", G2S)):
        yield f"| {name} | meaning |"
        yield "|---|---|"
        for code, meaning in codes.items():
            yield f"| `{code}` | {meaning} |"
        yield ""
