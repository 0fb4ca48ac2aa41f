"""Checks that a file a command writes replaces no journal, key file or earlier result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from controller.cli.errors import BadInputError

BESIDE_A_JOURNAL = ("", ".lock", ".new")
"""Suffixes of a journal copy, of its lock during a run, and of the file that will replace it."""
HEAD = 65_536
"""Number of bytes at the start of a file that are read to recognise a journal."""


def require_separate(
    outputs: Mapping[str, str | None], journal: Iterable[Path] = (), keys: Path | None = None
) -> None:
    """Check that no output file is one that the run reads or writes for another purpose.

    `outputs` maps options to file names, `-` for standard output. `journal` are the paths of the
    journal's copies. Links are followed. Raises BadInputError with the option, the file and its
    purpose.
    """
    used: dict[Path, str] = {
        path.with_name(path.name + suffix): "the journal"
        for path in journal
        for suffix in BESIDE_A_JOURNAL
    }
    if keys is not None:
        used[keys] = "the file of --keys"
    for option, name in outputs.items():
        if name is None or name == "-":
            continue
        file = Path(name)
        if file.exists() and not file.is_file():
            continue  # a device or a pipe has no contents that could be lost
        for path, purpose in used.items():
            if is_same(file, path):
                raise BadInputError(f"{option} {name} is {purpose} ({path}); name another file.")
        if is_journal(file):
            raise BadInputError(
                f"{option} {name} is a journal, which would be lost; name another file."
            )
        used[file] = f"the file of {option}"


def require_new(option: str, name: str | None) -> None:
    """Check that an output file is absent or empty. Raises BadInputError.

    Standard output (`-`), devices and pipes are accepted.
    """
    if name is None or name == "-":
        return
    file = Path(name)
    if file.is_file() and file.stat().st_size:
        raise BadInputError(exists(option, name))


def exists(option: str, name: str) -> str:
    """The error for an output file that has contents already."""
    return (
        f"The file '{name}' exists and is not overwritten; name another file with {option}, or move"
        " that one away."
    )


def is_same(one: Path, other: Path) -> bool:
    """Whether two paths name the same file, or would if it existed; follows links."""
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()


def is_journal(file: Path) -> bool:
    """Whether an existing file is a journal or a copy of one."""
    if not file.is_file():
        return False
    from controller.run.journal.lines import looks_written

    try:
        with file.open("rb") as opened:
            head = opened.read(HEAD)
    except OSError:
        return False  # opening the file for writing will report the reason
    return looks_written(head) and b'"kind":"' in head
