"""Backups that are changed, cut off, foreign or made to do harm are refused; nothing is changed."""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pyrage
import pytest

from controller.records.backup.archive import (
    LARGEST_MANIFEST,
    BackupError,
    BackupManifest,
    PackedBackup,
    StoredFile,
    packed,
)
from controller.records.backup.restoring import RestoreTargets, restore_backup
from controller.records.backup.sealing import (
    Sealing,
    identities_in,
    make_identity,
    opened,
    passphrase_in,
    read_secret,
    require_good,
    require_recipients,
    sealed,
)
from tests.controller.records.backup.table_folder import plain_backup, table_folder
from tests.quick import tries

TEXT = b"some text"


def stored(name: str, data: bytes = TEXT, **values: Any) -> StoredFile:
    facts = {"size": len(data), "sha256": sha256(data).hexdigest(), "mode": 0o600, **values}
    return StoredFile(name, **facts)


def manifest_of(*files: StoredFile) -> BackupManifest:
    return BackupManifest("2030-01-01", "0.2.0", {"journal": 1}, files)


def archive(*members: tuple[tarfile.TarInfo, bytes], end: bytes = bytes(1024)) -> bytes:
    out = io.BytesIO()
    for member, data in members:
        out.write(member.tobuf(tarfile.USTAR_FORMAT, "utf-8", "strict"))
        out.write(data + bytes(-len(data) % 512))
    return gzip.compress(out.getvalue() + end)


def member(name: str, data: bytes, kind: bytes = tarfile.REGTYPE) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size, info.type = len(data), kind
    return info, data


def head(*files: StoredFile, **changes: Any) -> tuple[tarfile.TarInfo, bytes]:
    value = {**json.loads(manifest_of(*files).text), **changes}
    return member("manifest.json", json.dumps(value).encode())


GOOD = stored("data/note")
LINK = tarfile.TarInfo("data/note")
LINK.type, LINK.linkname = tarfile.SYMTYPE, "/etc/passwd"
ATTACKS: dict[str, Callable[[], bytes]] = {
    "no archive": lambda: b"GIF89a",
    "nothing": lambda: b"",
    "an archive of another program": lambda: archive(member("readme", b"hello")),
    "no JSON": lambda: archive(member("manifest.json", b"{")),
    "deep JSON": lambda: archive(member("manifest.json", b"[" * 100_000)),
    "no object": lambda: archive(member("manifest.json", b"[]")),
    "a key too many": lambda: archive(head(GOOD, more=1)),
    "files are no list": lambda: archive(head(GOOD, files=7)),
    "a file is not an object": lambda: archive(head(GOOD, files=["data/note"])),
    "a large manifest": lambda: archive(member("manifest.json", bytes(LARGEST_MANIFEST + 1))),
    "another member": lambda: archive(head(GOOD), member("data/other", TEXT)),
    "another size": lambda: archive(head(GOOD), member("data/note", TEXT + b"!")),
    "other contents": lambda: archive(head(GOOD), member("data/note", b"same size")),
    "a missing member": lambda: archive(head(GOOD)),
    "a member after the last": lambda: archive(
        head(GOOD), member("data/note", TEXT), member("data/more", TEXT)
    ),
    "a symbolic link": lambda: archive(head(GOOD), (LINK, b"")),
    "a hard link": lambda: archive(head(GOOD), member("data/note", TEXT, tarfile.LNKTYPE)),
    "a device": lambda: archive(head(GOOD), member("data/note", TEXT, tarfile.CHRTYPE)),
    "a folder": lambda: archive(head(GOOD), member("data/note", b"", tarfile.DIRTYPE)),
    "a long header": lambda: archive(head(GOOD), member("x", b"9" * 9999, tarfile.XHDTYPE)),
    "a large size": lambda: archive(head(stored("data/note", size=1 << 40))),
    "many bytes": lambda: archive(head(*(stored(f"data/{n}", size=4 << 30) for n in range(3)))),
    "many files": lambda: archive(head(*(stored(f"data/{n}") for n in range(10_001)))),
    "a copy of no file": lambda: archive(head(stored("data/note", same_as="data/other"))),
    "a copy of another size": lambda: archive(
        head(GOOD, stored("data/two", size=3, same_as="data/note"))
    ),
    "the same name twice": lambda: archive(head(GOOD, GOOD)),
    "a file and a folder": lambda: archive(head(GOOD, stored("data/note/in"))),
    "a hash that is none": lambda: archive(head(stored("data/note", sha256="0"))),
    "a set-user-id bit": lambda: archive(head(stored("data/note", mode=0o4755))),
    "a text as size": lambda: archive(head(stored("data/note", size="9"))),
    **{
        f"the name {name!r}": (
            lambda name=name: archive(head(stored(name)), member(name[:100], TEXT))
        )
        for name in (
            *("../note", "/etc/passwd", "data", "data/", "data/../../note", "data/./note"),
            *("other/note", "data//note", "data/a\nb", "data/" + "x" * 101, "data/" + "d/" * 9),
        )
    },
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_harmful_backup_is_refused_with_a_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match=r"[.]$"):
        restore_backup(ATTACKS[name](), RestoreTargets(tmp_path / "to"))
    assert list(tmp_path.iterdir()) == []


