"""Where updates come from: a folder, or an https address; and the newest release there.

The metadata is checked by the client workflow of The Update Framework (package `tuf`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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

from controller.upkeep.update.slots import UpdateError

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
