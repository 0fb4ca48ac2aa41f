"""The program itself: Python, its identity, its plug-ins, and other packages of the same names."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path

from controller.records.identity.boot import PROGRAM, SYSTEM, software_identity
from controller.upkeep.doctor.fact_files import FactFiles
from controller.upkeep.update.slots import Slots, UpdateError
from rules.games import PLUGINS

PACKAGES = ("rules", "config", "firmware_bridge", "controller")
"""The import names of this program."""
SLOTS = "/var/lib/wallwright/program"


@dataclass(frozen=True)
class ForeignPackage:
    """A package of another program with one of our names, and whether Python finds it first."""

    name: str
    place: str
    first: bool


@dataclass(frozen=True)
class SlotFacts:
    """The slot that runs, its starts on trial (None if it is confirmed), or a defect."""

    current: str = ""
    trial_starts: int | None = None
    defect: str = ""


@dataclass(frozen=True)
class ProgramFacts:
    """Versions, identity, plug-ins, and what can make Python import something else."""

    version: str
    python: str
    identity: str
    plugins: tuple[str, ...] = ()
    broken_plugins: tuple[str, ...] = ()
    foreign: tuple[ForeignPackage, ...] = ()
    slots: SlotFacts | None = None


def read_program(files: FactFiles) -> ProgramFacts:
    """The facts of the program that runs. Raises IdentityError for a changed manifest."""
    return ProgramFacts(
        _version(),
        platform.python_version(),
        software_identity(),
        tuple(name for name in PLUGINS if not PLUGINS.is_own(name)),
        tuple(PLUGINS.broken),
        foreign_packages(sys.path, PROGRAM),
        read_slots(files.path(SLOTS), files.path(SYSTEM)),
    )


def _version() -> str:
    try:
        return installed_version("wallwright")
    except PackageNotFoundError:
        return "not installed"


def foreign_packages(places: Sequence[str], program: Path) -> tuple[ForeignPackage, ...]:
    """Packages with our names in other folders that Python searches.

    One in a folder before the program's is imported instead of ours. With an editable installation
    the program's folder is searched last.
    """
    folders = [Path(place or ".").resolve() for place in places]
    own = folders.index(program) if program in folders else len(folders)
    return tuple(
        ForeignPackage(name, str(folder), index < own)
        for index, folder in enumerate(folders)
        if folder != program
        for name in _found(folder, PACKAGES)
    )


def _found(folder: Path, names: Iterable[str]) -> list[str]:
    try:
        return [
            name
            for name in names
            if (folder / name / "__init__.py").is_file() or (folder / f"{name}.py").is_file()
        ]
    except OSError:
        return []


def read_slots(root: Path, trust: Path) -> SlotFacts | None:
    """The state of the slots of the updates; None if there are none."""
    if not (root / "current").is_symlink():
        return None
    slots = Slots(root, trust)
    try:
        trial = slots.trial()
        return SlotFacts(slots.current, trial.starts if trial else None)
    except UpdateError as error:
        return SlotFacts(defect=str(error))
