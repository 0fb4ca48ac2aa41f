"""The files of the program as they are on the disk: their digests, and differences to a manifest.

Symbolic links are not followed: the digest of a link is that of its target's name. Compiled modules
(`__pycache__`) are files like all others, because Python executes them.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from controller.records.identity.identity_error import IdentityError

PROGRAM = Path(__file__).resolve().parents[3]
"""The folder that contains the packages of this program."""
NAMED = 3
"""Number of files that a sentence names."""
ALL_FILES = "all files"
"""Name of the answer for all roots together; the name of a root has no space."""
_BLOCK = 1 << 18


class _Digest(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def hexdigest(self) -> str: ...


def digests(roots: Mapping[str, str], program: Path) -> Iterator[tuple[str, str]]:
    """The digest of each file below the roots, sorted by name."""
    return _digests(roots, program, hashlib.sha256)


def answer(seed: bytes, roots: Mapping[str, str], program: Path) -> str:
    """The answer to a challenge: the SHA-256 of the names and the keyed digests of all files.

    The seed is the key of each file's HMAC, and therefore stands before the file's bytes: nobody
    can compute an answer from stored digests, or store answers for seeds to come.
    """
    return component_answers(seed, roots, program)[ALL_FILES]


def component_answers(seed: bytes, roots: Mapping[str, str], program: Path) -> dict[str, str]:
    """The answers to a challenge for each root alone, by its name, and for `ALL_FILES`.

    Each file is read once.
    """
    head = b"wallwright challenge 1\n" + seed.hex().encode() + b"\n"
    whole, answers = hashlib.sha256(head), {}
    for root, place in sorted(roots.items()):
        total = hashlib.sha256(head)
        for name, digest in _digests(
            {root: place}, program, lambda: hmac.new(seed, digestmod=hashlib.sha256)
        ):
            line = f"{digest} {name}\n".encode("utf-8", "surrogateescape")
            total.update(line)
            whole.update(line)
        answers[root] = total.hexdigest()
    return {ALL_FILES: whole.hexdigest(), **answers}


def differences(files: Mapping[str, str], roots: Mapping[str, str], program: Path) -> list[str]:
    """Each file that was changed, added or removed, as `NAME was changed`; sorted by name."""
    left, found = dict(files), []
    for name, digest in digests(roots, program):
        expected = left.pop(name, None)
        if expected is None:
            found.append(f"{name} was added")
        elif expected != digest:
            found.append(f"{name} was changed")
    return sorted([*found, *(f"{name} is missing" for name in left)])


def require_no_differences(
    files: Mapping[str, str], roots: Mapping[str, str], program: Path
) -> None:
    """Raises IdentityError with the first files that differ from the manifest."""
    found = differences(files, roots, program)
    if found:
        more = f", and {len(found) - NAMED} more" if len(found) > NAMED else ""
        raise IdentityError(
            f"The program is not the one that was signed: {', '.join(found[:NAMED])}{more}. Install"
            " the signed program again; the list: wallwright identity check."
        )


def require_owned_by_root(
    roots: Mapping[str, str],
    program: Path,
    state_of: Callable[[str], os.stat_result] = os.lstat,
) -> None:
    """Check that only root can write the program, each folder of it and each folder above.

    The program checks itself. If the user of the service could write its files, a program that was
    changed through the service could leave out the check and still show the signed identity. Roots
    that are single files, such as a table's file, contain no program. Access control lists are not
    read. Raises IdentityError.
    """
    folders = {os.path.normpath(program / place) for place in roots.values()}
    folders = {path for path in folders if os.path.isdir(path)}  # noqa: PTH112 - as below
    above = {str(folder) for path in folders for folder in Path(path).resolve().parents}
    for path in sorted(above):
        state = state_of(path)
        if state.st_mode & stat.S_ISVTX and state.st_uid == 0:
            continue  # nobody but root can rename what belongs to root in such a folder
        _require_of_root(path, state)
    for folder in sorted(folders):
        _require_of_root(folder, state_of(folder))
        for place, names, files in os.walk(folder):
            for name in (*names, *files):
                path = f"{place}/{name}"
                state = state_of(path)
                if not stat.S_ISLNK(state.st_mode):
                    _require_of_root(path, state)


def _require_of_root(path: str, state: os.stat_result) -> None:
    if state.st_uid == 0 and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return
    raise IdentityError(
        f"{path} can be written by others than root (user {state.st_uid}, mode"
        f" {stat.S_IMODE(state.st_mode):04o}), so a changed program could leave out its own check."
        f" Correct it: chown -R root {path} && chmod -R go-w {path}"
    )


def covers(roots: Mapping[str, str], program: Path, file: Path) -> bool:
    """Whether a file is one of the roots or below one; its digest is then in the manifest."""
    found = file.resolve()
    return any(found.is_relative_to((program / place).resolve()) for place in roots.values())


def _digests(
    roots: Mapping[str, str], program: Path, new: Callable[[], _Digest]
) -> Iterator[tuple[str, str]]:
    for name, place in sorted(roots.items()):
        path = os.path.normpath(program / place)
        yield from _below(path, name, new)


def _below(path: str, name: str, new: Callable[[], _Digest]) -> Iterator[tuple[str, str]]:
    """The digest of a file, or of each file in a folder. A missing one has none."""
    digest = new()
    try:
        if os.path.islink(path):  # noqa: PTH114 - a Path costs more than the call
            digest.update(b"link " + os.fsencode(os.readlink(path)))  # noqa: PTH115 - as above
        elif os.path.isdir(path):  # noqa: PTH112 - as above
            for entry in sorted(os.listdir(path)):  # noqa: PTH208 - as above
                yield from _below(f"{path}/{entry}", f"{name}/{entry}", new)
            return
        elif os.path.isfile(path):  # noqa: PTH113 - as above
            with open(path, "rb", buffering=0) as stream:  # noqa: PTH123 - as above
                while block := stream.read(_BLOCK):
                    digest.update(block)
        elif os.path.exists(path):  # noqa: PTH110 - as above
            digest.update(b"device or socket")
        else:
            return
    except OSError as error:
        raise IdentityError(
            f"{path} cannot be read ({error.strerror}), so the program cannot be checked. Make it"
            " readable for the user of the service."
        ) from error
    yield name, digest.hexdigest()
