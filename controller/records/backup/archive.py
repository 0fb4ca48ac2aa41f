"""The archive in a backup: files and their manifest, compressed (ustar), and read back.

The manifest is the first member, so that a program refuses a newer format before it reads anything
else. Names of files are checked in it: nothing outside of the target folders can be named. Standard
programs can read the archive (`tar`). This reader accepts only what the writer writes: regular
files, in the order and with the sizes of the manifest; it never decompresses more bytes than the
manifest announces.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
import zlib
from collections.abc import Iterator, Mapping
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
        raise damaged("its manifest does not have exactly the keys of its format") from error
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
            raise damaged(f"its manifest has an invalid entry for the file {file.name!r:.120}")
        if file.same_as:
            original = known.get(file.same_as)
            if original is None or (original.size, original.sha256) != (file.size, file.sha256):
                raise damaged(
                    f"its file {file.name!r:.120} is marked as a copy of a file that it "
                    "does not have"
                )
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


BLOCK = 512
_LEVEL = 6
GZIP = b"\x1f\x8b"
"""The first bytes of a packed backup."""


def packed(manifest: BackupManifest, contents: Mapping[str, bytes]) -> bytes:
    """The archive of a manifest and its files, by name. Raises BackupError for a long name."""
    out = io.BytesIO()
    # No time and no name in the header: the same files give the same bytes.
    with gzip.GzipFile(
        filename="", mode="wb", compresslevel=_LEVEL, fileobj=out, mtime=0
    ) as zipped:
        _put(zipped, MANIFEST, manifest.text)
        for file in manifest.files:
            if not file.same_as:
                _put(zipped, file.name, contents[file.name], file.mode)
        zipped.write(bytes(2 * BLOCK))
    return out.getvalue()


def _put(out: gzip.GzipFile, name: str, data: bytes, mode: int = 0o600) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(data), mode
    try:
        header = member.tobuf(tarfile.USTAR_FORMAT, "utf-8", "strict")
    except ValueError as error:
        raise BackupError(
            f"The file {name} cannot be backed up ({error}); give it a shorter name."
        ) from error
    out.write(header)
    out.write(data)
    out.write(bytes(-len(data) % BLOCK))


class PackedBackup:
    """An archive that is read once, from its beginning. Raises BackupError for any defect."""

    def __init__(self, data: bytes) -> None:
        if not data.startswith(GZIP):
            raise damaged("it is not an archive of this program")
        self._stream = gzip.GzipFile(fileobj=io.BytesIO(data))
        header = self._header()
        if header.name != MANIFEST or header.size > LARGEST_MANIFEST:
            raise damaged("it does not begin with a manifest")
        self.manifest = read_manifest(self._body(header.size))

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Each file with its contents, in the manifest's order, checked against its hash."""
        contents: dict[str, bytes] = {}
        wanted = {file.same_as for file in self.manifest.files}
        for file in self.manifest.files:
            if file.same_as:
                yield file.name, contents[file.same_as]
                continue
            header = self._header()
            if (header.name, header.size) != (file.name, file.size):
                raise damaged(f"it has '{header.name[:120]}' where {file.name} is expected")
            data = self._body(file.size)
            if sha256(data).hexdigest() != file.sha256:
                raise damaged(f"the contents of {file.name} do not match its manifest")
            if file.name in wanted:
                contents[file.name] = data
            yield file.name, data
        if any(self._read(BLOCK)):
            raise damaged("it has data after its last file")

    def _header(self) -> tarfile.TarInfo:
        try:
            member = tarfile.TarInfo.frombuf(self._read(BLOCK), "utf-8", "strict")
        except (tarfile.TarError, ValueError) as error:
            raise damaged(f"a header cannot be read ({error})") from error
        if member.type != tarfile.REGTYPE or member.size < 0:
            raise damaged(f"its member '{member.name[:120]}' is not a regular file")
        return member

    def _body(self, size: int) -> bytes:
        data = self._read(size)
        self._read(-size % BLOCK)
        return data

    def _read(self, size: int) -> bytes:
        try:
            data = self._stream.read(size) if size else b""
        except (OSError, EOFError, zlib.error) as error:
            raise damaged(f"it cannot be decompressed ({error})") from error
        if len(data) != size:
            raise damaged("it is cut off")
        return data
