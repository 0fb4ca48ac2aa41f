import io
import json
import random
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tlog_scales import signing, tlog

from controller.records.audit import bundle
from controller.records.audit.bundle import VerifiedBundle, export_bundle, sealed, verify_bundle
from controller.records.audit.canonical_json import canonical
from controller.records.audit.errors import AuditError, RefusedProofError
from controller.records.audit.log.event_line import LONGEST_LINE
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.records.audit.notes import (
    COSIGNATURE,
    Checkpoint,
    SignedNote,
    SigningKey,
    VerifierKey,
    encoded,
    read_key,
)
from controller.records.audit.tree import leaf_hash
from tests.controller.records.audit.logs_for_tests import entry, log_of
from tests.damage import with_one_changed_byte
from tests.quick import tries


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> LogFolder:
    """A log with 43 events, five signed heads and two keys."""
    log = log_of(tmp_path_factory.mktemp("log") / "audit", 20)
    log.append([entry(21)], keep_head=True)
    log.rotate_key(entry(22))
    log.append([entry(number) for number in range(23, 33)], keep_head=True)
    log.append([entry(number) for number in range(33, 43)])
    log.close()
    return log.folder


def bundle_of(folder: LogFolder, first: int = 0) -> bytes:
    file = io.BytesIO()
    export_bundle(checked_log(folder), file, first)
    return file.getvalue()


def verified(data: bytes, known: VerifierKey | None = None) -> VerifiedBundle:
    return verify_bundle(io.BytesIO(data), known)


def test_a_bundle_verifies_by_itself(folder: LogFolder) -> None:
    bundle = verified(bundle_of(folder))
    assert (bundle.first, bundle.size, bundle.heads) == (0, 43, 5)
    assert (bundle.begun.what, bundle.last.index) == ("log_begun", 42)
    assert len(bundle.keys) == 2


def test_a_part_of_the_log_verifies_by_itself(folder: LogFolder) -> None:
    for first in (1, 21, 22, 23, 32, 42):
        bundle = verified(bundle_of(folder, first))
        assert (bundle.begun.index, bundle.last.index, bundle.size) == (first, 42, 43)
    with pytest.raises(AuditError, match="got 43"):
        bundle_of(folder, 43)


def test_another_implementation_accepts_the_heads_and_proofs(folder: LogFolder) -> None:
    head, *rest = bundle_of(folder, 5).splitlines()
    header = json.loads(head)
    keys = [
        header["keys"]["first_key"],
        json.loads(header["keys"]["rotations"][0]["event"])["details"]["new_key"],
    ]
    heads = [tlog.Checkpoint.from_text(each["note"]) for each in header["heads"]]
    for number, each in enumerate(heads):
        each.verify(signing.Vkey.from_string(keys[number > 2]))
        if number:
            path = [bytes.fromhex(text) for text in header["heads"][number]["consistency"]]
            before = heads[number - 1]
            tlog.ConsistencyProof(before.size, each.size, path).check(
                before.root_hash, each.root_hash
            )
    for proof in header["inclusion"]:
        path = [bytes.fromhex(text) for text in proof["path"]]
        tlog.InclusionProof(proof["index"], header["size"], path).check(
            leaf_hash(rest[proof["index"] - 5]), heads[-1].root_hash
        )


@pytest.mark.evidence
def test_any_changed_byte_is_refused_with_a_reason(folder: LogFolder) -> None:
    for data in with_one_changed_byte(bundle_of(folder, 3), sample=250, quick=40):
        with pytest.raises(RefusedProofError, match=r"\w{3}"):
            verified(data)


@pytest.mark.evidence
def test_a_truncated_or_longer_bundle_is_refused(folder: LogFolder) -> None:
    whole, chance = bundle_of(folder), random.Random(8)
    for _ in range(tries(80, quick=20, evidence=2000)):
        with pytest.raises(RefusedProofError):
            verified(whole[: chance.randrange(len(whole))])
    for more in (b"\n", b"{}", whole):
        with pytest.raises(RefusedProofError):
            verified(whole + more)


def forged(folder: LogFolder, change: Callable[[dict[str, Any], list[bytes]], None]) -> bytes:
    """A changed bundle whose last signature is right: the forger has the device's key."""
    first, *events, _ = bundle_of(folder).splitlines()
    header = json.loads(first)
    change(header, events)
    text = b"".join(line + b"\n" for line in (canonical(header), *events))
    return resealed(text, read_key(folder.key))


def resealed(text: bytes, key: SigningKey) -> bytes:
    signature = encoded(key.sign(sealed(sha256(text).digest())))
    return text + canonical({"key": str(key.public), "signature": signature}) + b"\n"


def swap_events(header: dict[str, Any], events: list[bytes]) -> None:
    events[7], events[8] = events[8], events[7]


def exchange_contents(header: dict[str, Any], events: list[bytes]) -> None:
    events[7] = events[8].replace(b'"index":8', b'"index":7')


def change_an_event(header: dict[str, Any], events: list[bytes]) -> None:
    events[30] = events[30].replace(b"Mei", b"Bob")


def remove_an_event(header: dict[str, Any], events: list[bytes]) -> None:
    del events[30]


def replay_a_head(header: dict[str, Any], events: list[bytes]) -> None:
    header["heads"].insert(2, header["heads"][1])


