"""No forged or altered receipt, bundle, head or chain of keys is accepted by either verifier."""

from __future__ import annotations

import io
import json
from collections import Counter
from random import Random

import pytest

from controller.records.audit.bundle import verify_bundle
from controller.records.audit.errors import RefusedProofError
from controller.records.audit.log.key_chain import KeyChain
from controller.records.audit.notes import SignedNote, SigningKey, VerifierKey
from controller.records.audit.receipts import receipt_text, verify_receipt
from examples import verify_elsewhere
from tests.controller.records.audit.forger import (
    Device,
    ForgedLog,
    Forger,
    device_of,
    first_event,
    introduction,
    receipt_event,
)
from tests.quick import seed_of, tries


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> Device:
    return device_of(tmp_path_factory.mktemp("device") / "audit")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Device:
    return device_of(tmp_path_factory.mktemp("other") / "audit")


def is_accepted(data: bytes, known: VerifierKey | None) -> bool:
    """Whether `wallwright verify` accepts a receipt or a bundle."""
    try:
        if data.startswith(b"{\n"):
            verify_receipt(data, known)
        else:
            verify_bundle(io.BytesIO(data), known)
    except RefusedProofError:
        return False
    return True


def is_accepted_elsewhere(data: bytes, known: VerifierKey | None) -> bool:
    """Whether the independent verifier accepts it, as its `main` decides."""
    verify = (
        verify_elsewhere.verify_receipt
        if data.startswith(b"{\n")
        else verify_elsewhere.verify_bundle
    )
    try:
        keys, _ = verify(data)
        keys.require_known("" if known is None else str(known))
    except verify_elsewhere.REFUSALS:
        return False
    return True


def is_head_accepted_elsewhere(note: str, signers: tuple[tuple[int, VerifierKey], ...]) -> bool:
    keys = verify_elsewhere.Keys.__new__(verify_elsewhere.Keys)
    keys.keys = [(begin, verify_elsewhere.Key(str(key))) for begin, key in signers]
    try:
        keys.head(note)
    except verify_elsewhere.REFUSALS:
        return False
    return True


def is_head_accepted(note: str, keys: KeyChain) -> bool:
    try:
        keys.verified(SignedNote.parsed(note))
    except RefusedProofError:
        return False
    return True


def test_saved_files_are_accepted_with_the_key_of_their_time_and_each_earlier_one(
    device: Device,
) -> None:
    for number, receipt in enumerate(device.receipts):
        for earlier, key in enumerate(device.keys):
            expected = earlier <= number
            for data in (receipt, *device.bundles[2 * number : 2 * number + 2]):
                assert is_accepted(data, key.public) == expected, (number, earlier)
                assert is_accepted_elsewhere(data, key.public) == expected, (number, earlier)


def test_a_log_that_only_ends_with_the_introduction_of_the_known_key_proves_nothing(
    device: Device,
) -> None:
    """The attack: the forger's key F signs everything, and the last event introduces K by F."""
    known = device.keys[-1].public
    own = SigningKey(known.name, b"F" * 32)
    lines = [first_event(own.public), receipt_event(1), introduction(own, known, 2)]
    log = ForgedLog(known.name, lines)
    made = log.receipt(1, log.head(3, own), own.public, [2])
    older = {**made, "format": "wallwright-receipt/1", "keys": {**made["keys"]}}
    del older["keys"]["begun"]
    for each in (made, older):
        data = receipt_text(each).encode()
        for key in (known, None):
            with pytest.raises(RefusedProofError, match="signs nothing in it"):
                verify_receipt(data, key)
            assert not is_accepted_elsewhere(data, key)
    bundle = log.bundle([log.head(3, own)], own, own.public, [2])
    assert not is_accepted(bundle, known)
    assert not is_accepted_elsewhere(bundle, known)


def test_no_key_can_be_removed_from_the_beginning_of_a_receipt(device: Device) -> None:
    receipt = json.loads(device.receipts[-1])
    removed = receipt["keys"]["rotations"].pop(0)
    receipt["keys"]["first_key"] = json.loads(removed["event"])["details"]["new_key"]
    data = receipt_text(receipt).encode()
    with pytest.raises(RefusedProofError, match="first event names another key"):
        verify_receipt(data)
    assert not is_accepted_elsewhere(data, None)


def test_a_receipt_is_refused_if_a_witness_or_an_authority_is_required(device: Device) -> None:
    witness = SigningKey("floor", b"W" * 32, 4).public
    with pytest.raises(RefusedProofError, match="has no cosignature of a witness"):
        verify_receipt(device.receipts[0], None, [witness])
    with pytest.raises(RefusedProofError, match="has no time stamp of an authority"):
        verify_receipt(device.receipts[0], None, (), ["certificate"])  # type: ignore[list-item]


def test_a_head_with_an_empty_line_behind_its_signature_is_refused(device: Device) -> None:
    keys = device.log.keys
    note = str(device.heads[-1])
    assert is_head_accepted(note, keys)
    assert is_head_accepted_elsewhere(note, keys.signers)
    assert not is_head_accepted(f"{note}\n", keys)
    assert not is_head_accepted_elsewhere(f"{note}\n", keys.signers)


@pytest.mark.evidence
def test_no_forged_or_altered_file_is_accepted_by_either_verifier(
    device: Device, other: Device, pytestconfig: pytest.Config
) -> None:
    """Half of the cases are invented logs, for a verifier who knows a key of the device."""
    seed = seed_of(pytestconfig, 27)
    print(f"Forgeries of the seed {seed}.")  # noqa: T201 - a failure shows it
    forger = Forger(device, other, Random(seed))
    right = {*device.receipts, *device.bundles}
    right_heads = {str(note) for note in device.heads}
    keys, counts = device.log.keys, Counter[str]()
    for number in range(tries(600, quick=300, evidence=2_000_000)):
        kind = ("chain", "receipt", "chain", "bundle", "chain", "head")[number % 6]
        if kind == "head":
            note = forger.altered_head()
            if note not in right_heads:
                counts[kind] += 1
                assert not is_head_accepted(note, keys), note
                assert not is_head_accepted_elsewhere(note, keys.signers), note
            continue
        known: VerifierKey | None = None
        if kind == "chain":
            data, known = forger.forged_chain()
        else:
            data = forger.altered_receipt() if kind == "receipt" else forger.altered_bundle()
        if data not in right:
            counts[kind] += 1
            assert not is_accepted(data, known), data.decode()
            assert not is_accepted_elsewhere(data, known), data.decode()
    assert all(counts[kind] for kind in ("chain", "receipt", "bundle", "head")), counts
