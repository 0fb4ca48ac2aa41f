import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import segno

from controller.records.audit.errors import AuditError, RefusedProofError
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import LogReader, checked_log
from controller.records.audit.receipt_pdf import font_runs, receipt_pdf
from controller.records.audit.receipts import (
    compact_form,
    receipt_of,
    receipt_page,
    receipt_text,
    verify_receipt,
)
from controller.run.chance.records import CycleDraw, permutation
from tests.controller.records.audit.logs_for_tests import entry, log_of
from tests.damage import with_one_changed_byte


def contents(**changed: object) -> dict[str, Any]:
    draw = CycleDraw("device", 3, bytes(32), requests=(permutation("wall", 8),))
    chosen = draw.draw()
    return {
        "kind": "round",
        "number": 12,
        "maker": "Treasure",
        "model": "MJ-9000",
        "serial": "A-17",
        "table": "pai_gow",
        "software": {"version": "0.2.0", "hash": "ab" * 32},
        "began": "2030-01-01T12:00:00.000Z",
        "operator": "麻子",
        "game": "wenzhou",
        "house_rules": {"reserve": 18},
        "players": ["東條さくら", "王小明", "Zoë"],
        "choices": [{"by": 2, "what": "cut", "answer": "chee_yee"}],
        "dice": [{"by": 0, "dice": [3, 5]}],
        "state": "finished",
        "result": {
            "sentence": "Zoë wins.",
            "payments": [{"payer": 1, "payee": None, "amount": 5.0, "why": "house"}],
        },
        "chance": draw.revealed(chosen).facts(),
        **changed,
    }


def logged(folder: Path, **changed: object) -> LogReader:
    log = log_of(folder, 5)
    made = replace(entry(6, what="receipt"), details=contents(**changed))
    log.append([made], keep_head=True)
    log.append([entry(7)])
    log.rotate_key(entry(8))
    log.append([entry(9)])
    log.close()
    return checked_log(LogFolder(folder))


