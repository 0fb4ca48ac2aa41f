"""Tests chaos evenings with an audit log: hosts are killed, and the bundle verifies."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from controller.proof.chaos.evening import play_evening
from controller.proof.chaos.run_report import Played
from controller.proof.chaos.scenarios import Evening, ScheduledFault
from controller.proof.chaos.witness import EveningAudit
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log

HARMLESS = ScheduledFault("clock_jump", "host", 0, 0.0)


def with_power_cuts(folder: Path, *, audit: bool) -> Played:
    """Play a round whose host is killed twice."""
    cuts = tuple(ScheduledFault("power_cut", "host", 6 + 3 * n, 1.0) for n in range(2))
    evening = Evening(
        0, "robotic", "backgammon", 3, play=False, scheduled_faults=(cuts,), spares=(HARMLESS,)
    )
    folder.mkdir()
    played = play_evening(evening, folder, 1, audit=audit)
    assert played is not None
    return played


def test_the_bundle_of_an_evening_with_killed_hosts_verifies(tmp_path: Path) -> None:
    (only,) = with_power_cuts(tmp_path / "audited", audit=True).rounds
    assert only.injected_faults == ["power_cut"] * 2
    assert only.wrong == []
    events = [event.what for event in checked_log(LogFolder(tmp_path / "audited/audit")).events()]
    assert events.count("power_up") == 2
    assert {"run_resumed", "dice_thrown"} <= set(events)
    assert (tmp_path / "audited/audit/removed").exists()
    (plain,) = with_power_cuts(tmp_path / "plain", audit=False).rounds
    assert plain.events == only.events


def recorded(folder: Path) -> EveningAudit:
    """The log of an evening with one host and a few events."""
    audit = EveningAudit(folder, "robotic", lambda: 1.0, Random(1))
    audit.begin_host()
    for number in range(5):
        audit.hear({"t": 1.0, "event": "paused", "why": f"{number}"})
    audit.hear({"t": 1.0, "event": "state", "under": "idle"})
    assert audit.end_host(killed=False) == []
    return audit


def test_a_changed_log_is_a_finding(tmp_path: Path) -> None:
    audit = recorded(tmp_path / "audit")
    assert audit.findings() == []
    file = tmp_path / "audit/events.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"why":"3"', b'"why":"4"'))
    (finding,) = audit.findings()
    assert finding.startswith("The bundle of the audit log does not verify: ")


def test_a_lost_event_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audit = recorded(tmp_path / "audit")
    monkeypatch.setattr(audit, "_recorded", 7)
    assert audit.findings() == ["7 events were recorded, but the log has 7."]
