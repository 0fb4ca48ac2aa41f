"""The manifest of the program's files: its signature, their digests, and differences on the disk.

The manifest has the SHA-256 of every file of the program and is signed by Ed25519. Its file is
canonical JSON (RFC 8785) with the members `manifest`, `signature` and `signer`, so the bytes of
`manifest` stand between a fixed beginning and an end of fixed length. The signature covers these
bytes and the name of the format. A reader needs no JSON writer to check it.

Symbolic links are not followed: the digest of a link is that of its target's name. Compiled modules
(`__pycache__`) are files like all others, because Python executes them.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from firmware_bridge.signatures import SignatureError, is_signed, read_signers
from rules.errors import WallwrightError


class IdentityError(WallwrightError):
    """The manifest cannot be used, or a file differs from it: one sentence with the next step."""


FORMAT = "wallwright manifest 1"
LARGEST = 64_000_000
"""Largest size of a manifest's file, bytes."""
_BEGIN = b'{"manifest":'
_END = re.compile(rb',"signature":"([0-9a-f]{128})","signer":"([0-9a-f]{64})"}')
_END_SIZE = len(b',"signature":"","signer":""}') + 128 + 64
_MEMBERS = {"files", "format", "made", "program", "release", "roots"}


@dataclass(frozen=True)
class Manifest:
    """A manifest whose signature is that of a trusted signer.

    `program` is the version. `release` is the number by which updates are ordered. `made` is the
    time of signing (UTC, ISO 8601). `roots` has folders and files by name, relative to the folder
    of the program or absolute. `files` has a digest for each file, by the name of its root and its
    path in it. `digest` is the SHA-256 of the manifest: the identity of the software.
    """

    program: str
    release: int
    made: str
    roots: Mapping[str, str]
    files: Mapping[str, str]
    digest: str
    signer: str


def signed_text(body: bytes) -> bytes:
    """The text that a signature covers."""
    return FORMAT.encode() + b"\n" + body


def manifest_bytes(body: bytes, signature: bytes, public: bytes) -> bytes:
    """The content of a manifest's file."""
    end = f',"signature":"{signature.hex()}","signer":"{public.hex()}"}}'
    return _BEGIN + body + end.encode()


def read_manifest(file: Path, signers: Path) -> Manifest:
    """Read a manifest and check its signature. Raises IdentityError."""
    try:
        if file.stat().st_size > LARGEST:
            raise _refused(file, f"is larger than {LARGEST} bytes")
        data = file.read_bytes()
    except OSError as error:
        raise _refused(file, f"cannot be read ({error.strerror})") from error
    end = _END.fullmatch(data[-_END_SIZE:])
    if not data.startswith(_BEGIN) or end is None:
        raise _refused(file, "is damaged")
    body = data[len(_BEGIN) : -_END_SIZE]
    signature, public = (bytes.fromhex(part.decode()) for part in end.groups())
    try:
        trusted = read_signers(signers)
    except SignatureError as error:
        raise IdentityError(str(error)) from error
    if public not in trusted:
        raise _refused(
            file, f"was signed with the key {public.hex()}, which {signers} does not list"
        )
    if not is_signed(signed_text(body), signature, public):
        raise _refused(file, "has a wrong signature: it was changed after it was signed")
    return _manifest(file, body, trusted[public])


def _manifest(file: Path, body: bytes, signer: str) -> Manifest:
    """The values of a manifest that is signed; a signer can still have signed another format."""
    value = json.loads(body)
    if not isinstance(value, dict) or value.get("format") != FORMAT or set(value) != _MEMBERS:
        raise _refused(file, f"does not have the format '{FORMAT}'")
    return Manifest(
        program=value["program"],
        release=value["release"],
        made=value["made"],
        roots=value["roots"],
        files=value["files"],
        digest=hashlib.sha256(body).hexdigest(),
        signer=signer,
    )


def _refused(file: Path, why: str) -> IdentityError:
    return IdentityError(
        f"The manifest {file} {why}. Install the signed program again, or sign it again:"
        " wallwright identity make."
    )


PROGRAM = Path(__file__).resolve().parents[3]
"""The folder that contains the packages of this program."""
NAMED = 3
"""Number of files that a sentence names."""
ALL_FILES = "all files"
"""Name of the answer for all roots together; the name of a root has no space."""
_BLOCK = 1 << 18


