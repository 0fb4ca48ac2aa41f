"""A maker with a repository of small releases, and a table with two slots, for tests."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from controller.records.identity.signing import make_manifest
from controller.upkeep.update.installation import UpdateSource, install
from controller.upkeep.update.preparation import prepare
from controller.upkeep.update.repository import make_repository
from controller.upkeep.update.slots import Slots

MADE = datetime(2026, 1, 1, tzinfo=UTC)
MAIN = """
import pathlib, sys
def main():
    print("wallwright of release RELEASE:", *sys.argv[1:])
    return HEALTH
"""


@dataclass(frozen=True)
class Workshop:
    """The maker's folders, and the table's folder `root` with its trusted signers in `trust`."""

    folder: Path

    @property
    def repository(self) -> Path:
        return self.folder / "repository"

    @property
    def keys(self) -> Path:
        return self.folder / "keys"

    @property
    def trust(self) -> Path:
        return self.folder / "trust"

    @property
    def root(self) -> Path:
        return self.folder / "table"

    @property
    def slots(self) -> Slots:
        return Slots(self.root, self.trust)

    def program(self, release: int, health: int = 0) -> tuple[Path, Path]:
        """A signed program of a release, and its manifest."""
        program = self.folder / f"release{release}"
        if not program.exists():
            (program / "controller" / "cli").mkdir(parents=True)
            (program / "controller" / "__init__.py").write_text("")
            text = MAIN.replace("RELEASE", str(release)).replace("HEALTH", str(health))
            (program / "controller" / "cli" / "__init__.py").write_text(text)
            (program / "table.yaml").write_text(f"release: {release}\n" * 500)
        manifest = program.with_name(f"{program.name}.manifest.json")
        make_manifest(
            manifest,
            program,
            {"program": "."},
            f"0.{release}.0",
            release,
            key_file=self.folder / "key",
            signers=self.trust / "signers",
            made=MADE,
        )
        return program, manifest

    def publish(
        self,
        release: int,
        *,
        now: datetime | None = None,
        keys: Path | None = None,
        repository: Path | None = None,
        health: int = 0,
        new_keys: bool = False,
    ) -> Path:
        """Add a release to the repository."""
        folder = repository or self.repository
        signers = self.trust / "signers"
        program = self.program(release, health)
        make_repository(folder, *program, keys or self.keys, signers, now=now, new_keys=new_keys)
        return folder

    def source(self, folder: Path | None = None) -> UpdateSource:
        """The repository as a source of updates for the table."""
        return UpdateSource(str(folder or self.repository), self.root)

    def install(self, folder: Path | None = None) -> int | None:
        """Install the newest release; its number, or None if there is none."""
        offered = install(self.slots, self.source(folder))
        return None if offered is None else offered.release

    def copy(self, name: str) -> Path:
        """A copy of the repository as it is now."""
        return Path(shutil.copytree(self.repository, self.folder / name))


def table_with_release(folder: Path, release: int = 1, group: str | None = None) -> Workshop:
    """A table that runs this release; the repository has it too."""
    workshop = Workshop(folder)
    workshop.trust.mkdir()
    workshop.publish(release)
    trusted = workshop.repository / "metadata" / "1.root.json"
    prepare(workshop.root, *workshop.program(release), trusted, workshop.trust, group)
    return workshop
