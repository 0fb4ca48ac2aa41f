"""The manifest of a backup: its format, its files with their hashes, and what they are.

It is the first member of the archive, so that a program refuses a newer format before it reads
anything else. Names of files are checked here: nothing outside of the target folders can be named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field
from hashlib import sha256
from typing import Any

from rules.errors import WallwrightError


class BackupError(WallwrightError):
    """A backup cannot be made, read or restored; nothing was changed, unless the text says so."""


BACKUP_FORMAT = "wallwright-backup/1"
MANIFEST = "manifest.json"
LARGEST_MANIFEST = 4 << 20
MOST_FILES = 10_000
MOST_BYTES = 4 << 30
"""Bytes of all files of a backup together (our choice)."""
DATA, CONFIGURATION, KEYS = "data", "configuration", "keys"
"""The parts of a backup: the data folder, the configuration, the keys of the boards."""
BOARD_KEYS = f"{KEYS}/boards"
AUDIT_KEY = f"{DATA}/audit/key"
_NAME = re.compile(r"[^/\0\n]{1,100}(/[^/\0\n]{1,100}){1,7}")
_HASH = re.compile(r"[0-9a-f]{64}")
_KEYS = {"format", "made", "program", "formats", "files", "journal", "audit", "notes"}


@dataclass(frozen=True)
class StoredFile:
    """A file of a backup. `same_as` names an earlier file with the same contents, or is empty."""

    name: str
    size: int
    sha256: str
    mode: int
    same_as: str = ""


@dataclass(frozen=True)
class BackupManifest:
    """What a backup holds.

    `formats` are the versions of the formats of its files. `journal` and `audit` describe the
    journal and the audit log (empty without one); `notes` are sentences for the person who
    restores.
    """

    made: str
    program: str
    formats: Mapping[str, int]
    files: tuple[StoredFile, ...]
    journal: Mapping[str, Any] = field(default_factory=dict)
    audit: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> bytes:
        """The manifest as it is written."""
        value = {"format": BACKUP_FORMAT, **asdict(self)}
        return json.dumps(value, indent=1, sort_keys=True).encode() + b"\n"

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the manifest, which identifies the backup."""
        return sha256(self.text).hexdigest()

    def part(self, name: str) -> tuple[StoredFile, ...]:
        """The files of one part."""
        return tuple(file for file in self.files if file.name.startswith(f"{name}/"))

    def has(self, name: str) -> bool:
        """Whether a file is in the backup."""
        return any(file.name == name for file in self.files)


def read_manifest(text: bytes) -> BackupManifest:
    """Read and check a manifest. Raises BackupError, also for a newer format."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise damaged("its manifest cannot be read") from error
    found = value.get("format") if isinstance(value, dict) else None
    if found != BACKUP_FORMAT:
        raise BackupError(
            f"The backup has the format '{str(found)[:60]}', and this program reads"
            f" '{BACKUP_FORMAT}'; use the program that made it, or a newer one. Nothing was"
            " changed."
        )
    try:
        manifest = _manifest(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise damaged("its manifest has not the keys of its format") from error
    _require_sound(manifest)
    return manifest


def _manifest(value: dict[str, Any]) -> BackupManifest:
    if set(value) != _KEYS:
        raise ValueError
    formats = {str(name): int(version) for name, version in value["formats"].items()}
    files = tuple(StoredFile(**file) for file in value["files"])
    return BackupManifest(
        str(value["made"]),
        str(value["program"]),
        formats,
        files,
        dict(value["journal"]),
        dict(value["audit"]),
        tuple(str(each) for each in value["notes"]),
    )


def _require_sound(manifest: BackupManifest) -> None:
    """Raise BackupError for a name outside of the parts, a wrong number, or too much."""
    known: dict[str, StoredFile] = {}
    for file in manifest.files:
        if not _is_sound(file) or file.name in known:
            raise damaged(f"its manifest names the file {file.name!r:.120} in a wrong way")
        if file.same_as:
            original = known.get(file.same_as)
            if original is None or (original.size, original.sha256) != (file.size, file.sha256):
                raise damaged(f"its file {file.name!r:.120} is a copy of no other")
        known[file.name] = file
    folders = {name.rsplit("/", depth)[0] for name in known for depth in range(1, 8)}
    if folders & known.keys():
        raise damaged("one of its files is also a folder")
    total = sum(file.size for file in manifest.files)
    if len(manifest.files) > MOST_FILES or total > MOST_BYTES:
        raise BackupError(
            f"The backup has {len(manifest.files)} files with {total} bytes; at most {MOST_FILES}"
            f" files with {MOST_BYTES} bytes are restored. Nothing was changed."
        )


def _is_sound(file: StoredFile) -> bool:
    # The values come from JSON: whatever their types are said to be, they can be of others.
    if [type(each) for each in astuple(file)] != [str, int, str, int, str]:
        return False
    part, *rest = file.name.split("/")
    return (
        part in (DATA, CONFIGURATION, KEYS)
        and bool(_NAME.fullmatch(file.name))
        and not {".", ".."} & set(rest)
        and 0 <= file.size <= MOST_BYTES
        and bool(_HASH.fullmatch(file.sha256))
        and 0 <= file.mode <= 0o777
    )


def damaged(why: str) -> BackupError:
    """The error of a backup whose contents are wrong."""
    return BackupError(
        f"The backup is damaged or was changed: {why}. Nothing was changed here; take another copy"
        " of the backup."
    )
