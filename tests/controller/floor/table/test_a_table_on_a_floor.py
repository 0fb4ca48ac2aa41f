"""A simulated table with its service: what the floor sees of it, and what it may request."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest

from controller.floor.figures.stored_events import BACK, OUT
from controller.floor.messages import Alive, Birth, Events, State, TableAddress, parsed
from controller.floor.table.source import ClockTimes, ServiceSource, state_of_status
from controller.records.audit.bundle import export_bundle, verify_bundle
from controller.records.audit.log.event_line import parsed_event
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.records.audit.notes import COSIGNATURE, Checkpoint, SigningKey
from controller.service.user_roles import UserRole
from tests.controller.floor.mosquitto_process import MosquittoProcess
from tests.controller.floor.serve_process import ServeProcess, received_until
from tests.controller.service.service_at_a_table import NOON, Guests, at_a_table

T07 = TableAddress("main", "t07")


def test_a_table_that_is_taken_out_of_play_ends_its_session_and_begins_none() -> None:
    async def evening(guests: Guests) -> None:
        await guests.have("start_session", choice={"game": "pai_gow"})
        await guests.until(lambda s: s.machine.top == "playing")
        reply = await guests.give("take_out_of_play", UserRole.ATTENDANT)
        assert reply.sentence == "The table is out of play after this round."
        assert (await guests.give("take_out_of_play")).code == "out_of_play"
        await guests.until(lambda s: s.session is None)
        assert guests.status.service.out_of_play
        assert guests.status.service.sentence == "Ann has taken the table out of play."
        refused = await guests.give("start_session", choice={"game": "pai_gow"})
        assert (refused.state, refused.code) == ("refused", "out_of_play")
        assert (await guests.give("put_in_play", UserRole.PLAYER)).code == "role"
        await guests.have("put_in_play")
        assert (await guests.give("put_in_play")).code == "in_play"
        await guests.have("start_session", choice={"game": "pai_gow"})

    at_a_table(evening)


def test_the_audit_log_has_who_took_the_table_out_of_play_and_its_return(tmp_path: Path) -> None:
    async def evening(guests: Guests) -> None:
        await guests.have("take_out_of_play")
        await guests.have("put_in_play")

    at_a_table(evening, audit=tmp_path / "audit")
    events = checked_log(LogFolder(tmp_path / "audit")).events()
    found = [(event.what, event.who) for event in events if event.what in (OUT, BACK)]
    assert found == [(OUT, "Ann"), (BACK, "")]


def test_a_table_stays_out_of_play_after_a_restart(tmp_path: Path) -> None:
    async def before(guests: Guests) -> None:
        await guests.have("take_out_of_play")

    async def after(guests: Guests) -> None:
        assert guests.status.service.out_of_play
        refused = await guests.give("start_session", choice={"game": "pai_gow"})
        assert refused.sentence == "Ann has taken the table out of play."
        await guests.have("put_in_play")

    async def later(guests: Guests) -> None:
        assert not guests.status.service.out_of_play

    for hours in (before, after, later):
        at_a_table(hours, store=tmp_path / "evening.db")


def test_the_floor_sees_who_is_needed_and_since_when() -> None:
    async def evening(guests: Guests) -> None:
        await guests.have("start_session", choice={"game": "pai_gow"})
        await guests.until(lambda s: bool(s.prompts))
        prompt = guests.status.prompts[0]
        times = ClockTimes(wall=lambda: NOON)
        state = state_of_status(guests.status, prompt.since + 90, times)
        assert state.needs[0].sentence == prompt.text
        assert state.needs[0].since == "2030-01-01T11:58:30.000Z"
        assert state.game == "Pai gow"

    at_a_table(evening, automatic=False)


def test_a_prompt_keeps_its_time_when_the_clock_of_the_computer_is_set() -> None:
    wall = [NOON]
    times = ClockTimes(pace=10.0, wall=lambda: wall[0])
    first = times.text(100.0, 200.0)
    assert first == "2030-01-01T11:59:50.000Z"
    wall[0] += timedelta(days=300)
    assert times.text(100.0, 500.0) == first


def test_a_bundle_of_a_table_on_a_floor_has_the_floors_cosignature(tmp_path: Path) -> None:
    witness = SigningKey("floor-main/witness", b"w" * 32, COSIGNATURE)

    async def evening(guests: Guests) -> None:
        await guests.have("start_session", choice={"game": "pai_gow"})
        await guests.until(lambda s: s.machine.top == "playing")
        await guests.have("end_session")
        await guests.until(lambda s: s.session is None)
        source = ServiceSource(guests.port)
        size = guests.status.audit.events
        head = await source.head(size)
        assert head is not None
        checkpoint = Checkpoint.parsed(head.text)
        assert checkpoint.size <= size
        line = witness.cosignature(checkpoint, round(NOON.timestamp()))
        await source.keep_cosigned(head.with_signature(line), witness.public)

    at_a_table(evening, audit=tmp_path / "audit")
    file = BytesIO()
    export_bundle(checked_log(LogFolder(tmp_path / "audit")), file)
    file.seek(0)
    verified = verify_bundle(file, witnesses=(witness.public,))
    assert [each.witness for each in verified.cosigned] == ["floor-main/witness"]


@pytest.mark.slow
def test_a_served_table_publishes_its_whole_log_and_is_offline_after_its_end(
    mosquitto: MosquittoProcess, tmp_path: Path
) -> None:
    """The broker, the connection and the thread are real; the floor's part is a plain client."""
    with ServeProcess(tmp_path, mosquitto.port, T07) as serving:
        published = received_until(mosquitto.port, T07, events=40)
        serving.stop()
    assert parsed(Alive, published["alive"][0]).online
    birth = parsed(Birth, published["birth"][-1])
    assert birth.title == "Table 7"
    batches = [parsed(Events, payload) for payload in published["events"]]
    lines: list[str] = []
    for batch in batches:
        # A batch that comes after a gap is sent again, as by a subscription that was late.
        if batch.first <= len(lines):
            lines += batch.lines[len(lines) - batch.first :]
    assert len(lines) >= 40
    for index, line in enumerate(lines):
        parsed_event(line.encode(), index)
    log = (tmp_path / "data" / "audit" / "events.jsonl").read_text().splitlines()
    assert lines == log[: len(lines)]
    states = [parsed(State, payload) for payload in published["state"]]
    assert any(state.service == "session" for state in states)
    assert datetime.fromisoformat(states[-1].at)
    last = received_until(mosquitto.port, T07, events=0)["alive"][0]
    assert json.loads(last) == {"online": False, "birth": birth.birth, "switched_off": True}
