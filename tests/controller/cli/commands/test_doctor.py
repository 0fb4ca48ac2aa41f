"""`wallwright doctor`: a journal, a data folder, a table, plug-ins, ports, and bad options.

Whether this computer has other problems is not known here: tests look at the findings of one check.
"""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime, timedelta
from importlib.metadata import EntryPoint
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding

from controller.run.journal import Journal
from controller.run.journal.copies import paths_of
from rules.plugin import GROUP, Registry
from tests.controller.cli.conftest import Wallwright
from tests.controller.records.audit.logs_for_tests import log_of

MEMORY = Path("/dev/shm")  # noqa: S108
NOON = "2030-01-01T12:00:00+00:00"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The journal of a completed run."""
    file = tmp_path / "table.journal"
    with Journal(file, NOON, {"table": "robotic"}) as journal:
        journal.confirm(journal.intend("top", 1.0, {"step": "throw"}), 2.0, [3, 5])
        journal.end()
    return file


def report(wallwright: Wallwright, line: str) -> dict[str, Any]:
    """The report of `doctor --json`; its exit code is 1 if it has a problem."""
    result = wallwright(f"doctor {line} --json")
    assert result.err == ""
    found: dict[str, Any] = json.loads(result.out)
    assert result.code == (1 if found["problems"] else 0)
    return found


def outcomes(found: dict[str, Any], check: str) -> list[str]:
    """The outcomes of one check."""
    return [each["outcome"] for each in found["findings"] if each["check"] == check]


def sentences(found: dict[str, Any], check: str) -> str:
    """What one check reports, with its next steps."""
    return " ".join(
        f"{each['what']} {each['next_step']}"
        for each in found["findings"]
        if each["check"] == check
    )


def test_an_intact_journal_is_reported_with_its_copies(kept: Path, wallwright: Wallwright) -> None:
    result = wallwright(f"doctor --journal {kept} --all")
    text = " ".join(result.out.split())
    assert result.err == ""
    assert f"The journal {kept} is intact, 4 records." in text
    assert "The journal has no unfinished run." in text


def test_the_report_is_also_printed_as_json(kept: Path, wallwright: Wallwright) -> None:
    found = report(wallwright, f"--journal {kept}")
    keys = ["report_version", "program", "python", "identity", "problems", "findings", "journal"]
    assert list(found) == keys
    assert found["report_version"] == 1
    finding = ["check", "group", "outcome", "severity", "what", "rule", "next_step"]
    assert all(list(each) == finding for each in found["findings"])
    problems = [each for each in found["findings"] if each["severity"] == "problem"]
    assert found["problems"] == len(problems)
    journal = found["journal"]
    assert (journal["state"], journal["records"], journal["unfinished"]) == ("intact", 4, None)
    assert journal["messages"] == []
    assert outcomes(found, "journal") == ["ok"]


def test_a_note_is_printed_if_all_copies_are_on_one_device(
    kept: Path, wallwright: Wallwright
) -> None:
    found = report(wallwright, f"--journal {kept}")
    assert outcomes(found, "journal_devices") == ["one"]
    assert "If it fails, all copies are lost" in sentences(found, "journal_devices")


def test_copies_on_two_devices_are_counted(wallwright: Wallwright, tmp_path: Path) -> None:
    here = tmp_path.stat().st_dev
    others = [each for each in (MEMORY, Path(gettempdir())) if os.access(each, os.W_OK)]
    another = next((each for each in others if each.stat().st_dev != here), None)
    if another is None:
        pytest.skip("needs a second file system")
    memory = Path(mkdtemp(dir=another))
    file = tmp_path / "table.journal"
    try:
        with Journal(file, NOON, {}, memory) as journal:
            journal.intend("top", 1.0, {})
        found = report(wallwright, f"--journal {file} --journal-copy {memory}")
        assert found["journal"]["devices"] == len(outcomes(found, "disk_space")) == 2
        assert outcomes(found, "journal_devices") == ["ok"]
    finally:
        shutil.rmtree(memory)


def test_a_damaged_copy_is_repaired_and_reported_once(kept: Path, wallwright: Wallwright) -> None:
    spoilt = paths_of(kept)[1]
    spoilt.write_bytes(kept.read_bytes().replace(b"throw", b"thraw"))
    found = report(wallwright, f"--journal {kept}")
    assert (outcomes(found, "journal"), found["journal"]["records"]) == (["repaired"], 4)
    told = f"The journal's copy {spoilt} was damaged at record 2; it was rewritten."
    assert told in sentences(found, "journal")
    assert outcomes(report(wallwright, f"--journal {kept}"), "journal") == ["ok"]


def test_a_locked_journal_is_reported_and_stays_locked(kept: Path, wallwright: Wallwright) -> None:
    for path in paths_of(kept):
        path.write_bytes(path.read_bytes().replace(b"throw", b"thraw"))
    for _ in range(2):
        found = report(wallwright, f"--journal {kept}")
        assert (outcomes(found, "journal"), found["journal"]["state"]) == (["locked"], "locked")
        assert "Record 2 of the journal is damaged in every copy" in sentences(found, "journal")


def test_an_unfinished_run_is_reported_with_its_last_step(
    kept: Path, wallwright: Wallwright
) -> None:
    with Journal(kept, "2031-01-01", {"table": "classic"}) as journal:
        journal.confirm(journal.intend("top", 1.0, {"step": "throw"}), 2.0, [3, 5])
        journal.intend("top", 2.0, {"step": "packet", "seat": 2})
    found = report(wallwright, f"--journal {kept}")
    assert outcomes(found, "unfinished_run") == ["run"]
    assert "started 2031-01-01 (table classic)" in sentences(found, "unfinished_run")
    run = found["journal"]["unfinished"]
    last = {"activity": "top", "intent": {"step": "packet", "seat": 2}}
    assert (run["steps"], run["unconfirmed"]) == (2, [last])


def test_a_journal_that_a_run_has_open_is_not_repaired(kept: Path, wallwright: Wallwright) -> None:
    with Journal(kept, NOON, {}) as journal:
        journal.intend("top", 1.0, {})
        paths_of(kept)[2].unlink()
        found = report(wallwright, f"--journal {kept} --port /dev/null")
        assert (outcomes(found, "journal"), found["journal"]["state"]) == (["ok"], "in use")
        assert not paths_of(kept)[2].exists()
        assert outcomes(found, "boards") == ["refused"]
        assert "a table runs with this journal" in sentences(found, "boards")


def test_a_file_that_is_not_a_journal_is_bad_input(tmp_path: Path, wallwright: Wallwright) -> None:
    (tmp_path / "notes").write_text("tiles, dice, felt\n")
    result = wallwright(f"doctor --journal {tmp_path / 'notes'}")
    assert (result.code, result.out) == (2, "")
    assert "is not a journal" in result.err


def test_without_a_journal_the_computer_is_reported(wallwright: Wallwright) -> None:
    found = report(wallwright, "")
    assert found["journal"] is None
    assert found["python"].startswith("3.")
    assert outcomes(found, "journal") == outcomes(found, "audit_log") == []


def test_a_data_folder_is_reported_with_its_log_and_its_secret_files(
    tmp_path: Path, wallwright: Wallwright
) -> None:
    tmp_path.chmod(0o700)
    log_of(tmp_path / "audit", 4).close()
    found = report(wallwright, f"--data {tmp_path}")
    assert (outcomes(found, "audit_log"), found["journal"]["state"]) == (["ok"], "missing")
    assert set(outcomes(found, "secret_files")) == {"ok"}
    (tmp_path / "touchscreen.token").write_text("a token for everybody")
    (tmp_path / "touchscreen.token").chmod(0o644)
    events = tmp_path / "audit" / "events.jsonl"
    events.write_bytes(events.read_bytes().replace(b"Mei", b"Bob", 1))
    found = report(wallwright, f"--data {tmp_path}")
    assert outcomes(found, "audit_log") == ["locked"]
    assert f"chmod go= {tmp_path}/touchscreen.token" in sentences(found, "secret_files")


def test_a_folder_that_does_not_exist_is_a_problem(tmp_path: Path, wallwright: Wallwright) -> None:
    found = report(wallwright, f"--data {tmp_path / 'nowhere'}")
    assert outcomes(found, "folder") == ["missing"]


def test_files_that_are_named_are_checked(
    lamp_on_13: Path, tmp_path: Path, wallwright: Wallwright
) -> None:
    found = report(wallwright, f"--check {lamp_on_13}")
    assert outcomes(found, "table_files") == ["ok"]
    lamp_on_13.write_text(lamp_on_13.read_text().replace("lease:", "leese:"))
    found = report(wallwright, f"--check {lamp_on_13} --check {tmp_path / 'none.yaml'}")
    assert set(outcomes(found, "table_files")) == {"defect"}
    assert "lamp.yaml:" in sentences(found, "table_files")
    assert "none.yaml" in sentences(found, "table_files")


def test_a_certificate_is_read_and_another_file_is_a_problem(
    tmp_path: Path, wallwright: Wallwright
) -> None:
    key = Ed25519PrivateKey.generate()
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a table")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=2))
        .not_valid_after(now - timedelta(days=1))
        .sign(key, None)
    )
    file = tmp_path / "table.pem"
    file.write_bytes(made.public_bytes(Encoding.PEM))
    assert outcomes(report(wallwright, f"--cert {file}"), "certificate") == ["expired"]
    file.write_bytes(b"a picture")
    assert outcomes(report(wallwright, f"--cert {file}"), "certificate") == ["defect"]
    assert outcomes(report(wallwright, "--cert /no/such.pem"), "certificate") == ["defect"]


def test_the_file_with_which_a_table_joins_its_floor_is_checked_with_its_certificate(
    tmp_path: Path, wallwright: Wallwright
) -> None:
    authority = tmp_path / "ca"
    wallwright(f"floor ca init --folder {authority} --floor club")
    issued = wallwright(f"floor ca issue table t-07 --days 20 --folder {authority}")
    own = Path(issued.out.splitlines()[0])
    file = own / "floor.yaml"
    broker = "{host: broker.club, ca: ca.pem, cert: certificate.pem, key: key.pem}"
    file.write_text(f"floor: club\ntable: t-07\nbroker: {broker}\n")
    found = report(wallwright, f"--check {file}")
    assert outcomes(found, "table_files") == ["ok"]
    assert outcomes(found, "certificate") == ["soon"]
    assert f"The certificate {own / 'certificate.pem'} expires on" in sentences(
        found, "certificate"
    )
    checked = wallwright(f"check {file}")
    assert checked.out == f"{file}: the floor's table club/t-07 has no defect.\n"
    (facts,) = json.loads(wallwright(f"check {file} --json").out)
    assert (facts["floor_table"], facts["fits"]) == ("club/t-07", [])
    file.write_text("floor: club\ntable: t-07\nbroker: {host: broker.club}\n")
    assert outcomes(report(wallwright, f"--check {file}"), "table_files") == ["defect"]
    assert "without certificates" in wallwright(f"check {file}").err


def test_a_named_port_that_does_not_exist_is_a_problem(wallwright: Wallwright) -> None:
    found = report(wallwright, "--port /dev/no-such-port")
    assert outcomes(found, "boards") == ["missing"]
    assert "There is no port /dev/no-such-port." in sentences(found, "boards")
    assert wallwright("doctor --port /dev/no-such-port").code == 1


def test_a_port_that_cannot_be_opened_is_reported(wallwright: Wallwright) -> None:
    found = report(wallwright, "--port /dev/null")
    assert outcomes(found, "boards") == ["refused"]
    assert "/dev/null" in sentences(found, "boards")


@pytest.fixture
def broken_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package whose entry point names a module that does not exist."""
    registry = Registry("rules.games", [])
    entry = EntryPoint("odd_bones", "odd_bones_missing:PLUGIN", GROUP)
    monkeypatch.setattr("rules.plugin._entry_points", lambda: [entry])
    monkeypatch.setattr("controller.upkeep.doctor.facts.program.PLUGINS", registry)


