"""The starter: checks the slot that runs, from outside of it, and starts its program.

Without arguments it counts a start of a slot on trial, and rolls back after too many; a supervisor
calls it so as root before each start. With arguments it starts the program as `wallwright` with
these arguments; the program must be the one of its manifest.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from controller.records.identity.boot import trust_folder
from controller.records.identity.manifest import IdentityError
from controller.upkeep.update.slots import RUN, Slots, UpdateError


def main(root: Path, arguments: Sequence[str]) -> int:
    """Count a start, or start the program; returns the exit code if it does not run."""
    trust = trust_folder()
    if trust is None:
        return _fail("The signers of the program are not installed: /etc/wallwright/identity.")
    slots = Slots(root, trust)
    try:
        if not arguments:
            sentence = slots.begin_start()
            if sentence is not None:
                print(sentence, file=sys.stderr)  # noqa: T201 - the supervisor's log
            return 0
        slots.require_whole(slots.current)
    except OSError as error:
        return _fail(f"{root} cannot be written ({error.strerror}); run the starter as root.")
    except (UpdateError, IdentityError) as error:
        return _fail(str(error))
    program = os.fspath(slots.program(slots.current))
    command = [sys.executable, "-I", "-B", "-c", RUN, program, *arguments]
    return os.execv(sys.executable, command)  # noqa: S606 - the program that was checked


def _fail(sentence: str) -> int:
    print(sentence, file=sys.stderr)  # noqa: T201 - the supervisor's log
    return 1