class _Digest(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def hexdigest(self) -> str: ...


def digests(roots: Mapping[str, str], program: Path) -> Iterator[tuple[str, str]]:
    """The digest of each file below the roots, sorted by name."""
    return _digests(roots, program, hashlib.sha256)


def answer(seed: bytes, roots: Mapping[str, str], program: Path) -> str:
    """The answer to a challenge: the SHA-256 of the names and the keyed digests of all files.

    The seed is the key of each file's HMAC, and therefore stands before the file's bytes: an answer
    cannot be computed from stored digests, nor in advance for an unknown seed.
    """
    return component_answers(seed, roots, program)[ALL_FILES]


def component_answers(seed: bytes, roots: Mapping[str, str], program: Path) -> dict[str, str]:
    """The answers to a challenge for each root alone, by its name, and for `ALL_FILES`.

    Each file is read once.
    """
    head = b"wallwright challenge 1\n" + seed.hex().encode() + b"\n"
    whole, answers = hashlib.sha256(head), {}
    for root, place in sorted(roots.items()):
        total = hashlib.sha256(head)
        for name, digest in _digests(
            {root: place}, program, lambda: hmac.new(seed, digestmod=hashlib.sha256)
        ):
            line = f"{digest} {name}\n".encode("utf-8", "surrogateescape")
            total.update(line)
            whole.update(line)
        answers[root] = total.hexdigest()
    return {ALL_FILES: whole.hexdigest(), **answers}


def differences(files: Mapping[str, str], roots: Mapping[str, str], program: Path) -> list[str]:
    """Each file that was changed, added or removed, as `NAME was changed`; sorted by name."""
    left, found = dict(files), []
    for name, digest in digests(roots, program):
        expected = left.pop(name, None)
        if expected is None:
            found.append(f"{name} was added")
        elif expected != digest:
            found.append(f"{name} was changed")
    return sorted([*found, *(f"{name} is missing" for name in left)])


def require_no_differences(
    files: Mapping[str, str], roots: Mapping[str, str], program: Path
) -> None:
    """Raises IdentityError with the first files that differ from the manifest."""
    found = differences(files, roots, program)
    if found:
        more = f", and {len(found) - NAMED} more" if len(found) > NAMED else ""
        raise IdentityError(
            f"The program is not the one that was signed: {', '.join(found[:NAMED])}{more}. Install"
            " the signed program again; `wallwright identity check` lists every such file."
        )


def require_owned_by_root(
    roots: Mapping[str, str],
    program: Path,
    state_of: Callable[[str], os.stat_result] = os.lstat,
) -> None:
    """Check that only root can write the program, each folder of it and each folder above.

    The program checks itself. If the user of the service could write its files, a program that was
    changed through the service could leave out the check and still show the signed identity. Roots
    that are single files, such as a table's file, contain no program. Access control lists are not
    read. Raises IdentityError.
    """
    folders = {os.path.normpath(program / place) for place in roots.values()}
    folders = {path for path in folders if os.path.isdir(path)}  # noqa: PTH112 - as below
    above = {str(folder) for path in folders for folder in Path(path).resolve().parents}
    for path in sorted(above):
        state = state_of(path)
        if state.st_mode & stat.S_ISVTX and state.st_uid == 0:
            continue  # in such a folder only root can rename the files of root
        _require_of_root(path, state)
    for folder in sorted(folders):
        _require_of_root(folder, state_of(folder))
        for place, names, files in os.walk(folder):
            for name in (*names, *files):
                path = f"{place}/{name}"
                state = state_of(path)
                if not stat.S_ISLNK(state.st_mode):
                    _require_of_root(path, state)


def _require_of_root(path: str, state: os.stat_result) -> None:
    if state.st_uid == 0 and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return
    raise IdentityError(
        f"{path} can be written by others than root (user {state.st_uid}, mode"
        f" {stat.S_IMODE(state.st_mode):04o}), so a changed program could leave out its own check."
        f" Correct it: chown -R root {path} && chmod -R go-w {path}"
    )


def covers(roots: Mapping[str, str], program: Path, file: Path) -> bool:
    """Whether a file is one of the roots or below one; its digest is then in the manifest."""
    found = file.resolve()
    return any(found.is_relative_to((program / place).resolve()) for place in roots.values())


def _digests(
    roots: Mapping[str, str], program: Path, new: Callable[[], _Digest]
) -> Iterator[tuple[str, str]]:
    for name, place in sorted(roots.items()):
        path = os.path.normpath(program / place)
        yield from _below(path, name, new)


def _below(path: str, name: str, new: Callable[[], _Digest]) -> Iterator[tuple[str, str]]:
    """The digest of a file, or of each file in a folder. A missing one has none."""
    digest = new()
    try:
        if os.path.islink(path):  # noqa: PTH114 - a Path costs more than the call
            digest.update(b"link " + os.fsencode(os.readlink(path)))  # noqa: PTH115 - as above
        elif os.path.isdir(path):  # noqa: PTH112 - as above
            for entry in sorted(os.listdir(path)):  # noqa: PTH208 - as above
                yield from _below(f"{path}/{entry}", f"{name}/{entry}", new)
            return
        elif os.path.isfile(path):  # noqa: PTH113 - as above
            with open(path, "rb", buffering=0) as stream:  # noqa: PTH123 - as above
                while block := stream.read(_BLOCK):
                    digest.update(block)
        elif os.path.exists(path):  # noqa: PTH110 - as above
            digest.update(b"device or socket")
        else:
            return
    except OSError as error:
        raise IdentityError(
            f"{path} cannot be read ({error.strerror}), so the program cannot be checked. Make it"
            " readable for the user of the service."
        ) from error
    yield name, digest.hexdigest()