@pytest.mark.usefixtures("broken_plugin")
def test_a_plug_in_that_cannot_be_loaded_is_reported_with_the_reason(
    wallwright: Wallwright,
) -> None:
    found = report(wallwright, "")
    assert outcomes(found, "plugins") == ["broken"]
    assert "The entry point 'odd_bones' of wallwright.games: " in sentences(found, "plugins")
    assert "No module named 'odd_bones_missing'" in sentences(found, "plugins")
    shown = wallwright("doctor")
    assert shown.code == 1
    assert shown.out.startswith("PROBLEMS\n")
    assert "odd_bones_missing" in shown.out


def test_a_lamp_on_the_pin_of_the_bootloaders_led_is_a_note_of_doctor(
    lamp_on_13: Path, wallwright: Wallwright
) -> None:
    found = report(wallwright, f"--table {lamp_on_13}")
    assert outcomes(found, "table_pins") == ["warning", "ok"]
    told = sentences(found, "table_pins")
    assert "boards.arm.channels.ready: pin 13 is driven until the board has started." in told
    assert "The table robotic: base mega2560, arm mega2560." in told


def test_a_packaged_table_has_no_warning_of_doctor(wallwright: Wallwright) -> None:
    assert outcomes(report(wallwright, "--table robotic"), "table_pins") == ["ok"]


def test_no_line_of_the_report_is_wider_than_80_columns(kept: Path, wallwright: Wallwright) -> None:
    out = wallwright(f"doctor --journal {kept}").out
    short = [line for line in out.splitlines() if str(kept.parent) not in line]
    assert max(map(len, short)) <= 80
