import asyncio
import io
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from controller.events.lookups import RECORDED
from controller.records.audit.bundle import export_bundle, verify_bundle
from controller.records.audit.log import audit_log
from controller.records.audit.log.event_line import AuditEvent
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.run.journal.storage import DirectStorage, Done, Job
from controller.service.status import AuditStatus, GameChoice
from controller.service.user_roles import UserRole
from tests.controller.service.service_at_a_table import Guests, at_a_table

PAI_GOW = GameChoice(game="pai_gow").model_dump()


def events_in(folder: Path) -> list[AuditEvent]:
    """The events of a log whose bundle verifies."""
    reader = checked_log(LogFolder(folder))
    bundle = io.BytesIO()
    export_bundle(reader, bundle)
    bundle.seek(0)
    assert verify_bundle(bundle).size == reader.size
    return list(reader.events())


async def play_a_round(guests: Guests) -> None:
    """One round with a pause; then people go into service mode and out."""
    reply = await guests.give("start_session", UserRole.PLAYER, choice=PAI_GOW)
    assert reply.state == "done", reply
    await guests.until(lambda status: status.machine.top == "playing")
    await guests.give("pause", UserRole.DEALER)
    await guests.give("resume", UserRole.DEALER)
    await guests.give("clear_fault", UserRole.PLAYER)
    await guests.give("end_session")
    await guests.until(lambda status: status.session is None)
    assert (await guests.give("enter_service_mode")).state == "done"
    assert (await guests.give("leave_service_mode")).state == "done"


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[AuditEvent], AuditStatus]:
    """The events of an evening with one round, and the counts at its end."""
    folder, counted = tmp_path_factory.mktemp("evening") / "audit", list[AuditStatus]()

    async def scenario(guests: Guests) -> None:
        await play_a_round(guests)
        counted.append(guests.service.audit.status)

    at_a_table(scenario, "pai_gow", audit=folder)
    return events_in(folder), counted[0]


def test_every_significant_event_of_an_evening_is_in_the_log(
    evening: tuple[list[AuditEvent], AuditStatus],
) -> None:
    events, counted = evening
    whats = Counter(event.what for event in events)
    assert [event.what for event in events[:2]] == ["log_begun", "power_up"]
    assert events[-1].what == "service_stopped"
    for what in ("ready", "dice_thrown", "paused", "resumed", "run_started"):
        assert whats[what] >= 1, what
    for what in ("service_mode_entered", "service_mode_left"):
        assert whats[what] == 1, what
    assert whats["lid_opened"] >= whats["lid_closed"] >= 1
    assert counted.lid_openings == whats["lid_opened"]
    assert (counted.power_ups, counted.service_entries) == (1, 1)
    assert counted.events == len(events) - 1
    assert whats["clock_jumped"] == 0


def test_a_command_is_recorded_with_its_person_role_and_address(
    evening: tuple[list[AuditEvent], AuditStatus],
) -> None:
    commands = [event for event in evening[0] if event.what == "command"]
    begun, *_ = commands
    assert (begun.who, begun.role, begun.source) == ("Ann", "player", "192.168.1.20")
    assert begun.details["command"] == "start_session"
    (refused,) = [event for event in evening[0] if event.what == "command_refused"]
    assert (refused.who, refused.source) == ("Ann", "192.168.1.20")
    assert refused.details == {"command": "clear_fault", "code": "role"}


def test_no_event_names_a_tile_that_players_cannot_see(
    evening: tuple[list[AuditEvent], AuditStatus],
) -> None:
    hidden = {"action_taken", "delivered", "move", "step", "tiles_revealed"}
    assert RECORDED.isdisjoint(hidden)
    assert not hidden & {event.what for event in evening[0]}


def test_R9_counts_of_starts_and_service_entries_survive_a_restart(tmp_path: Path) -> None:
    counts = []

    async def scenario(guests: Guests) -> None:
        await guests.give("enter_service_mode")
        await guests.give("leave_service_mode")
        counts.append(guests.service.audit.status)

    for _ in range(2):
        at_a_table(scenario, "pai_gow", audit=tmp_path / "audit", store=tmp_path / "evening.db")
    assert [(each.power_ups, each.service_entries) for each in counts] == [(1, 1), (2, 2)]
    whats = [event.what for event in events_in(tmp_path / "audit")]
    assert (whats.count("log_begun"), whats.count("power_up")) == (1, 2)


def test_a_full_disk_stops_the_table_and_loses_no_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> int:
        raise OSError(28, "No space left on device")

    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice=PAI_GOW)
        await guests.until(lambda status: status.machine.top == "playing")
        with monkeypatch.context() as patch:
            patch.setattr(audit_log.os, "pwrite", full)
            lost = await guests.give("name_players", names={"0": "Mei"})
            assert (lost.state, lost.code) == ("refused", "audit")
            assert guests.service.book is not None and not guests.service.book.names
            await guests.until(lambda status: status.service.state == "fault")
            fault = guests.status.fault
            assert fault is not None
            assert (fault.code, fault.role) == ("AUDIT", UserRole.TECHNICIAN)
            assert "No space left" in guests.status.audit.failure
            refused = await guests.give("clear_fault")
            assert (refused.state, refused.code) == ("refused", "audit")
            assert guests.service.daemon is None
        await guests.until(lambda status: not guests.service.audit.failure, 20.0)
        assert (await guests.give("clear_fault")).state == "done"
        await guests.until(lambda status: status.machine.top == "playing")

    at_a_table(scenario, "pai_gow", audit=tmp_path / "audit")
    events = events_in(tmp_path / "audit")
    commands = [event.details["command"] for event in events if event.what == "command"]
    assert commands == ["start_session", "name_players", "clear_fault"]
    refused = [event.details for event in events if event.what == "command_refused"]
    assert refused == [
        {"command": "name_players", "code": "audit"},
        {"command": "clear_fault", "code": "audit"},
    ]
    assert [event.what for event in events].count("audit_recovered") == 1


