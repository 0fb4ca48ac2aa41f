"""A small signed program in a folder, for tests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from controller.identity.boot import MANIFEST, SIGNERS
from controller.identity.signing import make_manifest

MADE = datetime(2026, 11, 1, tzinfo=UTC)


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
