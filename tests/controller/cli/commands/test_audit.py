import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from controller.run.chance.records import CycleDraw, PlayerShare
from tests.controller.cli.conftest import Wallwright
from tests.controller.records.audit.logs_for_tests import entry, log_of
from tests.controller.records.audit.receipts.test_receipts import contents


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder of a service whose log has 31 events."""
    log_of(tmp_path / "audit", 30).close()
    return tmp_path


def test_the_log_is_shown_with_its_key(wallwright: Wallwright, data: Path) -> None:
    shown = wallwright(f"audit show --data {data} --last 2")
    assert shown.code == 0
    lines = shown.out.splitlines()
    assert lines[3].startswith("events 31, root ")
    assert "Mei (player, 192.168.1.20)" in lines[-1]
    events = wallwright(f"audit show --data {data} --last 3 --json").events
    assert [event["index"] for event in events] == [28, 29, 30]
    begun = wallwright(f"audit show --data {data} --what log_begun --json").events
    assert [event["index"] for event in begun] == [0]


def test_a_bundle_is_exported_witnessed_and_verified(wallwright: Wallwright, data: Path) -> None:
    key = wallwright(f"audit show --data {data}").out.splitlines()[1].split()[1]
    made = wallwright(f"audit witness make-key {data}/w --name casino.example/floor")
    witness = made.out.strip()
    request, reply = data / "request", data / "reply"
    assert wallwright(f"audit witness ask --data {data} {request}").code == 0
    sign = f"audit witness sign {request} {reply} --key {data}/w --memory {data}/seen"
    refused = wallwright(sign)
    assert (refused.code, refused.out) == (1, "")
    assert "new to this witness" in refused.err
    assert wallwright(f"{sign} --log-key {key}").code == 0
    assert wallwright(f"audit witness take --data {data} {reply} --key {witness}").code == 0
    assert wallwright(f"audit rotate-key --data {data}").code == 0
    assert wallwright(f"audit export --data {data} {data}/bundle").code == 0
    proven = wallwright(f"verify {data}/bundle --key {key} --witness {witness} --json").json
    assert (proven["verified"], proven["last"], len(proven["keys"])) == (True, 31, 2)
    assert proven["cosigned"][0]["witness"] == "casino.example/floor"
    page = wallwright(f"verify {data}/bundle")
    assert page.code == 0
    assert "a forger can sign with another key" in page.out
    again = wallwright(f"audit export --data {data} {data}/bundle")
    assert (again.code, "already" in again.err) == (2, True)


def test_a_changed_bundle_is_refused_with_exit_code_1(wallwright: Wallwright, data: Path) -> None:
    wallwright(f"audit export --data {data} {data}/bundle")
    whole = (data / "bundle").read_bytes()
    (data / "bundle").write_bytes(whole.replace(b"9,1", b"9,2"))
    refused = wallwright(f"verify {data}/bundle --json")
    assert refused.code == 1
    assert json.loads(refused.out)["verified"] is False
    assert refused.err.startswith("Refused: ")
    stranger = data / "stranger"
    for text in (b"", b"\xff\xfe", b"{}", b'{"format":"x/9"}', b"[" * 100_000, b"\0" * 500):
        stranger.write_bytes(text)
        refused = wallwright(f"verify {stranger}")
        assert (refused.code, refused.err[:8]) == (1, "Refused:")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("verify {data}/none", "cannot be read"),
        ("verify {data}/audit/head --key x", "--key: 'x' is not a key"),
        ("audit show --data {data}/none", "There is no audit log"),
        ("audit rotate-key --data {data}/none", "There is no audit log"),
        ("audit export --data {data} {data}/none/file", "cannot be written"),
        ("audit export --data {data} {data}/file2 --first 99", "got 99"),
        ("audit witness ask --data {data} {data}/r --seen 99", "cannot have seen 99"),
        ("audit witness sign {data}/none {data}/r --key {data}/k --memory m", "cannot be read"),
    ],
)
def test_bad_input_is_refused_with_exit_code_2(
    wallwright: Wallwright, data: Path, line: str, error: str
) -> None:
    refused = wallwright(line.format(data=data))
    assert refused.code == 2
    assert error in refused.err


def test_a_pipe_and_a_device_are_refused_and_not_waited_for(
    wallwright: Wallwright, data: Path
) -> None:
    os.mkfifo(data / "pipe")
    for file in (data / "pipe", data, Path("/dev/zero")):
        for line in (
            f"verify {file}",
            f"verify {data}/audit/head --time-authority {file}",
            f"audit witness sign {file} {data}/r --key {data}/k --memory {data}/m",
            f"audit timestamp take --data {data} {file} --authority {file}",
        ):
            refused = wallwright(line)
            assert (refused.code, "is not a regular file" in refused.err) == (2, True), line


def test_a_forgers_texts_do_not_control_the_terminal(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    log = log_of(tmp_path / "audit", 1)
    made = contents(game="\x1b[2Jwenzhou\x9b1A\nVerified: another file")
    log.append([replace(entry(2, what="receipt"), details=made, who="\x1b[8mMei")])
    log.close()
    assert wallwright(f"audit receipt --data {tmp_path} {tmp_path}/r.json").code == 0
    page = wallwright(f"verify {tmp_path}/r.json").out
    assert "round 12 of ?[2Jwenzhou?1A?Verified: another file, event 2" in page
    assert "?[8mMei (player" in wallwright(f"audit show --data {tmp_path}").out


def test_a_changed_log_is_not_exported(wallwright: Wallwright, data: Path) -> None:
    events = data / "audit/events.jsonl"
    events.write_bytes(events.read_bytes().replace(b"9,1", b"9,2"))
    refused = wallwright(f"audit export --data {data} {data}/bundle")
    assert refused.code == 2
    assert "is locked" in refused.err


def test_what_would_make_a_bundle_unverifiable_is_refused_at_the_export(
    wallwright: Wallwright, data: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    export, witnessed, key = f"audit export --data {data} {data}/b", data / "audit/witnessed", b""
    other = log_of(tmp_path_factory.mktemp("other") / "audit", 1)
    other.close()
    key = (data / "audit/key").read_bytes()
    (data / "audit/key").write_bytes(other.folder.key.read_bytes())
    refused = wallwright(export)
    assert (refused.code, "put back the key that was there" in refused.err) == (2, True)
    (data / "audit/key").write_bytes(key)
    witnessed.mkdir()
    for name in ("x.tst", "000000000031-asked.note", "keys"):
        for damage in (b"x", b"\xff"):
            (witnessed / name).write_bytes(damage)
            refused = wallwright(export)
            assert (refused.code, f"{name} is damaged" in refused.err) == (2, True)
        (witnessed / name).unlink()
    assert wallwright(export).code == 0, "a refused export leaves no file"


def test_R9_the_last_ten_rounds_are_listed_with_results_and_the_unfinished_one(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    log = log_of(tmp_path / "audit", 1)
    for number in range(1, 13):
        result = {"sentence": f"East wins hand {number}."}
        made = contents(number=number, result=result)
        log.append([replace(entry(1 + number, what="receipt"), details=made)])
    log.append([replace(entry(20, what="dice_thrown"), details={"by": 2, "dice": [6, 1]})])
    log.close()
    *rounds, title, unfinished = wallwright(f"audit rounds --data {tmp_path}").out.splitlines()
    assert len(rounds) == 10
    for number, line in enumerate(rounds, 3):
        assert line.endswith(f"East wins hand {number}.")
    assert title == "The unfinished round:"
    assert '"dice": [6, 1]' in unfinished
    *listed, last = wallwright(f"audit rounds --data {tmp_path} --json").events
    assert [each["number"] for each in listed] == list(range(3, 13))
    assert (last["unfinished"], last["dice"]) == (True, [6, 1])


def test_receipts_are_written_in_three_forms_and_verified(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    log = log_of(tmp_path / "audit", 3)
    for number in (1, 2):
        log.append([replace(entry(3 + number, what="receipt"), details=contents(number=number))])
    log.append([entry(6, what="dice_thrown")])
    log.close()
    for form in ("json", "txt", "pdf"):
        assert wallwright(f"audit receipt --data {tmp_path} {tmp_path}/r.{form}").code == 0
    proven = wallwright(f"verify {tmp_path}/r.json --json").json
    assert (proven["kind"], proven["event"], proven["contents"]["number"]) == ("receipt", 5, 2)
    assert "round 2 of wenzhou" in wallwright(f"verify {tmp_path}/r.json").out
    witness = wallwright(f"audit witness make-key {tmp_path}/w --name floor").out.strip()
    refused = wallwright(f"verify {tmp_path}/r.json --witness {witness}")
    assert (refused.code, "has no cosignature of a witness" in refused.err) == (1, True)
    whole = (tmp_path / "r.json").read_bytes()
    (tmp_path / "r.json").write_bytes(whole.replace(b"MJ-9000", b"MJ-9001"))
    assert wallwright(f"verify {tmp_path}/r.json").code == 1
    shown = wallwright(f"audit rounds --data {tmp_path}").out.splitlines()
    assert [line.split()[0] for line in shown] == ["4", "5", "The", "6"]
    for file, error in (("r.doc", "ends in"), ("r.txt", "cannot be written")):
        refused = wallwright(f"audit receipt --data {tmp_path} {tmp_path}/{file}")
        assert (refused.code, error in refused.err) == (2, True)


def test_the_code_of_a_players_share_must_be_in_the_receipt(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    draw = CycleDraw("d/1", 1, bytes(32), (PlayerShare(0, "Mei"), PlayerShare(2, "rain")))
    chance = draw.revealed(draw.draw()).facts()
    log = log_of(tmp_path / "audit", 3)
    log.append([replace(entry(4, what="receipt"), details=contents(chance=chance))])
    log.close()
    assert wallwright(f"audit receipt --data {tmp_path} {tmp_path}/r.json").code == 0
    text = f"{tmp_path}/r.txt"
    assert wallwright(f"audit receipt --data {tmp_path} {text}").code == 0
    first, second = draw.hidden().codes
    assert f"seat 2: rain (code {second})" in Path(text).read_text("utf-8")
    verified = wallwright(f"verify {tmp_path}/r.json --share-code {first.lower()}")
    assert verified.code == 0
    assert f"share 1      seat 0: Mei ({first})  <- yours" in verified.out
    assert f"share 2      seat 2: rain ({second})" in verified.out
    refused = wallwright(f"verify {tmp_path}/r.json --share-code AAAA-BBBB-CCCC")
    assert refused.code == 1
    assert "None of its 2 players' shares has the code" in refused.err
