"""Writes docs/reference/COMPATIBILITY.md from the versions of all formats."""

from __future__ import annotations

from dataclasses import dataclass

from controller.cli.commands.version import program_version
from controller.cli.output.format_versions import formats

_INTRODUCTION = """\
# Compatibility

Each format has a version of its own. A release raises it when older programs would read the new
files in a wrong way, and only then. `wallwright version --json` prints the versions of the program.

```console
$ wallwright version --json
{
  "program": "PROGRAM",
...
```

- **Older files** are read by every later program, as the table says. `tests/samples/` has small
  files of each release, written by its program; `tests/test_format_samples.py` reads all of them.
- **Newer files** are refused with a sentence that names the versions, and nothing is changed. So a
  table that goes back to an earlier release keeps its records: start the newer program again, or
  restore a backup of before.
- **Releases of one minor version** (0.2.1, 0.2.2) change no format.

| format | in `version --json` | version | since | older versions | a newer version |
|---|---|---|---|---|---|
"""

_END = """
The documents of the formats: [PROTOCOL.md](PROTOCOL.md) (wire), [AUDIT.md](../regulate/AUDIT.md)
(log, bundle, receipt), [CHANCE.md](../regulate/CHANCE.md) (records of random choices),
[EVENTS.md](EVENTS.md) (events), [API.md](API.md) (API and status),
[BACKUP.md](../operate/BACKUP.md), [DOCTOR.md](../operate/DOCTOR.md),
[SERVICE.md](../operate/SERVICE.md#a-signed-installation) (manifest).

**Release 0.1** wrote journals of version 1, streams of events without a version, and used protocol
1 with its boards. It had no service: no sessions, accounts, audit log or backups.

**The storage of a board** has no number in `version --json`. Firmware 2 (the field `firmware` of
Identity) reads the serial number, the key and the log of firmware 1, and numbers its starts from
65,537 on; the board has no limits until it is provisioned again. Do not write firmware 1 to
such a board again: it counts its starts with 16 bits. Firmware 3 also reads the reference that
`wallwright firmware calibrate` writes; firmware 2 leaves it as it is and uses the nominal one.
"""


@dataclass(frozen=True)
class FormatRow:
    """A format: its title, the release of its version, what is read of older and newer ones."""

    title: str
    since: str
    older: str
    newer: str


ROWS = {
    "wire": FormatRow(
        "wire protocol of the boards",
        "0.2",
        "refused: write the program's firmware with `wallwright firmware flash`",
        "refused in the same way; nothing moves",
    ),
    "journal": FormatRow(
        "journal",
        "0.2",
        "1 (0.1: without batches) is read and continued",
        "refused when it is opened",
    ),
    "sessions": FormatRow(
        "sessions (`evening.db`)", "0.2", "there is none", "refused at the start"
    ),
    "accounts": FormatRow(
        "accounts (`accounts.sqlite`)",
        "0.3",
        "1 (0.2: without the maker of a token) and 2 (without the time for which the service has"
        " run) are changed at the start",
        "refused at the start",
    ),
    "audit_log": FormatRow("audit log", "0.2", "there is none", "locked: the table does not play"),
    "audit_bundle": FormatRow(
        "bundle of the audit log", "0.2", "there is none", "`wallwright verify` refuses it"
    ),
    "receipt": FormatRow(
        "receipt",
        "0.3",
        "1 (0.2: without the log's first event) is verified",
        "`wallwright verify` refuses it",
    ),
    "chance_record": FormatRow(
        "record of random choices",
        "0.3",
        "1 (0.2: the list of choices is not committed to) is verified with that limit",
        "its verification refuses it",
    ),
    "backup": FormatRow("backup", "0.2", "there is none", "refused, also for newer files in it"),
    "manifest": FormatRow(
        "signed manifest", "0.2", "there is none", "refused: the program does not start"
    ),
    "firmware_signature": FormatRow(
        "signature of a firmware image", "0.2", "there is none", "its signature does not verify"
    ),
    "events": FormatRow(
        "stream of events", "0.2", "0.1 had no version", "readers look at `events_version`"
    ),
    "api": FormatRow("API", "0.2", "there is none", "another path: `/api/v2`"),
    "status": FormatRow("status", "0.2", "there is none", "clients look at `version`"),
    "doctor_report": FormatRow(
        "report of the doctor", "0.2", "0.1 had no version", "readers look at `report_version`"
    ),
}
"""What the page says of each format, by its name in `version --json`."""


def page() -> str:
    """Return the text of docs/reference/COMPATIBILITY.md."""
    versions = formats()
    lines = [
        f"| {row.title} | `{name}` | {versions[name]} | {row.since} | {row.older} | {row.newer} |"
        for name, row in ROWS.items()
    ]
    introduction = _INTRODUCTION.replace("PROGRAM", program_version())
    return introduction + "\n".join(lines) + "\n" + _END
