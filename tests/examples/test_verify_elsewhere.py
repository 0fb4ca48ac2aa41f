"""Tests the verifier that was written from the pages alone: it agrees with `wallwright verify`."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from controller.records.audit.bundle import export_bundle, verify_bundle
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.records.audit.receipts import receipt_of, receipt_text, verify_receipt
from controller.run.chance.records import ChoiceRequest, CycleDraw, PlayerShare, permutation
from examples import verify_elsewhere
from tests.controller.records.audit.logs_for_tests import entry, log_of
from tests.controller.records.audit.receipts.test_receipts import contents
from tests.damage import with_one_changed_byte

FILE = Path(verify_elsewhere.__file__)
PAGE = (FILE.parents[1] / "docs/regulate/CHANCE.md").read_text("utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> LogFolder:
    """A log with two keys and a receipt whose choices are a permutation, numbers and dice."""
    shares = (PlayerShare(2, "rain on Tuesday"),)
    dice = ChoiceRequest("dice", "dice", 6, 3)
    asked = (permutation("wall", 144), ChoiceRequest("seat", "integer", 1000, 9), dice)
    draw = CycleDraw("pai_gow/0042", 7, bytes(range(32)), shares, asked)
    chosen = draw.draw()
    log = log_of(tmp_path_factory.mktemp("log") / "audit", 17)
    receipt = contents(chance=draw.revealed(chosen).facts())
    log.append([replace(entry(18, what="receipt"), details=receipt)], keep_head=True)
    log.rotate_key(entry(19))
    log.append([entry(number) for number in range(20, 33)], keep_head=True)
    log.close()
    return log.folder


@pytest.fixture(scope="module")
def bundle(folder: LogFolder) -> bytes:
    file = io.BytesIO()
    export_bundle(checked_log(folder), file, 5)
    return file.getvalue()


@pytest.fixture(scope="module")
def receipt(folder: LogFolder) -> bytes:
    return receipt_text(receipt_of(checked_log(folder), 18)).encode()


def test_a_stranger_verifies_in_an_empty_folder_without_wallwright(
    bundle: bytes, receipt: bytes, tmp_path: Path
) -> None:
    for data in (bundle, receipt):
        (tmp_path / "file").write_bytes(data)
        command = [sys.executable, "-I", str(FILE), "file"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        key = done.stdout.split()[-1]
        again = subprocess.run([*command, key], cwd=tmp_path, capture_output=True, check=False)
        assert again.returncode == 0
        other = subprocess.run(
            [*command, f"{key}x"], cwd=tmp_path, capture_output=True, check=False
        )
        assert other.returncode == 1
    assert "3 random choices drawn again" in done.stdout
    imported = re.findall(r"^(?:from|import) (\w+)", FILE.read_text("utf-8"), re.MULTILINE)
    assert {*imported} <= {*sys.stdlib_module_names, "cryptography"}


@pytest.mark.evidence
def test_both_verifiers_refuse_each_changed_byte(bundle: bytes, receipt: bytes) -> None:
    for data in with_one_changed_byte(bundle, sample=120, quick=20):
        with pytest.raises(RefusedProofError):
            verify_bundle(io.BytesIO(data))
        with pytest.raises((verify_elsewhere.Refused, LookupError, TypeError, ValueError)):
            verify_elsewhere.verify_bundle(data)
    for data in with_one_changed_byte(receipt, sample=120, quick=20):
        with pytest.raises(RefusedProofError):
            verify_receipt(data)
        with pytest.raises((verify_elsewhere.Refused, LookupError, TypeError, ValueError)):
            verify_elsewhere.verify_receipt(data)


def test_the_example_of_the_page_can_be_drawn_by_both() -> None:
    text = re.search(r"```json\n(\{\n  \"version\".*?)```", PAGE, re.DOTALL)
    assert text is not None
    record = json.loads(text[1])
    (code,) = verify_elsewhere.share_codes(record)
    assert verify_elsewhere.verify_chance(record).endswith(f"players' shares: {code}")
    assert f"`{code}`" in PAGE
    share, players = bytes.fromhex(record["reveal"]), (PlayerShare(2, "rain on Tuesday"),)
    asked = (permutation("permutation of set 0", 8), ChoiceRequest("dice", "dice", 6, 3))
    draw = CycleDraw(record["device"], record["cycle"], share, players, asked)
    assert draw.revealed(draw.draw()).facts() == record
