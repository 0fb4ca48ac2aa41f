"""Reads the small files in which Linux reports its state, and commands with a time limit.

Every method returns None, or nothing, for what cannot be read: a missing fact is not an error.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

LARGEST = 1 << 20
"""Bytes that are read of one file at most."""
COMMAND_LIMIT = 3.0
"""Seconds after which a command is ended, and its answer counts as not known (our choice)."""
_FOLDERS = ("usr/bin", "bin", "usr/sbin")


class FactFiles:
    """The files below a root folder: `/`, or in a test a folder with made files.

    `limit` is the number of seconds that a command may take.
    """

    def __init__(self, root: Path = Path("/"), limit: float = COMMAND_LIMIT) -> None:
        self.root = root
        self.limit = limit

    @property
    def is_real(self) -> bool:
        """Whether these are the files of this computer."""
        return self.root == Path("/")

    def path(self, name: str | Path) -> Path:
        """The path of a file that has this absolute name on the computer."""
        return self.root / str(name).lstrip("/")

    def text(self, name: str) -> str | None:
        """The text of a file without surrounding white space; None if it cannot be read."""
        try:
            # A device or a pipe in the place of a file must not block the command.
            file = os.open(self.path(name), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(file, "rb") as stream:
                data = stream.read(LARGEST)
        except (OSError, ValueError):
            return None
        return (data or b"").decode("utf-8", "replace").strip().strip("\0").strip()

    def whole(self, name: str, base: int = 10) -> int | None:
        """The whole number in a file; None if there is none."""
        return whole(self.text(name), base)

    def names(self, folder: str) -> tuple[str, ...]:
        """The names in a folder, sorted; empty if it cannot be read."""
        try:
            return tuple(sorted(os.listdir(self.path(folder))))  # noqa: PTH208 - names only
        except OSError:
            return ()

    def can_list(self, folder: str) -> bool:
        """Whether the names in a folder can be read."""
        try:
            with os.scandir(self.path(folder)):
                return True
        except OSError:
            return False

    def exists(self, name: str) -> bool:
        """Whether there is a file or folder of this name that can be reached."""
        return self.state(name) is not None

    def link(self, name: str) -> str | None:
        """The text of a symbolic link; None if it is none."""
        try:
            return os.readlink(self.path(name))  # noqa: PTH115 - the text, not a path
        except OSError:
            return None

    def state(self, name: str) -> os.stat_result | None:
        """Mode, owner and times of a file; None if there is none."""
        try:
            return self.path(name).stat()
        except (OSError, ValueError):
            return None

    def command(self, name: str, arguments: Sequence[str] = ()) -> str | None:
        """The output of a command in the folders of the system; None if it fails or hangs."""
        paths = (self.root / folder / name for folder in _FOLDERS)
        found = next((path for path in paths if os.access(path, os.X_OK)), None)
        if found is None:
            return None
        try:
            done = subprocess.run(  # noqa: S603 - a command of the system, by its full path
                [str(found), *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.limit,
                check=False,
                env={"LC_ALL": "C", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"},
            )
        except (OSError, subprocess.SubprocessError):
            return None
        if done.returncode:
            return None
        return done.stdout[:LARGEST].decode("utf-8", "replace").strip()


def whole(text: str | None, base: int = 10) -> int | None:
    """The whole number that a text is; None if it is none."""
    try:
        return int(text or "", base)
    except ValueError:
        return None
