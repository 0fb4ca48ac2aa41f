"""Files that a command writes: none may be the journal, a key file, or another output."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from controller.cli.errors import BadInputError
from controller.journal.lines import looks_written

BESIDE = ("", ".lock", ".new")
"""A journal's copy, its lock while a run lasts, and the file that will replace it."""
HEAD = 65_536
"""So many bytes of a file show whether it is a journal."""


def require_separate(
    outputs: Mapping[str, str | None], journal: Iterable[Path] = (), keys: Path | None = None
) -> None:
    """Check that no output overwrites what a run needs; links are followed.

    `outputs` are the files by their options, `-` for standard output; `journal` the paths of its
    copies. Raises BadInput with the option, the file and what it is.
    """
    used: dict[Path, str] = {
        path.with_name(path.name + end): "the journal" for path in journal for end in BESIDE
    }
    if keys is not None:
        used[keys] = "the file of --keys"
    for option, name in outputs.items():
        if name is None or name == "-":
            continue
        file = Path(name)
        if file.exists() and not file.is_file():
            continue  # a device or a pipe, which holds nothing that could be lost
        for path, what in used.items():
            if is_same(file, path):
                raise BadInputError(f"{option} {name} is {what} ({path}); name another file.")
        if is_journal(file):
            raise BadInputError(
                f"{option} {name} is a journal; it would be lost. Name another file."
            )
        used[file] = f"the file of {option}"


def is_same(one: Path, other: Path) -> bool:
    """Whether two paths name one file, through symbolic and hard links, or would."""
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()


def is_journal(file: Path) -> bool:
    """Whether a file that is there is a journal, or a copy of one."""
    if not file.is_file():
        return False
    try:
        with file.open("rb") as opened:
            head = opened.read(HEAD)
    except OSError:
        return False  # writing it will say why
    return looks_written(head) and b'"kind":"' in head