def test_a_log_that_was_changed_stops_the_table(tmp_path: Path) -> None:
    async def nothing(guests: Guests) -> None:
        await guests.give("name_players", names={"0": "Mei"})

    at_a_table(nothing, "pai_gow", audit=tmp_path / "audit")
    log = tmp_path / "audit/events.jsonl"
    log.write_bytes(log.read_bytes().replace(b"name_players", b"name_playerz"))
    changed = log.read_bytes()

    async def scenario(guests: Guests) -> None:
        await guests.until(lambda status: status.fault is not None)
        assert guests.status.fault is not None
        assert guests.status.fault.code == "AUDIT_LOCKED"
        assert (await guests.give("start_session", choice=PAI_GOW)).state == "refused"
        assert (await guests.give("clear_fault")).code == "audit"

    at_a_table(scenario, "pai_gow", audit=tmp_path / "audit")
    assert log.read_bytes() == changed


def test_requests_of_a_stranger_cannot_fill_the_log(tmp_path: Path) -> None:
    async def scenario(guests: Guests) -> None:
        for _ in range(200):
            guests.port.record_access("login", 401, "/api/v1/login", "Eve", "", "10.0.0.9")
        guests.port.record_access("login", 200, "/api/v1/login", "Ann", "", "10.0.0.1")

    at_a_table(scenario, "pai_gow", audit=tmp_path / "audit")
    events = events_in(tmp_path / "audit")
    whats = Counter(event.what for event in events)
    assert (whats["login_refused"], whats["login"]) == (60, 1)
    (login,) = [event for event in events if event.what == "login"]
    assert (login.who, login.source) == ("Ann", "10.0.0.1")


def test_refused_commands_are_counted_and_their_arguments_are_not_recorded(tmp_path: Path) -> None:
    """A player once filled the log with 903 KB/s of refused arguments."""

    async def scenario(guests: Guests) -> None:
        for _ in range(200):
            await guests.give("answer", UserRole.PLAYER, prompt="p", value="x" * 500)
            await guests.give("no" * 20, UserRole.PLAYER, value="x" * 5000)
            await guests.give("correct", UserRole.PLAYER, acts=1, reason="x" * 200)
        await asyncio.sleep(60)
        await guests.give("correct", UserRole.PLAYER, acts=1)

    at_a_table(scenario, "pai_gow", audit=tmp_path / "audit")
    events = events_in(tmp_path / "audit")
    refused = [event.details for event in events if event.what == "command_refused"]
    assert len(refused) == 61
    kinds = {(str(each["command"]), str(each["code"])) for each in refused}
    assert {("unknown", "unknown_command"), ("correct", "role")} <= kinds
    assert refused[-1]["not_recorded"] == 540
    assert not any("arguments" in each for each in refused)


def test_no_command_takes_effect_before_its_event_is_on_disk(tmp_path: Path) -> None:
    """The log is opened a second after the start; three of three commands left no trace."""
    opened = asyncio.Event()

    class LateStorage(DirectStorage):
        """A disk that does nothing until `opened`."""

        def carry_out(self, jobs: Sequence[Job], done: Done) -> None:
            async def later() -> None:
                await opened.wait()
                DirectStorage.carry_out(self, jobs, done)

            self.waiting = asyncio.ensure_future(later())

    async def scenario(guests: Guests) -> None:
        given = asyncio.ensure_future(guests.give("start_session", choice=PAI_GOW))
        await asyncio.sleep(5.0)
        assert guests.service.book is None and not given.done()
        opened.set()
        assert (await given).state == "done"
        lines = await guests.port.audit_lines(0, 10)
        assert any('"command":"start_session"' in line for line in lines)

    at_a_table(scenario, "pai_gow", audit=tmp_path / "audit", audit_storage=LateStorage)


def test_R14_a_client_reads_each_event_at_once_and_the_missed_ones_later(tmp_path: Path) -> None:
    async def scenario(guests: Guests) -> None:
        known: list[str] = []

        async def read() -> None:
            while lines := await guests.port.audit_lines(len(known), 3):
                known.extend(lines)

        await guests.give("enter_service_mode")
        await guests.until(lambda status: status.audit.events >= 4)
        await read()
        assert '"what":"service_mode_entered"' in known[3]
        # The connection is interrupted here: the client reads nothing.
        await guests.give("leave_service_mode")
        await guests.give("enter_service_mode")
        await guests.until(lambda status: status.audit.service_entries == 2)
        await read()
        assert [json.loads(line)["index"] for line in known] == list(range(len(known)))
        whats = [json.loads(line)["what"] for line in known]
        assert whats.count("service_mode_entered") == 2
        assert len(known) == guests.service.audit.status.events
        await guests.give("leave_service_mode")

    at_a_table(scenario, "pai_gow", audit=tmp_path / "audit")
