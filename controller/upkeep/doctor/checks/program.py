"""Checks of the program: Python, its identity, its plug-ins, other packages, update slots."""

from __future__ import annotations

from collections.abc import Iterator

from controller.records.identity.boot import NOT_SIGNED
from controller.upkeep.doctor.facts import Facts
from controller.upkeep.doctor.finding import DoctorCheck, Observed, note, ok, problem, seen, unknown

GROUP = "Program"


def _python(facts: Facts) -> Iterator[Observed]:
    program = facts.program
    what = f"wallwright {program.version}, Python {program.python}"
    major, minor, *_ = (*program.python.split("."), "0")
    if (int(major), int(minor)) < (3, 11):
        yield seen("old", what)
    else:
        yield ok(what)


def _identity(facts: Facts) -> Iterator[Observed]:
    identity = facts.program.identity
    if identity == NOT_SIGNED:
        yield ok("The program is not signed, as in a checkout: its files are not compared.")
    else:
        yield ok(f"The program's files are those of the signed manifest {identity}.")


def _packages(facts: Facts) -> Iterator[Observed]:
    for package in facts.program.foreign:
        what = f"There is another package '{package.name}' in {package.place}."
        yield seen(
            "shadows" if package.first else "behind",
            what,
            name=package.name,
            place=package.place,
        )
    if not facts.program.foreign:
        yield ok("No other package has the name of one of this program's.")


def _plugins(facts: Facts) -> Iterator[Observed]:
    for sentence in facts.program.broken_plugins:
        yield seen("broken", sentence)
    names = ", ".join(facts.program.plugins)
    if not facts.program.broken_plugins:
        yield ok(f"Plug-ins: {names or 'none is installed'}.")


def _slots(facts: Facts) -> Iterator[Observed]:
    slots = facts.program.slots
    if slots is None:
        yield unknown("Slots of the updates")
    elif slots.defect:
        yield seen("defect", slots.defect)
    elif slots.trial_starts is not None:
        what = f"The slot {slots.current} is on trial, after {slots.trial_starts} starts."
        yield seen("trial", what)
    else:
        yield ok(f"The slot {slots.current} runs and is confirmed.")


CHECKS = (
    DoctorCheck(
        "python",
        GROUP,
        "The program needs Python 3.11 or newer.",
        _python,
        {"old": problem("Python is older", "Install Python 3.11 or newer, then the program.")},
    ),
    DoctorCheck(
        "identity",
        GROUP,
        "A signed program is compared with its manifest; a changed one does not start.",
        _identity,
        {},
    ),
    DoctorCheck(
        "packages",
        GROUP,
        "Python imports the first package of a name; it must be the program's own.",
        _packages,
        {
            "shadows": problem(
                "another package is found first",
                "Remove {name} from {place}, or take this folder out of PYTHONPATH; install the"
                " program in an environment of its own.",
            ),
            "behind": note(
                "another package is found later",
                "Nothing, while the program is found first. To be safe, install it in an"
                " environment of its own.",
            ),
        },
    ),
    DoctorCheck(
        "plugins",
        GROUP,
        "Every installed plug-in can be loaded.",
        _plugins,
        {"broken": problem("a plug-in cannot be loaded", "Repair or uninstall its package.")},
    ),
    DoctorCheck(
        "update_slots",
        GROUP,
        "The slot that runs is confirmed; one on trial is rolled back after three starts.",
        _slots,
        {
            "trial": note(
                "an update is on trial",
                "If the table works, run `wallwright update confirm`; otherwise `wallwright update"
                " roll-back`.",
            ),
            "defect": problem(
                "the state of the slots cannot be read", "Do what the reported sentence says."
            ),
        },
    ),
)
