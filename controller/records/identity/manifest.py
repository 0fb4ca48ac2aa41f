"""The manifest: the SHA-256 of every file of the program, signed by Ed25519.

The file is canonical JSON (RFC 8785) with the members `manifest`, `signature` and `signer`, so the
bytes of `manifest` stand between a fixed beginning and an end of fixed length. The signature covers
these bytes and the name of the format. A reader needs no JSON writer to check it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from controller.records.identity.identity_error import IdentityError
from firmware_bridge.signatures import SignatureError, is_signed, read_signers

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
        raise _refused(file, f"was signed by {public.hex()}, whom {signers} does not list")
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
