"""Finds the newest release in its source; installs, confirms and rolls back releases.

A source is a folder or an https address. Its metadata is checked by the client workflow of The
Update Framework (package `tuf`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tuf.api.exceptions import (
    BadVersionNumberError,
    DownloadError,
    DownloadHTTPError,
    DownloadLengthMismatchError,
    ExpiredMetadataError,
    LengthOrHashMismatchError,
    RepositoryError,
    UnsignedMetadataError,
)
from tuf.api.metadata import TargetFile
from tuf.ngclient import FetcherInterface, Updater, UpdaterConfig, Urllib3Fetcher

from config.durable_files import remove_file, sync_folder
from controller.records.identity.manifest import IdentityError
from controller.upkeep.update.archive import unpack
from controller.upkeep.update.slots import RUN, Slots, UpdateError, without_session

HEALTH = 120.0
"""Largest duration of a command of the health check, seconds."""
HEALTH_COMMANDS = (("version",), ("tables", "--json"))
"""Commands that a healthy program executes without an error."""
ARCHIVE = "archive.part"
STAGED = "staged"
"""The folder beside the slots in which a release is checked. The slot that does not run keeps the
release before, so that a roll-back is possible, until the new one has passed."""


def offered_update(slots: Slots, source: UpdateSource) -> OfferedRelease | None:
    """The release that can be installed; None if this one is the newest. Raises UpdateError."""
    installed = slots.manifest(slots.current)
    now = datetime.now(UTC)
    if now < datetime.fromisoformat(installed.made):
        raise UpdateError(
            f"The clock shows {now:%Y-%m-%d}, before the installed release was signed"
            f" ({installed.made}); expired metadata cannot be detected. Set the clock."
        )
    offered = source.newest()
    if offered.release < installed.release:
        raise UpdateError(
            f"The release {offered.release} is older than the installed release"
            f" {installed.release}; a downgrade is not installed."
        )
    return offered if offered.release > installed.release else None


def install(slots: Slots, source: UpdateSource) -> OfferedRelease | None:
    """Install the newest release into the other slot and switch to it, on trial.

    Returns None if the installed release is the newest. Raises UpdateError or IdentityError; the
    slot that runs is unchanged then.
    """
    with without_session(slots.root):
        trial = slots.trial()
        if trial is not None:
            raise UpdateError(
                f"The release in the slot {trial.slot} is not confirmed yet. Confirm it or roll it"
                " back first: wallwright update confirm, wallwright update roll-back."
            )
        offered = offered_update(slots, source)
        if offered is None:
            return None
        slot, archive = slots.other, slots.root / ARCHIVE
        source.download(offered, archive)
        slots.empty(STAGED)
        manifest = slots.manifest_file(STAGED)
        part = manifest.with_name(manifest.name + ".new")
        try:
            unpack(archive, slots.program(STAGED), part)
            part.replace(manifest)
            sync_folder(slots.root)
            _require_release(slots, STAGED, offered)
            require_healthy(slots.program(STAGED))
        except (UpdateError, IdentityError):
            slots.empty(STAGED)
            shutil.rmtree(slots.program(STAGED), ignore_errors=True)
            raise
        _move_to(slots, slot)
        remove_file(archive)
        slots.try_slot(slot)
        return offered


def _move_to(slots: Slots, slot: str) -> None:
    """Put the staged release into a slot, which is invalid until all of it is there."""
    slots.empty(slot)
    if slots.program(slot).exists():
        shutil.rmtree(slots.program(slot))
    slots.program(STAGED).rename(slots.program(slot))
    sync_folder(slots.root)
    slots.manifest_file(STAGED).replace(slots.manifest_file(slot))
    sync_folder(slots.root)


def _require_release(slots: Slots, slot: str, offered: OfferedRelease) -> None:
    """Check that the manifest is the offered release's, and that the files match it."""
    manifest = slots.require_whole(slot)
    if manifest.release != offered.release:
        raise UpdateError(
            f"The archive contains the release {manifest.release}, and its metadata names the"
            f" release {offered.release}; nothing was installed."
        )