def replay_an_old_head_as_the_last(header: dict[str, Any], events: list[bytes]) -> None:
    header["heads"].append(header["heads"][1])


def leave_out_the_last_head(header: dict[str, Any], events: list[bytes]) -> None:
    header["heads"].pop()


def hide_the_new_key(header: dict[str, Any], events: list[bytes]) -> None:
    header["keys"]["rotations"] = []


def end_before_the_new_key(header: dict[str, Any], events: list[bytes]) -> None:
    header["heads"] = header["heads"][:2]
    header["size"] = json.loads(events[21])["index"] + 1
    del events[22:]


def name_another_first_key(header: dict[str, Any], events: list[bytes]) -> None:
    other = SigningKey(header["origin"], bytes(32)).public
    header["keys"]["first_key"] = str(other)


def change_a_proof(header: dict[str, Any], events: list[bytes]) -> None:
    header["inclusion"][1]["path"][0] = "00" * 32


def prove_an_event_that_is_missing(header: dict[str, Any], events: list[bytes]) -> None:
    header["inclusion"].append({"index": 99, "path": []})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (swap_events, "Event 7 is missing"),
        (exchange_contents, "do not have the root of the signed head of size 22"),
        (change_an_event, "do not have the root of the signed head of size 33"),
        (remove_an_event, "Event 30 is missing"),
        (replay_a_head, "a head was replayed"),
        (replay_an_old_head_as_the_last, "has no event 22"),
        (leave_out_the_last_head, "sizes in the bundle's header|does not lead to the root"),
        (hide_the_new_key, "has no signature of"),
        (end_before_the_new_key, "no event 22|does not lead"),
        (name_another_first_key, "is not signed by the old"),
        (change_a_proof, "inclusion proof of event 42"),
        (prove_an_event_that_is_missing, "does not have"),
    ],
)
def test_what_a_forger_with_the_key_changes_is_refused(
    folder: LogFolder,
    change: Callable[[dict[str, Any], list[bytes]], None],
    reason: str,
) -> None:
    with pytest.raises(RefusedProofError, match=reason):
        verified(forged(folder, change))
    assert verified(forged(folder, lambda header, events: None)).size == 43


def test_a_bundle_of_another_device_is_refused_if_the_key_is_known(
    folder: LogFolder, tmp_path: Path
) -> None:
    other = log_of(tmp_path / "audit", 2)
    other.close()
    known = read_key(folder.key).public
    assert verified(bundle_of(folder), known).size == 43
    with pytest.raises(RefusedProofError, match=r"from another device, .* or a forgery"):
        verified(bundle_of(other.folder), known)


def test_a_bundle_is_exported_while_the_service_writes(tmp_path: Path) -> None:
    log = log_of(tmp_path / "audit", 6)
    assert verified(bundle_of(log.folder)).size == 7
    log.append([entry(8)])
    assert verified(bundle_of(log.folder)).size == 8
    log.close()


def test_no_file_that_leaves_the_table_contains_the_private_key(folder: LogFolder) -> None:
    secret = folder.key.read_bytes().splitlines()[2]
    assert len(secret) == 64
    data = bundle_of(folder)
    assert secret not in data
    assert bytes.fromhex(secret.decode()) not in data
    assert secret.decode() not in repr(read_key(folder.key))


def test_a_bundle_of_a_log_with_many_receipts_has_few_of_its_heads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "MOST_SPACED_HEADS", 5)
    log = log_of(tmp_path / "audit", 1)
    for number in range(2, 60):
        if number == 30:
            log.rotate_key(entry(number))
        else:
            log.append([entry(number, what="receipt")], keep_head=True)
    log.close()
    data = bundle_of(log.folder)
    sizes = [int(each["note"].split("\n")[1]) for each in json.loads(data.split(b"\n")[0])["heads"]]
    assert sizes == [12, 24, 31, 43, 55, 60], "the rotation, the last one, and one in 12 events"
    assert verified(data).size == 60


def test_a_header_with_millions_of_values_is_refused_before_it_is_parsed() -> None:
    header = b'{"before":[' + b"[]," * 100_000 + b'[]],"format":"wallwright-audit-bundle/1"}\n'
    with pytest.raises(RefusedProofError, match="more values than a header can have"):
        verified(header)


def test_an_event_that_is_too_long_is_refused(folder: LogFolder) -> None:
    header, rest = bundle_of(folder).split(b"\n", 1)
    longer = header + b"\n" + b" " * LONGEST_LINE + rest
    with pytest.raises(RefusedProofError, match="next event is too long"):
        verified(longer)


def test_a_cosignature_of_a_time_that_no_calendar_has_is_refused(folder: LogFolder) -> None:
    witness = SigningKey("casino.example/floor", bytes(32), COSIGNATURE)

    def cosign(header: dict[str, Any], events: list[bytes]) -> None:
        note = SignedNote.parsed(header["heads"][-1]["note"])
        line = witness.cosignature(Checkpoint.parsed(note.text), 2**64 - 1)
        header["heads"][-1]["note"] = str(note.with_signature(line))
        header["witnesses"] = [str(witness.public)]

    with pytest.raises(RefusedProofError, match=f"is out of range: {2**64 - 1}"):
        verified(forged(folder, cosign))
