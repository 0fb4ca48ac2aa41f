"""Gets every package that the program needs as a wheel, checked by hash, and unpacks it.

Wheels of another processor are only unpacked, never executed, so no compiler and no emulator is
needed to build the package for it. A package without wheels is built here without a compiler, so
that it contains no compiled code: the same files for every processor.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from tools.debian_package.architecture import NOT_FOR_ALL, PYTHONS, Architecture
from tools.debian_package.errors import PackageBuildError

FROM_SOURCE = ("cobs",)
"""Packages of which the registry has no wheel. Each works without its compiled part."""
_NO_COMPILER = {"CC": "false", "CXX": "false"}
_PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet")
_LIBRARIES = ("purelib", "platlib")


def requirements(locks: Iterable[Path], names: Iterable[str], *, without: bool = False) -> str:
    """The entries of files of requirements with these names, or `without` them: the others.

    An entry that several files have is returned once.
    """
    texts = [lock.read_text("utf-8").rstrip("\n") for lock in locks]
    entries = dict.fromkeys(e for text in texts for e in re.split(r"\n(?=[A-Za-z])", text))
    wanted = set(names)
    packages = [entry for entry in entries if re.match(r"[\w.-]+==", entry)]
    kept = [each for each in packages if (each.split("==")[0] in wanted) is not without]
    return "\n".join(kept) + "\n"


def fetch_wheels(locks: Sequence[Path], architecture: Architecture, store: Path) -> list[Path]:
    """The wheels of every package in `locks`, for every Python. Raises PackageBuildError.

    A package with compiled modules has a wheel for each Python; those of the first one come first.
    The wheels are kept in a folder of `store` that is named after their contents, and are
    downloaded and checked once.
    """
    contents = b"".join(lock.read_bytes() for lock in locks) + repr(PYTHONS).encode()
    digest = hashlib.sha256(contents).hexdigest()[:16]
    store = store / f"{architecture.debian}-{digest}"
    is_complete = store / "complete"
    if is_complete.exists():
        return sorted(store.glob("*.whl"))
    store.mkdir(parents=True, exist_ok=True)
    wheels = store / "wheels.txt"
    wheels.write_text(requirements(locks, FROM_SOURCE, without=True), "utf-8")
    sources = store / "sources.txt"
    sources.write_text(requirements(locks, FROM_SOURCE), "utf-8")
    hashed = ("--no-deps", "--require-hashes")
    for python in PYTHONS:
        binary = (
            "--only-binary=:all:",
            "--implementation=cp",
            f"--python-version={python}",
            f"--abi=cp{python.replace('.', '')}",
            "--abi=abi3",
            "--abi=none",
            *(f"--platform={tag}" for tag in architecture.platforms),
        )
        _pip("download", *hashed, *binary, f"--dest={store}", f"--requirement={wheels}")
        for_all = requirements(locks, (*FROM_SOURCE, *NOT_FOR_ALL), without=True)
        wheels.write_text(for_all, "utf-8")
    _pip(
        "wheel",
        *hashed,
        "--no-build-isolation",
        "--no-cache-dir",
        f"--wheel-dir={store}",
        f"--requirement={sources}",
        environment=_NO_COMPILER,
    )
    is_complete.touch()
    return sorted(store.glob("*.whl"))


def build_wheel(source: Path, store: Path) -> Path:
    """The wheel of the program itself, from a copy of its source. Raises PackageBuildError."""
    store.mkdir(parents=True, exist_ok=True)
    _pip(
        "wheel",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
        "--no-cache-dir",
        f"--wheel-dir={store}",
        str(source),
    )
    (wheel,) = store.glob("*.whl")
    return wheel


def unpack(wheel: Path, libraries: Path) -> None:
    """Unpack a wheel into a folder of Python's libraries.

    Its commands are left out: the package has one command. Wheels of one package for several
    Pythons have the same modules beside their compiled ones; the descriptions of the first wheel
    are kept. Raises PackageBuildError for a path that leads out of the folder, and for a file that
    differs from one of the same name.
    """
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            place = _place(entry.filename)
            if entry.is_dir() or place is None:
                continue
            target = (libraries / place).resolve()
            if not target.is_relative_to(libraries.resolve()):
                raise PackageBuildError(
                    f"{wheel.name} has the file {entry.filename}, which leads out of its folder;"
                    " do not use this wheel."
                )
            data = archive.read(entry)
            if target.exists():
                is_same = target.read_bytes() == data
                if not is_same and ".dist-info/" not in entry.filename:
                    raise PackageBuildError(
                        f"{wheel.name} has another {entry.filename} than an earlier wheel; one"
                        " folder cannot hold both."
                    )
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


def _place(name: str) -> str | None:
    """Where a file of a wheel belongs; None for a command, a header or data of other programs."""
    first, _, rest = name.partition("/")
    if not first.endswith(".data"):
        return name
    kind, _, file = rest.partition("/")
    return file if kind in _LIBRARIES else None


def _pip(*arguments: str, environment: dict[str, str] | None = None) -> None:
    ended = subprocess.run(  # noqa: S603 - this Python's own pip
        [sys.executable, *_PIP, *arguments],
        env=os.environ | (environment or {}),
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise PackageBuildError(
            f"pip {arguments[0]} ended with the code {ended.returncode}. Check the connection to"
            f" the package registry, and the hashes: make lock.\n{ended.stderr.strip()}"
        )
