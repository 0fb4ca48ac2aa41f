from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tlog_scales import signing, tlog

from controller.records.audit.errors import AuditError, RefusedProofError
from controller.records.audit.log.audit_log import AuditLog
from controller.records.audit.log.log_reader import checked_log
from controller.records.audit.notes import COSIGNATURE, SigningKey, new_key
from controller.records.audit.witnessing import (
    WitnessMemory,
    cosigned,
    keep_daily,
    take_cosignature,
    witness_request,
)
from tests.controller.records.audit.logs_for_tests import NOON, entry, log_of


@pytest.fixture
def witness(tmp_path: Path) -> SigningKey:
    return new_key(tmp_path / "witness.key", "casino.example/floor", COSIGNATURE)


def ask(log: AuditLog, tmp_path: Path, witness: SigningKey, seen: int) -> str:
    request = witness_request(checked_log(log.folder), seen)
    memory = WitnessMemory(tmp_path / "memory")
    return str(cosigned(request, witness, memory, NOON, log.key.public))


def test_a_witness_cosigns_heads_that_continue_each_other(
    tmp_path: Path, witness: SigningKey
) -> None:
    log = log_of(tmp_path / "audit", 5)
    first = ask(log, tmp_path, witness, 0)
    log.append([entry(6)])
    second = ask(log, tmp_path, witness, 6)
    log.append([entry(7)])
    log.close()
    reader = checked_log(log.folder)
    sizes = [take_cosignature(reader, f"{line}\n", witness.public) for line in (first, second)]
    assert sizes == [6, 7]
    note = next(note for note in checked_log(log.folder).heads() if "\n7\n" in note.text)
    theirs = tlog.Checkpoint.from_text(str(note))
    theirs.verify(signing.Vkey.from_string(str(witness.public)))


def test_a_witness_refuses_a_log_that_was_rewritten(tmp_path: Path, witness: SigningKey) -> None:
    log = log_of(tmp_path / "audit", 5)
    ask(log, tmp_path, witness, 0)
    other = AuditLog.__new__(AuditLog)
    other.__dict__.update(log.__dict__)
    head = replace(log.head, size=9, root=bytes(32))
    lines = witness_request(checked_log(log.folder), 6).split("\n\n")[0]
    request = f"{lines}\n\n{log.key.signed(head)}"
    memory = WitnessMemory(tmp_path / "memory")
    with pytest.raises(RefusedProofError, match="consistency proof"):
        cosigned(request, witness, memory, NOON)
    forked = replace(log.head, root=bytes(32))
    with pytest.raises(RefusedProofError, match="contradict"):
        cosigned(f"{lines}\n\n{log.key.signed(forked)}", witness, memory, NOON)
    log.close()
    assert other is not log


def test_a_witness_refuses_a_log_that_it_does_not_know(tmp_path: Path, witness: SigningKey) -> None:
    log = log_of(tmp_path / "audit", 5)
    request = witness_request(checked_log(log.folder), 0)
    with pytest.raises(RefusedProofError, match="new to this witness"):
        cosigned(request, witness, WitnessMemory(tmp_path / "memory"), NOON)
    later = witness_request(checked_log(log.folder), 3)
    with pytest.raises(RefusedProofError, match="seen no head"):
        cosigned(later, witness, WitnessMemory(tmp_path / "memory"), NOON, log.key.public)
    ask(log, tmp_path, witness, 0)
    with pytest.raises(RefusedProofError, match="ask with `--seen 6`"):
        cosigned(later, witness, WitnessMemory(tmp_path / "memory"), NOON)
    for text in (
        "",
        "old 1",
        "old x\n\n",
        request.replace("— ", "- "),
        "old 0\n!\n\nx\n\n— a AAAA",
    ):
        with pytest.raises(RefusedProofError):
            cosigned(text, witness, WitnessMemory(tmp_path / "memory"), NOON)
    log.close()


def test_a_cosignature_of_another_head_or_witness_is_not_kept(
    tmp_path: Path, witness: SigningKey
) -> None:
    log, other = log_of(tmp_path / "audit", 5), log_of(tmp_path / "other", 5)
    line = ask(other, tmp_path, witness, 0)
    stranger = new_key(tmp_path / "stranger.key", "casino.example/floor", COSIGNATURE)
    with pytest.raises(RefusedProofError, match="no kept head"):
        take_cosignature(checked_log(log.folder), line, witness.public)
    with pytest.raises(RefusedProofError, match="not signed by"):
        take_cosignature(checked_log(other.folder), line, stranger.public)
    log.close()
    other.close()


def test_a_witness_that_cosigns_often_leaves_one_head_a_day(
    tmp_path: Path, witness: SigningKey
) -> None:
    log = log_of(tmp_path / "audit", 5)
    hours = (0, 1, 5, 11, 13, 30, 37)
    for number, hour in enumerate(hours):
        log.append([entry(6 + number)], keep_head=True)
        head = log.reader().kept_head(log.size)
        assert head is not None
        line = witness.cosignature(log.head, int((NOON + timedelta(hours=hour)).timestamp()))
        keep_daily(log.folder, head.with_signature(line), witness.public)
    log.close()
    kept = sorted(file.name[:12] for file in log.folder.witnessed.glob("*.note"))
    assert kept == [f"{6 + 1 + place:012}" for place in (3, 5, 6)]
    reader = checked_log(log.folder)
    assert len([note for note in reader.heads() if note.signature_of(witness.public)]) == 3
    with pytest.raises(RefusedProofError, match="has no cosignature"):
        keep_daily(log.folder, reader.last_kept_head(), new_key(tmp_path / "k", "w", 4).public)


def test_the_largest_kept_head_of_a_size_is_found(tmp_path: Path) -> None:
    log = log_of(tmp_path / "audit", 5)
    for number in range(3):
        log.append([entry(6 + 2 * number), entry(7 + 2 * number)], keep_head=True)
    reader = log.reader()
    sizes = {most: reader.kept_head(most) for most in (0, 7, 8, 9, 10, 11, 12, 99)}
    found = {most: note and int(note.text.split("\n")[1]) for most, note in sizes.items()}
    assert found[8] == found[9] == 8
    assert (found[10], found[11], found[12], found[99]) == (10, 10, 12, 12)
    assert found[0] is None
    log.close()


def test_a_damaged_memory_is_refused(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    for text in ("{", "[]", '{"a":{}}', '{"a":{"head":"x","key":"y"}}'):
        memory.write_text(text)
        with pytest.raises((AuditError, RefusedProofError)):
            WitnessMemory(memory)