@pytest.fixture(scope="module")
def receipt(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The receipt of a round, from a log with two keys."""
    return receipt_of(logged(tmp_path_factory.mktemp("log") / "audit"), 6)


def test_a_receipt_verifies_by_itself(receipt: dict[str, Any]) -> None:
    verified = verify_receipt(receipt_text(receipt).encode())
    assert verified.contents == contents()
    assert verified.event.index == 6
    assert verified.chance == "1 random choices recomputed from the revealed share"


@pytest.mark.evidence
def test_any_changed_byte_of_a_receipt_is_refused(receipt: dict[str, Any]) -> None:
    whole = receipt_text(receipt).encode()
    for data in with_one_changed_byte(whole, sample=250, quick=40):
        with pytest.raises(RefusedProofError, match=r"\w{3}"):
            verify_receipt(data)
    for cut in range(0, len(whole), 97):
        with pytest.raises(RefusedProofError):
            verify_receipt(whole[:cut])


def test_other_contents_than_those_of_the_log_are_refused(receipt: dict[str, Any]) -> None:
    forged = {**receipt, "receipt": contents(number=13)}
    with pytest.raises(RefusedProofError, match="not those of the log's event"):
        verify_receipt(receipt_text(forged).encode())


@pytest.mark.parametrize("value", [12.0, "12"])
def test_contents_of_another_json_type_are_refused(receipt: dict[str, Any], value: object) -> None:
    forged = {**receipt, "receipt": contents(number=value)}
    with pytest.raises(RefusedProofError, match="not those of the log's event"):
        verify_receipt(receipt_text(forged).encode())
    forged["receipt"] = contents()
    forged["receipt"]["chance"]["version"] = True
    with pytest.raises(RefusedProofError, match="not those of the log's event"):
        verify_receipt(receipt_text(forged).encode())


def test_random_choices_that_do_not_verify_are_refused(tmp_path: Path) -> None:
    chance = contents()["chance"]
    chance["choices"][0]["value"] = chance["choices"][0]["value"][::-1]
    made = receipt_of(logged(tmp_path / "audit", chance=chance), 6)
    with pytest.raises(RefusedProofError, match="random choices do not verify"):
        verify_receipt(receipt_text(made).encode())


def test_a_share_that_is_not_revealed_yet_is_no_refusal(tmp_path: Path) -> None:
    hidden = CycleDraw("device", 3, bytes(32)).hidden().facts()
    made = receipt_of(logged(tmp_path / "audit", chance=hidden), 6)
    verified = verify_receipt(receipt_text(made).encode())
    assert verified.chance == "committed, not revealed yet"


def test_an_event_that_is_no_receipt_is_refused(tmp_path: Path) -> None:
    log = logged(tmp_path / "audit")
    for index, reason in ((3, "is not a receipt"), (99, "got 99"), (-1, "got -1")):
        with pytest.raises(AuditError, match=reason):
            receipt_of(log, index)


def test_R16_a_receipt_has_maker_model_serial_number_operator_time_and_result(
    receipt: dict[str, Any],
) -> None:
    page = receipt_page(receipt)
    for line in (
        "Receipt        round 12",
        "Maker          Treasure",
        "Model          MJ-9000",
        "Serial number  A-17",
        "Operator       麻子",
        "Time           2030-01-01T12:00:00.000Z to 2030-01-01T12:00:06.000Z",
        "Choice         seat 2: cut chee_yee",
        "Dice           seat 0: 3 5",
        "Result         Zoë wins.",
        "Payment        seat 1 pays the house 5: house",
        "Log entry      6 of 10",
    ):
        assert f"{line}\n" in page, line


def test_no_text_of_a_receipt_controls_the_terminal(tmp_path: Path) -> None:
    escape = "\x1b[2J\nVerified\x9b1A\u202e"
    page = receipt_page(receipt_of(logged(tmp_path / "audit", game=escape), 6))
    assert "Game           ?[2J?Verified?1A?\n" in page


def test_names_in_japanese_and_chinese_are_printed(receipt: dict[str, Any]) -> None:
    pdf = receipt_pdf(receipt, compress=False)
    assert pdf.startswith(b"%PDF")
    assert b"STSong-Light" in pdf
    # Each character is drawn with a font that has it; none is replaced.
    runs = font_runs("東條さくら 王小明 Zoë 한 \U0001f600")
    assert "".join(run for _, run in runs) == "東條さくら 王小明 Zoë 한 ?"
    assert {font for font, run in runs if "さ" in run} == {"STSong-Light"}
    assert len(zlib.compress(pdf)) < len(pdf)


def test_the_code_identifies_the_receipt_and_its_entry(receipt: dict[str, Any]) -> None:
    text = compact_form(receipt)
    origin = json.loads(receipt["event"])["what"] and receipt["head"].split("\n")[0]
    assert text.startswith(f"wallwright-receipt:1?log={origin}&event=6&hash=")
    assert segno.make(text, error="m", micro=False).version <= 12


def test_the_drawn_code_is_the_one_of_the_receipt(receipt: dict[str, Any]) -> None:
    pdf = receipt_pdf(receipt, compress=False)
    found = re.findall(rb"n ([\d.]+) ([\d.]+) ([\d.]+) [\d.]+ re f", pdf)
    squares = [(float(x), float(y)) for x, y, _ in found]
    side = float(found[0][2])
    left, top = min(x for x, _ in squares), max(y for _, y in squares)
    drawn = {(round((top - y) / side), round((x - left) / side)) for x, y in squares}
    rows = segno.make(compact_form(receipt), error="m", micro=False).matrix
    dark = {(down, right) for down, row in enumerate(rows) for right, bit in enumerate(row) if bit}
    assert drawn == dark
    assert left >= 40 + 4 * side - 0.1, "a border of four squares, as readers of codes need"
