"""The maker's side: a folder with releases and the TUF metadata that signs them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import Metadata, MetaFile, Root, Snapshot, TargetFile, Targets, Timestamp

from config.durable_files import replace_file
from controller.records.identity.manifest import read_manifest, require_no_differences
from controller.upkeep.update.archive import pack
from controller.upkeep.update.installation import TARGET
from controller.upkeep.update.slots import UpdateError
from firmware_bridge.signatures import signing_key

ROLES = ("root", "targets", "snapshot", "timestamp")
LIFE = {
    "root": timedelta(days=730),
    "targets": timedelta(days=180),
    "snapshot": timedelta(days=30),
    "timestamp": timedelta(days=30),
}
"""How long the metadata of a role is valid; a table refuses an older folder as frozen."""
RENEWED = timedelta(days=365)
"""A release renews the root if it ends within this time. A maker who releases once a year therefore
never lets it end, which would shut out every table."""
PREVIOUS = "root.previous"
"""The name of the earlier key of the root in the folder of the keys, after a change of it."""


def make_repository(
    folder: Path,
    program: Path,
    manifest: Path,
    keys: Path,
    signers: Path,
    *,
    now: datetime | None = None,
    new_keys: bool = False,
) -> int:
    """Add a release to the repository in `folder`, or make one; returns the release's number.

    `keys` is the folder of the maker's private keys, one for each role; a missing key is created.
    With `new_keys` the next root names the present keys, if they are others.
    Raises UpdateError, IdentityError or SignatureError.
    """
    moment = (now or datetime.now(UTC)).replace(microsecond=0)
    found = read_manifest(manifest, signers)
    require_no_differences(found.files, found.roots, program)
    roles = {role: _signer(keys, role) for role in ROLES}
    for part in ("metadata", "targets"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    before = _newest(folder, "targets")
    if before is not None:
        newest = before.signed.targets[TARGET].custom["release"]
        if found.release <= newest:
            raise UpdateError(
                f"The repository has the release {newest}; the release {found.release} is not"
                " newer. Sign the program with a higher --release."
            )
    _renew_root(folder, keys, roles, moment, new_keys=new_keys)
    archive = folder / "targets" / TARGET
    pack(program, manifest, archive)
    target = TargetFile.from_file(TARGET, str(archive), ["sha256"])
    target.unrecognized_fields["custom"] = {"release": found.release, "program": found.program}
    archive.replace(folder / "targets" / f"{target.hashes['sha256']}.{TARGET}")
    version = 1 if before is None else before.signed.version + 1
    targets = Targets(version=version, expires=moment + LIFE["targets"], targets={TARGET: target})
    snapshot = Snapshot(version=version, expires=moment + LIFE["snapshot"])
    snapshot.meta["targets.json"] = _write(folder, targets, roles["targets"])
    timestamp = Timestamp(version=version, expires=moment + LIFE["timestamp"])
    timestamp.snapshot_meta = _write(folder, snapshot, roles["snapshot"])
    _write(folder, timestamp, roles["timestamp"])
    return found.release


def _signer(keys: Path, role: str) -> CryptoSigner:
    return CryptoSigner(signing_key(keys / role, keys / "public_keys"))


def _root(roles: dict[str, CryptoSigner], moment: datetime) -> Root:
    root = Root(version=1, expires=moment + LIFE["root"], consistent_snapshot=True)
    for role, signer in roles.items():
        root.add_key(signer.public_key, role)
    return root


def _renew_root(
    folder: Path,
    keys: Path,
    roles: dict[str, CryptoSigner],
    moment: datetime,
    *,
    new_keys: bool,
) -> None:
    """Write the next root if there is none, if it ends soon, or if roles get new keys.

    Tables follow the chain of roots: each is signed with the key of the root before, and with its
    own. Raises UpdateError if the key of the root before is missing.
    """
    before = _newest(folder, "root")
    root = _root(roles, moment)
    if before is None:
        _write(folder, root, roles["root"])
        return
    known: dict[str, list[str]] = {
        role: before.signed.roles[role].keyids for role in before.signed.roles
    }
    is_same = known == {role: root.roles[role].keyids for role in root.roles}
    if not is_same and not new_keys:
        return  # tables refuse what a key signs that the root does not name
    if is_same and before.signed.expires - moment > RENEWED:
        return
    root.version = before.signed.version + 1
    metadata = Metadata(root)
    metadata.sign(roles["root"])
    if roles["root"].public_key.keyid not in known["root"]:
        if not (keys / PREVIOUS).exists():
            raise UpdateError(
                f"The key {keys / 'root'} is not the one that has signed the root of {folder}. Put"
                f" the earlier key beside it as {PREVIOUS}: it has to sign the new root, or no"
                " table accepts it."
            )
        earlier = _signer(keys, PREVIOUS)
        if earlier.public_key.keyid not in known["root"]:
            raise UpdateError(
                f"The key {keys / PREVIOUS} has not signed the root of {folder}; put the key there"
                " that was used before."
            )
        metadata.sign(earlier, append=True)
    file = folder / "metadata" / f"{root.version}.root.json"
    replace_file(file, metadata.to_bytes())


def _newest(folder: Path, role: str) -> Metadata[Any] | None:
    """The metadata of a role with the highest version."""
    files = (folder / "metadata").glob(f"*.{role}.json")
    numbered = sorted((int(file.name.partition(".")[0]), file) for file in files)
    return Metadata.from_file(str(numbered[-1][1])) if numbered else None


def _write(folder: Path, signed: Any, signer: CryptoSigner) -> MetaFile:
    """Sign and write the metadata of a role; returns its entry in the metadata above it."""
    metadata = Metadata(signed)
    metadata.sign(signer)
    data = metadata.to_bytes()
    name = f"{signed.type}.json"
    if signed.type != "timestamp":
        name = f"{signed.version}.{name}"
    (folder / "metadata" / name).write_bytes(data)
    return MetaFile.from_data(signed.version, data, ["sha256"])