def test_a_newer_format_is_refused_whatever_follows(tmp_path: Path) -> None:
    newer = archive(member("manifest.json", b'{"format": "wallwright-backup/2", "x": 1}'))
    with pytest.raises(BackupError, match="'wallwright-backup/2', and this program reads"):
        restore_backup(newer, RestoreTargets(tmp_path / "to"))
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_decompresses_to_gigabytes_is_refused_after_its_announced_size() -> None:
    zeros = gzip.compress(bytes(1 << 26))
    data = b"".join([archive(head(GOOD), member("data/note", TEXT), end=b""), *[zeros] * 64])
    assert len(data) < 5_000_000
    backup = PackedBackup(data)
    assert dict(backup.files()) == {"data/note": TEXT}, "the end of the archive is never read"


def test_the_good_archive_of_these_attacks_is_accepted() -> None:
    good = archive(head(GOOD), member("data/note", TEXT))
    assert dict(PackedBackup(good).files()) == {"data/note": TEXT}
    again = packed(manifest_of(GOOD), {"data/note": TEXT})
    assert dict(PackedBackup(again).files()) == {"data/note": TEXT}


def test_a_changed_or_cut_backup_is_refused_or_is_still_the_same(tmp_path: Path) -> None:
    plain_backup(table_folder(tmp_path / "data"), tmp_path / "backup")
    whole = (tmp_path / "backup").read_bytes()
    original = dict(PackedBackup(whole).files())
    identity = pyrage.x25519.Identity.generate()
    closed = sealed(whole, Sealing(recipients=(str(identity.to_public()),)))
    random = Random(7)
    for number in range(tries(60, quick=20, evidence=3000)):
        data = bytearray(whole if number % 2 else closed)
        place = random.randrange(len(data))
        if number % 3:
            data[place] ^= 1 << random.randrange(8)
        else:
            del data[place:]
        try:
            found = PackedBackup(opened(bytes(data), None, [str(identity)]))
            assert dict(found.files()) == original, "a byte of a header that means nothing"
        except BackupError as error:
            assert str(error).endswith(".")  # noqa: PT017 both ends are right


def test_a_wrong_passphrase_or_key_is_refused(tmp_path: Path) -> None:
    closed = sealed(b"\x1f\x8b", Sealing("correct horse battery"))
    with pytest.raises(BackupError, match="the passphrase is wrong"):
        opened(closed, "correct horse batterie", ())
    with pytest.raises(BackupError, match="encrypted with a passphrase; give it"):
        opened(closed, None, ())
    public = make_identity(tmp_path / "key")
    other = make_identity(tmp_path / "other")
    assert public != other
    closed = sealed(b"text", Sealing(recipients=(public, other)))
    assert opened(closed, None, identities_in(tmp_path / "other")) == b"text"
    closed = sealed(b"text", Sealing(recipients=(public,)))
    with pytest.raises(BackupError, match="the private key is wrong"):
        opened(closed, None, identities_in(tmp_path / "other"))
    with pytest.raises(BackupError, match="encrypted for a key"):
        opened(closed, None, ())
    with pytest.raises(BackupError, match="no private key that is written as"):
        opened(closed, None, ["AGE-SECRET-KEY-1X"])
    with pytest.raises(BackupError, match="cannot be written"):
        make_identity(tmp_path / "key")


WORK = re.compile(rb"(-> scrypt \S+) \d+")
"""The logarithm of the work that a passphrase needs, in the header of a backup."""


def test_a_passphrase_that_would_take_an_hour_is_not_called_wrong() -> None:
    closed = sealed(b"text", Sealing("correct horse battery"))
    slow = WORK.sub(rb"\1 35", closed)
    with pytest.raises(BackupError, match="was not tried, because this computer would need"):
        opened(slow, "correct horse battery", ())


def test_a_busy_computer_that_seems_too_slow_once_tries_the_passphrase_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = sealed(b"text", Sealing("correct horse battery"))
    decrypt, given = pyrage.passphrase.decrypt, [WORK.sub(rb"\1 35", closed)] * 2

    def seems_slow(data: bytes, passphrase: str) -> bytes:
        return bytes(decrypt(given.pop() if given else data, passphrase))

    monkeypatch.setattr(pyrage.passphrase, "decrypt", seems_slow)
    assert opened(closed, "correct horse battery", ()) == b"text"
    assert given == []


def test_bad_secrets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="has 5 characters; it must have at least 12"):
        require_good("short")
    with pytest.raises(BackupError, match="is not a public key; it begins with age1"):
        require_recipients(["AGE-SECRET-KEY-1" + "Q" * 58])
    file = tmp_path / "passphrase"
    file.write_bytes(b"\n")
    file.chmod(0o600)
    with pytest.raises(BackupError, match="The first line of"):
        passphrase_in(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(BackupError, match="it is not a text file"):
        read_secret(file)
    file.write_bytes(b"some words in a row\r\n")
    assert passphrase_in(file) == "some words in a row"
    file.chmod(0o644)
    with pytest.raises(BackupError, match="chmod 600"):
        passphrase_in(file)
