"""Packs a folder into a Debian package, the same bytes for the same files."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from tools.debian_package.errors import PackageBuildError


def checksums(root: Path) -> str:
    """The contents of `DEBIAN/md5sums`: each file with its MD5, sorted by name."""
    lines = []
    for file in sorted(root.rglob("*")):
        name = file.relative_to(root)
        if file.is_file() and not file.is_symlink() and name.parts[0] not in ("DEBIAN", "etc"):
            digest = hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest()
            lines.append(f"{digest}  {name}\n")
    return "".join(lines)


def installed_size(root: Path) -> int:
    """The size in KiB that dpkg shows: each file rounded up, and one for each folder and link."""
    files = [file for file in root.rglob("*") if file.relative_to(root).parts[0] != "DEBIAN"]
    return sum(
        -(-file.stat().st_size // 1024) if file.is_file() and not file.is_symlink() else 1
        for file in files
    )


def settle(root: Path, epoch: int) -> None:
    """Give every file and folder its usual rights and the time `epoch`, in seconds since 1970."""
    for path in sorted(root.rglob("*"), reverse=True):
        if not path.is_symlink():
            executable = path.is_dir() or bool(path.stat().st_mode & 0o100)
            path.chmod(0o755 if executable else 0o644)
        os.utime(path, (epoch, epoch), follow_symlinks=False)
    root.chmod(0o755)
    os.utime(root, (epoch, epoch))


def pack(root: Path, package: Path, epoch: int, compression: str) -> None:
    """Pack `root` with dpkg-deb; every file belongs to root. Raises PackageBuildError."""
    package.parent.mkdir(parents=True, exist_ok=True)
    command = ["dpkg-deb", f"-Z{compression}", "--root-owner-group", "--build", str(root)]
    try:
        ended = subprocess.run(  # noqa: S603 - Debian's own tool
            [*command, str(package)],
            env=os.environ | {"SOURCE_DATE_EPOCH": str(epoch)},
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise PackageBuildError(
            "There is no dpkg-deb on this computer; build on Debian, or install the package dpkg."
        ) from None
    if ended.returncode != 0:
        raise PackageBuildError(f"dpkg-deb refused the files: {ended.stderr.strip()}")
