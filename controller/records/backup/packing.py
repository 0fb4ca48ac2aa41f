"""Packs files into a compressed archive and reads it back: ustar members in the manifest's order.

Standard programs can read the archive (`tar`). This reader accepts only what the writer writes:
regular files, in the order and with the sizes of the manifest; it never decompresses more bytes
than the manifest announces.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from hashlib import sha256

from controller.records.backup.manifest import (
    LARGEST_MANIFEST,
    MANIFEST,
    BackupError,
    BackupManifest,
    damaged,
    read_manifest,
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
            raise damaged("it is no archive of this program")
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
                raise damaged(f"it has '{header.name[:120]}' in the place of {file.name}")
            data = self._body(file.size)
            if sha256(data).hexdigest() != file.sha256:
                raise damaged(f"the contents of {file.name} are not those of its manifest")
            if file.name in wanted:
                contents[file.name] = data
            yield file.name, data
        if any(self._read(BLOCK)):
            raise damaged("it goes on after its last file")

    def _header(self) -> tarfile.TarInfo:
        try:
            member = tarfile.TarInfo.frombuf(self._read(BLOCK), "utf-8", "strict")
        except (tarfile.TarError, ValueError) as error:
            raise damaged(f"a header cannot be read ({error})") from error
        if member.type != tarfile.REGTYPE or member.size < 0:
            raise damaged(f"its member '{member.name[:120]}' is no regular file")
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
