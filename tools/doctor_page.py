"""Writes docs/operate/DOCTOR.md from the checks of `wallwright doctor`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from controller.upkeep.doctor.checks import CHECKS
from controller.upkeep.doctor.finding import DoctorCheck
from controller.upkeep.doctor.report import REPORT_VERSION

_INTRODUCTION = f"""\
# The doctor

`wallwright doctor` checks the computer, the program and the records of a table. It reads facts
and prints findings: problems first, then notes, then what is in order. It changes nothing, with one
exception: damaged copies of a journal that no run has open are repaired from intact ones. With
`--port` it also asks the boards on a port for their identity, which changes nothing in them.

```console
$ wallwright doctor                                 # the computer and the program
$ wallwright doctor --data /var/lib/wallwright/data # also the records of an installed service
$ wallwright doctor --journal table.journal         # the journal of `wallwright run`
$ wallwright doctor --port /dev/ttyUSB0             # also the boards on a free port
$ wallwright doctor --all --json                    # everything, for people or programs
```

While a service runs, its journal, its ports and its boards are left alone. Run the command as the
user of the service: it then sees what the service sees. Each command that a check starts has 3 s. A
fact that this computer does not report is printed as *not known here* (`--all`), and is no problem.

| exit code | meaning |
|---|---|
| 0 | no problem; there can be notes |
| 1 | at least one problem |
| 2 | the command line is not valid, or a file is not a journal |

## The report as JSON

`--json` prints one object. Programs can rely on these keys as long as `report_version` is
{REPORT_VERSION}; keys can be added.

| key | value |
|---|---|
| `report_version` | {REPORT_VERSION} |
| `program`, `python`, `identity` | the versions, and the identity of the software or `not signed` |
| `problems` | the number of findings of the severity `problem` |
| `findings` | a list of findings |
| `journal` | null without a journal; otherwise the state of the journal |

A finding has `check`, `group`, `outcome`, `severity` (`ok`, `note` or `problem`), `what` (a
sentence with the value), `rule` and `next_step`. `outcome` is `ok`, `unknown` (not known here), or
one of those below. Sentences can change; names of checks and outcomes do not.

The state of the journal has `copies`, `devices`, `state` (`intact`, `repaired`, `locked`, `in use`,
`missing` or `not opened`), `records`, `messages`, and `unfinished` (null, or the interrupted run
with `started`, `facts`, `steps` and `unconfirmed`).

## All checks

This part is generated from `controller/upkeep/doctor/checks/`; change that, then run `make docs`.
Each outcome has a test in `tests/controller/upkeep/doctor/test_checks.py`.
"""


def page() -> str:
    """Return the text of docs/operate/DOCTOR.md."""
    lines = [_INTRODUCTION]
    for group in dict.fromkeys(check.group for check in CHECKS):
        lines += [f"### {group}", ""]
        for check in CHECKS:
            if check.group == group:
                lines += _entry(check)
    return "\n".join(lines)


def _entry(check: DoctorCheck) -> Iterator[str]:
    yield f"**`{check.name}`**: {check.rule}"
    yield ""
    if check.outcomes:
        yield "| outcome | severity | when | next step |"
        yield "|---|---|---|---|"
        for name, outcome in check.outcomes.items():
            step = _as_text(outcome.next_step)
            yield f"| `{name}` | {outcome.severity} | {outcome.when} | {step} |"
        yield ""


def _as_text(step: str) -> str:
    """The next step with its placeholders in capital letters."""
    named = re.sub(r"(?<!\{)\{(\w+)\}(?!\})", lambda found: found[1].upper(), step)
    return named.replace("{{", "{").replace("}}", "}").replace("|", "\\|")
