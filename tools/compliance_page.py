"""Writes the requirements of docs/regulate/COMPLIANCE.md, each with the tests that show it.

A test that shows the requirement R5 is named `test_R5_...`. A requirement without such a test is an
error, unless it is in `PENDING`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tools.fit_matrices import with_blocks
from tools.named_tests import linked, tests


class Requirement(NamedTuple):
    """A requirement in our words, its sources, and how the project meets it."""

    text: str
    sources: str
    answer: str


REQUIREMENTS: Mapping[str, Requirement] = {
    "R1": Requirement(
        "The random choices of the machine are independent, have the intended distribution and"
        " cannot be predicted; statistical tests at 99 % confidence show it.",
        "Greece art. 23; AGCO 21.1; 25 CFR 547.14; New Mexico 15.1.7.13; Maryland 36.05.02.17"
        " (95 %, for shufflers)",
        "One source for all choices of the machine, with health tests (`controller/run/chance`).",
    ),
    "R2": Requirement(
        "No two devices, and no device twice, produce the same choices, and no setting makes one"
        " repeat them.",
        "25 CFR 547.14",
        "Each source is personalised for its device and gets new entropy; only simulations have a"
        " seed.",
    ),
    "R3": Requirement(
        "The permutations that the game uses are tested, not only single numbers.",
        "25 CFR 547.14",
        "The laboratory tests the orders of tiles and the throws that are made of the choices.",
    ),
    "R4": Requirement(
        "A draw that was interrupted is kept until the machine has recovered, and is never drawn"
        " again.",
        "AGCO 21.1",
        "A choice is in the journal before it is used, and boards keep the last throw of the dice.",
    ),
    "R5": Requirement(
        "After an interruption the machine returns to the state immediately before it.",
        "New Zealand and Australia 2004, 1.17.1",
        "A new host replays the journal and compares it with the sensors and the boards.",
    ),
    "R6": Requirement(
        "A fault that is present when the power fails is shown after the power returns, and still"
        " locks the machine.",
        "New Zealand and Australia 2004, 1.17.3",
        "Open faults are in the journal; the resumed run asks a person before anything moves.",
    ),
    "R7": Requirement(
        "The machine communicates with the outside only after its recovery and its self-tests have"
        " ended.",
        "New Zealand and Australia 2004, 1.17.5",
        "The service gives no address before that, and answers every request with `503 starting`.",
    ),
    "R8": Requirement(
        "Critical data exists in at least three logical copies on two physical devices. It is"
        " checked after each restart, after a change of the configuration, and before and after"
        " each game. Data that cannot be repaired does not clear itself.",
        "New Zealand and Australia 2003, 2.4.7; 2004, 1.15.6 and 1.15.10",
        "The journal has three copies, one of them on the device of `--journal-copy`; each run"
        " checks them, and damage in all copies locks the table.",
    ),
    "R9": Requirement(
        "The last ten games can be shown with all outcomes, also one that has not ended; starts and"
        " openings of doors are counted.",
        "Oklahoma 325:85-15-18",
        "`wallwright audit rounds` lists them from the signed log ([AUDIT.md](AUDIT.md)); `audit`"
        " in the status has the counts. No shipped table has a sensor of a door except the lid.",
    ),
    "R10": Requirement(
        "The machine permits no play during a test; afterwards the earlier state is restored.",
        "New Zealand 3.7; 25 CFR 547.8",
        "Service mode is a state of its own that refuses sessions and restores the state before.",
    ),
    "R11": Requirement(
        "The machine permits no play while a fault exists that affects the outcome.",
        "25 CFR 547.8(b)(3)",
        "A fault pauses or stops the table; a session, an action and a deal wait for its cure,"
        " which the sensors must confirm.",
    ),
    "R12": Requirement(
        "Critical software is verified at the start before it runs, at intervals and on demand; the"
        " report cannot be changed; a part that fails stops and is named.",
        "AGCO 3.1 and 6.1",
        "A signed manifest of all files, outside of what it checks, and challenges with a seed"
        " ([a signed installation](../operate/SERVICE.md#a-signed-installation)).",
    ),
    "R13": Requirement(
        "A peripheral disables itself when it loses its host, and proves its identity when it"
        " starts.",
        "AGCO 6.1",
        "Every output of a board depends on a lease that the host renews; host and board prove"
        " their key at each start and in each session.",
    ),
    "R14": Requirement(
        "Significant events are reported at once; while the connection is interrupted they are"
        " kept, and sent afterwards.",
        "AGCO 6.1",
        "Every significant event is in the signed log, with an index and without gaps. The status"
        " has the number of events; a client reads those that it does not have by"
        " `GET /audit/events` ([AUDIT.md](AUDIT.md)).",
    ),
    "R15": Requirement(
        "The documents state who may clear which fault; an alarm can be heard for at least 1.5 s.",
        "New Zealand 1.8.4 h and 1.10.42",
        "Each row of [the faults](../operate/FAULTS.md) names the least role, which the service"
        " checks; the buzzer sounds for 1.5 s when the table asks for a person.",
    ),
    "R16": Requirement(
        "A device that inspects prints a receipt with maker, model, serial number, operator, time"
        " and result.",
        "New Jersey 13:69E-1.18A",
        "Receipts of each round and each shuffle cycle, which the signed log proves"
        " ([AUDIT.md](AUDIT.md)); `serve --nameplate` gives maker, model and serial number.",
    ),
    "R17": Requirement(
        "Nothing leaves the device that helps to predict the game.",
        "Maryland 36.05.02.17 G",
        "No answer of the API to any role contains a tile that players cannot see.",
    ),
    "R18": Requirement(
        "The cut is chosen before the dice are thrown; afterwards it is refused.",
        "New Zealand Gazette 1998 No 20; 58 Pa. Code 621a",
        "The prompt for the cut opens before the throw and takes no answer after it.",
    ),
}
PENDING = frozenset[str]()
"""Requirements that have no test of their own yet. A row that gets one must leave this set."""
_NAME = re.compile(r"test_((?:[Rr]\d+_)+)")


def _shown_by(test: str) -> list[str]:
    """The requirements in the name of a test; it may begin with several, as in `test_R1_R3_`."""
    found = _NAME.match(test)
    return found[1].upper().strip("_").split("_") if found else []


def tests_of(requirement: str) -> list[str]:
    """The names of the tests of one requirement, sorted."""
    return sorted(name for name in tests() if requirement in _shown_by(name))


def unproven() -> list[str]:
    """A sentence for each row whose tests do not agree with `PENDING`, or without a row."""
    found = {row for name in tests() for row in _shown_by(name)}
    return [
        *(f"{row} has no test test_{row}_...; write one." for row in _rows() - found - PENDING),
        *(f"{row} has a test; remove it from PENDING." for row in sorted(PENDING & found)),
        *(f"There is no requirement {row}; rename its tests." for row in sorted(found - _rows())),
    ]


def _rows() -> set[str]:
    return set(REQUIREMENTS)


def page() -> str:
    """The page. Raises LookupError if a row has no test."""
    if wrong := unproven():
        raise LookupError(" ".join(sorted(wrong)))
    return with_blocks("docs/regulate/COMPLIANCE.md", {"requirements": _sections})


def _sections() -> Iterator[str]:
    yield ""
    yield from map(_section, REQUIREMENTS)


def _section(name: str) -> str:
    row = REQUIREMENTS[name]
    shown = [f"- {linked(test)}" for test in tests_of(name)]
    return "\n".join(
        [
            f"## {name}",
            "",
            row.text,
            "",
            f"*Asked by:* {row.sources}.",
            "",
            f"*Met by:* {row.answer}",
            "",
            "*Shown by:*" if shown else "*Shown by:* no test of its own yet.",
            *(["", *shown] if shown else []),
            "",
        ]
    )