def require_healthy(program: Path) -> None:
    """Raises UpdateError if a command of the program fails."""
    for command in HEALTH_COMMANDS:
        try:
            done = subprocess.run(  # noqa: S603 - the slot's own program
                [sys.executable, "-I", "-B", "-c", RUN, os.fspath(program), *command],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=HEALTH,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise UpdateError(
                f"The health check `wallwright {' '.join(command)}` in {program} did not end in"
                f" {HEALTH:.0f} s."
            ) from error
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise UpdateError(
                f"The health check `wallwright {' '.join(command)}` in {program} failed: {last}"
            )


def confirm(slots: Slots) -> str:
    """Confirm the slot on trial, if it is whole and healthy; else roll back.

    Returns a sentence. Raises UpdateError after a roll back, and if no slot is on trial.
    """
    with without_session(slots.root):
        trial = slots.trial()
        if trial is None:
            raise UpdateError("No release is on trial; there is nothing to confirm.")
        try:
            slots.require_whole(trial.slot)
            require_healthy(slots.program(trial.slot))
        except (UpdateError, IdentityError) as error:
            restored = slots.roll_back()
            raise UpdateError(
                f"The slot {trial.slot} was rolled back to {restored}: {error}"
            ) from error
        slots.confirm()
        return f"The release {slots.manifest(trial.slot).release} is confirmed."


def roll_back(slots: Slots) -> str:
    """Switch to the slot before, if it is whole; returns a sentence. Raises IdentityError."""
    with without_session(slots.root):
        slot = slots.roll_back()
        return f"The release {slots.manifest(slot).release} in the slot {slot} runs from now on."


TARGET = "wallwright.tar"
"""The name of the only target: the archive of the newest release."""
LARGEST = 2_000_000_000
"""Largest length of a release's archive, bytes."""
_FOLDER = "folder:"
_BLOCK = 1 << 16


class FolderFetcher(FetcherInterface):
    """Reads a repository from a folder, such as one on a USB stick."""

    def _fetch(self, url: str) -> Iterator[bytes]:
        file = Path(url.removeprefix(_FOLDER))
        if not file.is_file():
            raise DownloadHTTPError(f"There is no {file}.", 404)
        return self._blocks(file)

    @staticmethod
    def _blocks(file: Path) -> Iterator[bytes]:
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                yield block


@dataclass(frozen=True)
class OfferedRelease:
    """The newest release of a source, whose metadata is signed and current."""

    release: int
    program: str
    target: TargetFile


class UpdateSource:
    """A source of updates. `root` is the folder of the updates with the trusted keys.

    Raises UpdateError for a source that is neither a folder nor an https address.
    """

    def __init__(self, source: str, root: Path) -> None:
        self._source = source
        folder = Path(source)
        fetcher: FetcherInterface
        if source.startswith("https://"):
            base, fetcher = source.rstrip("/"), Urllib3Fetcher()
        elif "://" not in source and folder.is_dir():
            base, fetcher = f"{_FOLDER}{folder.resolve()}", FolderFetcher()
        else:
            raise UpdateError(
                f"The source of updates must be an existing folder or an https address; got"
                f" '{source}'."
            )
        try:
            trusted = (root / "root.json").read_bytes()
            metadata = root / "metadata"
            metadata.mkdir(exist_ok=True)
        except OSError as error:
            raise UpdateError(
                f"{root} cannot be used ({error.strerror}). Prepare the folder: wallwright update"
                " prepare."
            ) from error
        try:
            self._updater = Updater(
                str(metadata),
                f"{base}/metadata/",
                str(root),
                f"{base}/targets/",
                fetcher,
                UpdaterConfig(),
                bootstrap=trusted,
            )
        except RepositoryError as error:
            raise UpdateError(
                f"{root / 'root.json'} is damaged ({error}). Prepare the folder again."
            ) from error

    def newest(self) -> OfferedRelease:
        """The newest release. Raises UpdateError with the reason of a refusal."""
        try:
            self._updater.refresh()
            target = self._updater.get_targetinfo(TARGET)
        except (RepositoryError, DownloadError, ValueError) as error:
            raise self._refused(error) from error
        custom = {} if target is None else target.custom or {}
        release, program = custom.get("release"), custom.get("program")
        if target is None or not isinstance(release, int) or not isinstance(program, str):
            raise UpdateError(f"{self._source} offers no release of Wallwright.")
        if target.length > LARGEST:
            raise UpdateError(
                f"The release {release} has {target.length} bytes; at most {LARGEST} are accepted."
            )
        return OfferedRelease(release, program, target)

    def download(self, offered: OfferedRelease, file: Path) -> None:
        """Write the archive of a release to a file. Raises UpdateError."""
        try:
            self._updater.download_target(offered.target, str(file))
        except (RepositoryError, DownloadError) as error:
            raise self._refused(error) from error

    def _refused(self, error: Exception) -> UpdateError:
        return UpdateError(f"The update from {self._source} is refused: {_reason(error)}.")


def _reason(error: Exception) -> str:
    """The reason of a refusal; the kinds of errors from the special to the general."""
    match error:
        case ExpiredMetadataError():
            return f"its metadata has expired ({error}); get the newest, or set the clock"
        case BadVersionNumberError():
            return f"its metadata is older than that which this table has seen ({error})"
        case UnsignedMetadataError():
            return f"it is not signed with the maker's keys ({error})"
        case DownloadLengthMismatchError():
            return f"a file is longer than it may be ({error})"
        case LengthOrHashMismatchError():
            return f"a file is not the one that was signed ({error})"
        case RepositoryError():
            return f"its metadata is damaged, or its parts do not belong together ({error})"
    cause = error.__cause__
    return f"it cannot be read ({error}{f': {cause}' if cause else ''})"
