"""The two slots of the program, the pointer to the one that runs, and the trial of a new one.

The folder of the updates contains:

- `a/` and `b/`: the slots, each a whole program;
- `a.manifest.json` and `b.manifest.json`: their signed manifests. A slot without one is empty;
- `current`: a symbolic link to the slot that runs, replaced in one step;
- `trial.json`: exists from the switch to a new slot until the slot is confirmed;
- `root.json`: the trusted keys of the updates; `metadata/`: the newest metadata seen;
- `session.lock`: locked while a session or an update is in progress, so that one excludes the
  other. The operating system releases the lock when the process ends, however it ends;
- `boot/`: the starter, which belongs to no slot.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from config import file_locks
from config.durable_files import point, remove_file, replace_file
from controller.records.identity.boot import MANIFEST, SIGNERS
from controller.records.identity.manifest import (
    IdentityError,
    Manifest,
    read_manifest,
    require_no_differences,
)
from rules.errors import WallwrightError


class UpdateError(WallwrightError):
    """The update is not installed; the program that runs is unchanged. One sentence says why."""


SESSION_LOCK = "session.lock"


class SessionLock:
    """The lock in the folder of the updates. It needs no right to write the file."""

    def __init__(self, root: Path) -> None:
        self._file = root / SESSION_LOCK
        self._descriptor: int | None = None

    def hold(self) -> bool:
        """Take the lock, or keep it; False if another process has it."""
        if self._descriptor is not None:
            return True
        descriptor = os.open(self._file, os.O_RDONLY | os.O_CLOEXEC)
        try:
            file_locks.lock(descriptor)
        except OSError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Release the lock, if it is held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def lock_of(program: Path) -> SessionLock | None:
    """The lock of the slots in which a program is; None if it is in no slot.

    Raises UpdateError for a lock that this user cannot hold: the first session would fail.
    """
    root = program.parent
    file = root / SESSION_LOCK
    if not file.exists():
        return None
    if not os.access(file, os.R_OK):
        raise UpdateError(
            f"{file} cannot be read by the user of the service. Give it the service's group: sudo"
            f" chgrp GROUP {file}; sudo chmod 640 {file}."
        )
    return SessionLock(root)


@contextmanager
def without_session(root: Path) -> Iterator[None]:
    """Hold the lock for an update. Raises UpdateError while a session is in progress."""
    lock = SessionLock(root)
    try:
        held = lock.hold()
    except OSError as error:
        raise UpdateError(
            f"{root / SESSION_LOCK} cannot be opened ({error.strerror}). Prepare the folder:"
            " wallwright update prepare."
        ) from error
    if not held:
        raise UpdateError(
            "A session is in progress at the table, or another update; no update is installed now."
            " End the session first."
        )
    try:
        yield
    finally:
        lock.release()


SLOTS = ("a", "b")
MOST_STARTS = 3
"""Starts of a new slot that is not confirmed; the next start rolls back."""

RUN = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from controller.cli import main
sys.exit(main())
"""
"""Python code that starts the program of the folder that is its first argument."""


@dataclass(frozen=True)
class SlotTrial:
    """A slot that is tried: the slot before it, and how often the new one was started."""

    slot: str
    previous: str
    starts: int = 0


class Slots:
    """The slots in a folder. `trust` is the folder with the signers of manifests."""

    def __init__(self, root: Path, trust: Path) -> None:
        self.root = root
        self.signers = trust / SIGNERS

    @property
    def current(self) -> str:
        """The slot that runs. Raises UpdateError."""
        try:
            slot = os.readlink(self.root / "current")  # noqa: PTH115 - the text, not a path
        except OSError as error:
            raise UpdateError(
                f"{self.root} has no slots ({error.strerror}). Prepare the folder: wallwright"
                " update prepare."
            ) from error
        if slot not in SLOTS:
            raise UpdateError(
                f"{self.root / 'current'} points to '{slot}' instead of a or b. Install the program"
                " again."
            )
        return slot

    @property
    def other(self) -> str:
        """The slot that does not run. Raises UpdateError."""
        return SLOTS[1 - SLOTS.index(self.current)]

    def program(self, slot: str) -> Path:
        """The folder of a slot's program."""
        return self.root / slot

    def manifest_file(self, slot: str) -> Path:
        """The file of a slot's manifest."""
        return self.root / f"{slot}.{MANIFEST}"

    def manifest(self, slot: str) -> Manifest:
        """The signed manifest of a slot. Raises IdentityError."""
        return read_manifest(self.manifest_file(slot), self.signers)

    def require_whole(self, slot: str) -> Manifest:
        """The manifest of a slot, all of whose files were compared. Raises IdentityError."""
        manifest = self.manifest(slot)
        require_no_differences(manifest.files, manifest.roots, self.program(slot))
        return manifest

    def trial(self) -> SlotTrial | None:
        """The trial of the slot that runs; None if it is confirmed.

        A trial of another slot is left over from a power cut before the switch or after the roll
        back, and does not count.
        """
        try:
            value = json.loads((self.root / "trial.json").read_bytes())
            trial = SlotTrial(value["slot"], value["previous"], value["starts"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UpdateError(
                f"{self.root / 'trial.json'} cannot be read ({error}). Remove it to confirm the"
                " present slot."
            ) from error
        return trial if trial.slot == self.current else None

    def empty(self, slot: str) -> None:
        """Mark a slot as invalid, before its files are changed."""
        remove_file(self.manifest_file(slot))

    def try_slot(self, slot: str) -> None:
        """Switch to a slot; it is on trial until `confirm`."""
        self._note(SlotTrial(slot, self.current))
        point(self.root / "current", slot)

    def confirm(self) -> None:
        """End the trial: the slot that runs stays."""
        remove_file(self.root / "trial.json")

    def roll_back(self) -> str:
        """Switch to the other slot, if it is whole; returns it. Raises IdentityError."""
        slot = self.other
        self.require_whole(slot)
        point(self.root / "current", slot)
        remove_file(self.root / "trial.json")
        return slot

    def begin_start(self) -> str | None:
        """Count a start of a slot on trial; after too many, or if it is damaged, roll back.

        Returns a sentence if the slot before was restored. Raises UpdateError or IdentityError.
        """
        trial = self.trial()
        if trial is None:
            remove_file(self.root / "trial.json")
            return None
        why = f"it was not confirmed in {MOST_STARTS} starts"
        if trial.starts < MOST_STARTS:
            try:
                self.require_whole(trial.slot)
            except IdentityError as error:
                why = str(error)
            else:
                self._note(SlotTrial(trial.slot, trial.previous, trial.starts + 1))
                return None
        restored = self.roll_back()
        return f"The slot {trial.slot} was rolled back to {restored}: {why}"

    def _note(self, trial: SlotTrial) -> None:
        value = {"slot": trial.slot, "previous": trial.previous, "starts": trial.starts}
        replace_file(self.root / "trial.json", json.dumps(value).encode())
