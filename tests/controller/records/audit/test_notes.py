import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tlog_scales import signing, tlog

from controller.records.audit.errors import AuditError, RefusedProofError
from controller.records.audit.notes import (
    COSIGNATURE,
    Checkpoint,
    NoteSignatureLine,
    SignedNote,
    SigningKey,
    VerifierKey,
    cosigned_at,
    new_key,
    read_key,
    verified_checkpoint,
)

LOG = SigningKey("wallwright/pai_gow/17", bytes(range(32)))
OTHER = SigningKey("wallwright/pai_gow/17", bytes(range(1, 33)))
WITNESS = SigningKey("casino.example/witness", bytes(32), COSIGNATURE)
HEAD = Checkpoint(LOG.public.name, 17, bytes(range(32)))

PUBLISHED_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PUBLISHED_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZ"
    "b6KE6RyyBwJnAM=\n"
)
"""The example of the package golang.org/x/mod/sumdb/note."""


def test_a_published_note_verifies() -> None:
    note = SignedNote.parsed(PUBLISHED_NOTE)
    key = VerifierKey.parsed(PUBLISHED_KEY)
    assert note.signature_of(key) is not None
    assert (str(note), str(key)) == (PUBLISHED_NOTE, PUBLISHED_KEY)


def test_another_implementation_reads_and_verifies_our_checkpoints() -> None:
    note = LOG.signed(HEAD).with_signature(WITNESS.cosignature(HEAD, 1_700_000_000))
    theirs = tlog.Checkpoint.from_text(str(note))
    assert (theirs.origin, theirs.size, theirs.root_hash) == (HEAD.origin, 17, HEAD.root)
    assert theirs.serialize() == str(note)
    for key in (LOG.public, WITNESS.public):
        theirs.verify(signing.Vkey.from_string(str(key)))
    with pytest.raises(RuntimeError):
        theirs.verify(signing.Vkey.from_string(str(OTHER.public)))


def test_we_read_and_verify_the_checkpoints_of_another_implementation() -> None:
    signer = signing.PlainEd25519Signer(LOG.public.name, bytes(range(32)))
    made = tlog.Checkpoint.make_signed(HEAD.origin, HEAD.size, HEAD.root, [signer]).serialize()
    assert made == str(LOG.signed(HEAD))
    key = VerifierKey.parsed(signer.vkey.serialize())
    assert verified_checkpoint(SignedNote.parsed(made), key) == HEAD


def test_extension_lines_are_kept_and_signed() -> None:
    head = replace(HEAD, extensions=("time 2026-01-02T03:04:05Z", "table pai_gow"))
    note = SignedNote.parsed(str(LOG.signed(head)))
    assert verified_checkpoint(note, LOG.public) == head
    with pytest.raises(RefusedProofError, match="signature of"):
        verified_checkpoint(replace(note, text=note.text.replace("pai_gow\n", "x\n")), LOG.public)


def test_a_cosignature_holds_its_time_and_the_checkpoint() -> None:
    line = WITNESS.cosignature(HEAD, 1_700_000_000)
    note = LOG.signed(HEAD).with_signature(line)
    assert note.with_signature(line) == note
    assert note.signature_of(WITNESS.public) == line
    assert cosigned_at(line) == 1_700_000_000
    late = NoteSignatureLine(line.name, line.key_id, (1).to_bytes(8, "big") + line.data[8:])
    with pytest.raises(RefusedProofError, match="witness is wrong"):
        LOG.signed(HEAD).with_signature(late).signature_of(WITNESS.public)


def test_a_checkpoint_of_another_key_or_another_log_is_refused() -> None:
    with pytest.raises(RefusedProofError, match="has no signature"):
        verified_checkpoint(OTHER.signed(HEAD), LOG.public)
    elsewhere = SigningKey("wallwright/pai_gow/18", bytes(range(32)))
    with pytest.raises(RefusedProofError, match="belongs to"):
        verified_checkpoint(elsewhere.signed(replace(HEAD, origin="x")), LOG.public)


def test_every_changed_byte_of_a_checkpoint_is_refused() -> None:
    whole = str(LOG.signed(HEAD)).encode()
    for place in range(len(whole)):
        for change in (1, 128):
            data = bytearray(whole)
            data[place] ^= change
            with pytest.raises((RefusedProofError, UnicodeDecodeError)):
                verified_checkpoint(SignedNote.parsed(data.decode()), LOG.public)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text\n",
        "text\n\n",
        "text\n\n— name\n",
        "text\n\n- name AAAAAAAA\n",
        "text\n\n— name AAAA\n",
        "text\n\n— name AAAAAAB=\n",
        "text\n\n— name AAAAAAAA",
        "te\tt\n\n— name AAAAAAAA\n",
    ],
)
def test_a_text_that_is_no_signed_note_is_refused(text: str) -> None:
    with pytest.raises(RefusedProofError):
        SignedNote.parsed(text)


@pytest.mark.parametrize(
    "text", ["o\n", "o\n01\nAAAA\n", "o\n-1\nAAAA\n", "o\n1\nAAAA\n", "\n1\nAAAA\n", "o\n1\n!\n"]
)
def test_a_text_that_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(RefusedProofError):
        Checkpoint.parsed(text)


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a+b",
        "a b+c74f20a3+AQ==",
        PUBLISHED_KEY.replace("c74f", "c74e"),
        PUBLISHED_KEY.replace("+ARpc", "+AhpC"),
        PUBLISHED_KEY.replace("0TW", "0TX"),
    ],
)
def test_a_text_that_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(RefusedProofError):
        VerifierKey.parsed(text)


def test_a_new_key_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "key"
    key = new_key(file, "wallwright/pai_gow/1")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_key(file).public == key.public
    assert new_key(tmp_path / "next", "wallwright/pai_gow/1").public != key.public
    with pytest.raises(AuditError, match="cannot be written"):
        new_key(file, "again")
    file.chmod(0o640)
    with pytest.raises(AuditError, match="can be read by other users"):
        read_key(file)


def test_a_damaged_or_missing_key_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "key"
    new_key(file, "wallwright/pai_gow/1")
    whole = file.read_bytes()
    for place in range(0, len(whole), 7):
        data = bytearray(whole)
        data[place] ^= 1
        file.write_bytes(data)
        with pytest.raises(AuditError, match="does not hold an intact key"):
            read_key(file)
    with pytest.raises(AuditError, match="cannot be read"):
        read_key(tmp_path / "missing")
