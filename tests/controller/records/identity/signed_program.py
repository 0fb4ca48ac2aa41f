"""Signed programs in folders, for tests: a small one, and a copy of this program."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from controller.records.identity.boot import MANIFEST, PROGRAM, SIGNERS, VARIABLE
from controller.records.identity.signing import PACKAGES, make_manifest

MADE = datetime(2026, 11, 1, tzinfo=UTC)
ROOTS = {name: name for name in PACKAGES}
_RUN = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from controller.cli import main
if "gat-query" in sys.argv:
    from controller.casino.gat import terminal
    terminal.REPLY_LIMIT = 30.0  # the machine is another process of a busy computer
sys.exit(main())
"""


@dataclass(frozen=True)
class SignedProgram:
    """The folder of the program, the folder of the signers with the manifest, and the key."""

    program: Path
    trust: Path
    key: Path

    @property
    def manifest(self) -> Path:
        """The file of the manifest."""
        return self.trust / MANIFEST

    def sign(self, roots: dict[str, str] | None = None, release: int = 1) -> None:
        """Sign the files as they are now."""
        make_manifest(
            self.manifest,
            self.program,
            roots or {"program": "."},
            "0.2.0",
            release,
            key_file=self.key,
            signers=self.trust / SIGNERS,
            made=MADE,
        )


def small_program(folder: Path) -> SignedProgram:
    """A program of four files, one of them compiled and one of them a link."""
    program, trust = folder / "program", folder / "trust"
    (program / "controller" / "__pycache__").mkdir(parents=True)
    (program / "controller" / "daemon.py").write_text("deal = 13\n")
    (program / "controller" / "__pycache__" / "daemon.cpython-311.pyc").write_bytes(b"\0compiled")
    (program / "table.yaml").write_text("name: bench\n")
    (program / "link").symlink_to("table.yaml")
    trust.mkdir(mode=0o755)
    signed = SignedProgram(program, trust, folder / "key")
    signed.sign()
    return signed


def installed_program(folder: Path) -> SignedProgram:
    """A signed copy of this program."""
    program, trust = folder / "program", folder / "trust"
    ignored = shutil.ignore_patterns("__pycache__", "build")
    for name in PACKAGES:
        shutil.copytree(PROGRAM / name, program / name, ignore=ignored)
    trust.mkdir(mode=0o755)
    signed = SignedProgram(program, trust, folder / "key")
    signed.sign(ROOTS)
    return signed


def command_of(installed: SignedProgram, *arguments: str) -> list[str]:
    """The command line that runs a command of an installed copy."""
    return [sys.executable, "-I", "-B", "-c", _RUN, str(installed.program), *arguments]


def wallwright(
    installed: SignedProgram, *arguments: str, trust: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a command of an installed copy."""
    return subprocess.run(
        command_of(installed, *arguments),
        env={VARIABLE: str(installed.trust)} if trust else {},
        capture_output=True,
        text=True,
        check=False,
    )
