"""The signed manifest: a changed byte is refused; a challenge needs the files themselves."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
import rfc8785

from controller.records.identity import boot
from controller.records.identity.boot import checked_manifest, require_protected, software_identity
from controller.records.identity.manifest import (
    IdentityError,
    answer,
    covers,
    differences,
    read_manifest,
    require_owned_by_root,
)
from tests.controller.records.identity.signed_program import SignedProgram, small_program


@pytest.fixture
def signed(tmp_path: Path) -> SignedProgram:
    return small_program(tmp_path)


def refusal(signed: SignedProgram) -> str:
    with pytest.raises(IdentityError) as refused:
        checked_manifest(signed.trust, signed.program)
    return str(refused.value)


def test_an_unchanged_program_has_the_identity_of_its_manifest(signed: SignedProgram) -> None:
    manifest = checked_manifest(signed.trust, signed.program)
    whole = json.loads(signed.manifest.read_bytes())
    body = rfc8785.dumps(whole["manifest"])
    assert manifest.digest == hashlib.sha256(body).hexdigest()
    assert rfc8785.dumps(whole) == signed.manifest.read_bytes(), "canonical as a whole"
    assert software_identity(signed.trust) == manifest.digest
    assert len(manifest.files) == 4
    assert (manifest.program, manifest.release, manifest.signer) == ("0.2.0", 1, "own")


def _rewrite(program: Path) -> None:
    (program / "controller" / "daemon.py").write_text("deal = 14\n")


def _relink(program: Path) -> None:
    (program / "link").unlink()
    (program / "link").symlink_to("/etc/passwd")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_rewrite, "program/controller/daemon.py was changed"),
        (lambda program: (program / "table.yaml").unlink(), "program/table.yaml is missing"),
        (lambda program: (program / "extra.py").write_text(""), "program/extra.py was added"),
        (
            lambda program: (program / "controller/__pycache__/daemon.cpython-311.pyc").write_bytes(
                b"\0other"
            ),
            "program/controller/__pycache__/daemon.cpython-311.pyc was changed",
        ),
        (_relink, "program/link was changed"),
    ],
    ids=["changed", "missing", "added", "compiled", "link"],
)
def test_a_changed_missing_or_added_file_is_named(
    signed: SignedProgram, change: Callable[[Path], object], named: str
) -> None:
    change(signed.program)
    assert named in refusal(signed)


def test_any_changed_byte_of_the_manifest_is_refused(signed: SignedProgram) -> None:
    data = signed.manifest.read_bytes()
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1
        signed.manifest.write_bytes(bytes(changed))
        with pytest.raises(IdentityError, match=r"damaged|wrong signature|does not list"):
            read_manifest(signed.manifest, signed.trust / "signers")
    for cut in (data[:-1], data + b" ", b""):
        signed.manifest.write_bytes(cut)
        with pytest.raises(IdentityError, match="is damaged"):
            read_manifest(signed.manifest, signed.trust / "signers")


def test_a_manifest_of_another_signer_is_refused(signed: SignedProgram, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = small_program(tmp_path / "other")
    signed.manifest.write_bytes(other.manifest.read_bytes())
    assert "does not list" in refusal(signed)


def test_a_missing_manifest_is_refused_once_signers_are_installed(signed: SignedProgram) -> None:
    signed.manifest.unlink()
    assert "cannot be read" in refusal(signed)


def test_a_reference_that_the_program_could_write_is_refused(signed: SignedProgram) -> None:
    for path in (signed.trust, signed.manifest, signed.trust / "signers"):
        mode = path.stat().st_mode
        path.chmod(mode | 0o020)
        assert "is writable by other users" in refusal(signed)
        path.chmod(mode)
    checked_manifest(signed.trust, signed.program)


def test_on_a_table_the_reference_must_belong_to_root(
    signed: SignedProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    stat = Path.stat
    values = list(signed.manifest.stat())
    values[4] = 1000
    owned = type(stat(signed.manifest))(values)
    monkeypatch.setattr(Path, "stat", lambda _, **__: owned)
    with pytest.raises(IdentityError, match="belongs to the user 1000 instead of root"):
        require_protected(signed.manifest, by_root=True)
    require_protected(signed.manifest, by_root=False)


def test_a_program_that_the_service_could_write_is_refused(
    signed: SignedProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack: a changed checker in a folder of the service shows the signed identity."""
    changed: dict[str, tuple[int, int]] = {}

    def state_of(path: str) -> os.stat_result:
        values = list(os.lstat(path))
        values[4] = 0  # all belongs to root, and only root writes it
        if not stat.S_ISLNK(values[0]):
            values[0] &= ~(0o022 | stat.S_ISVTX)
        owner, more = changed.get(path, (values[4], 0))
        values[4], values[0] = owner, values[0] | more
        return os.stat_result(values)

    roots = {"program": "."}
    require_owned_by_root(roots, signed.program, state_of)
    program = str(signed.program)
    for path in (
        program,
        f"{program}/controller",
        f"{program}/controller/daemon.py",
        f"{program}/controller/__pycache__/daemon.cpython-311.pyc",
        str(signed.program.resolve().parent),
    ):
        for owner, more in ((1000, 0), (0, 0o020), (0, 0o002)):
            changed[path] = (owner, more)
            with pytest.raises(IdentityError, match=f"{path} can be written by others than root"):
                require_owned_by_root(roots, signed.program, state_of)
        del changed[path]
    changed[str(signed.program.resolve().parent)] = (0, 0o1022)
    require_owned_by_root(roots, signed.program, state_of)
    (signed.program / "controller/daemon.py").chmod(0o666)
    monkeypatch.setattr(boot, "SYSTEM", signed.trust)
    with pytest.raises(IdentityError, match=r"(root|belongs to the user)"):
        checked_manifest(signed.trust, signed.program)


def test_root_does_not_run_a_table_on_a_signed_installation(
    signed: SignedProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boot, "SYSTEM", signed.trust)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    for command in ("serve", "run"):
        why = boot.refusal([command], system=signed.trust)
        assert why is not None
        assert "does not run as root" in why


def test_without_the_folder_of_signers_a_checkout_works_unsigned(tmp_path: Path) -> None:
    assert boot.trust_folder(tmp_path / "none") is None
    assert boot.refusal(["serve"], system=tmp_path / "none") is None
    assert software_identity() == "not signed"


def test_R12_a_challenge_cannot_be_answered_from_stored_hashes(signed: SignedProgram) -> None:
    roots = {"program": "."}
    first = answer(b"a" * 16, roots, signed.program)
    assert first == answer(b"a" * 16, roots, signed.program)
    assert first != answer(b"b" * 16, roots, signed.program)
    _rewrite(signed.program)
    assert first != answer(b"a" * 16, roots, signed.program)


def test_only_files_below_a_root_are_covered(signed: SignedProgram, tmp_path: Path) -> None:
    roots = {"program": ".", "table": str(tmp_path / "table.yaml")}
    assert covers(roots, signed.program, signed.program / "table.yaml")
    assert covers(roots, signed.program, tmp_path / "table.yaml")
    assert not covers(roots, signed.program, tmp_path / "other.yaml")


def test_a_root_that_is_one_file_is_hashed_by_its_name(
    signed: SignedProgram, tmp_path: Path
) -> None:
    table = tmp_path / "table.yaml"
    table.write_text("name: own\n")
    roots = {"program": ".", "table": str(table)}
    signed.sign(roots)
    manifest = checked_manifest(signed.trust, signed.program)
    assert "table" in manifest.files
    table.write_text("name: other\n")
    assert differences(manifest.files, roots, signed.program) == ["table was changed"]
