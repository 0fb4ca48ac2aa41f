"""Tests requirements of a regulated floor (docs/regulate/COMPLIANCE.md) with a table's service."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from controller.events import Event
from controller.run.journal import Journal
from controller.run.journal.copies import paths_of
from controller.service.user_roles import UserRole
from controller.web.api.server.serving import StartingAnswer
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.sim.clock import run
from tests.controller.service.service_at_a_table import Guests, at_a_table
from tests.controller.service.surviving_service import SurvivingTable


async def answering(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that answers every request with 204."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.mark.slow
def test_R7_no_request_is_answered_before_recovery_and_self_tests_have_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    tested: list[str] = []
    self_test = SerialBoard.self_test

    async def noted(board: SerialBoard) -> int:
        failing = await self_test(board)
        tested.append(board.name)
        return failing

    monkeypatch.setattr(SerialBoard, "self_test", noted)

    async def ask(guests: Guests) -> int:
        gate = guests.service.runs.gate
        app = StartingAnswer(answering, lambda: gate.is_open)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
            answer = await client.get("/api/v1/status")
        if answer.status_code == 503:
            assert answer.json()["code"] == "starting"
            assert answer.headers["retry-after"] == "1"
        return answer.status_code

    async def play(guests: Guests) -> None:
        await guests.until(lambda s: s.service.state == "idle")
        assert await ask(guests) == 204, "nothing is to be recovered"
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.machine.top == "dealing")

    async def restart(guests: Guests) -> None:
        guests.service.listen(
            lambda event: seen.append(str(event["top"])) if event["event"] == "state" else None
        )
        gate, opened = guests.service.runs.gate, asyncio.Event()
        tested.clear()
        assert not gate.is_open
        assert await ask(guests) == 503
        gate.when_open(opened.set)
        gate.when_open(lambda: seen.append(f"open after {sorted(tested)}"))
        await opened.wait()
        assert await ask(guests) == 204

    async def evening() -> None:
        table = SurvivingTable("robotic", tmp_path, 3)
        await table.host(play, kill=True)
        await table.host(restart)

    run(evening())
    assert seen[:2] == ["turning", "open after ['arm', 'base']"], "after the round is restored"


def damage(path: Path) -> None:
    """Change a byte in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


@pytest.mark.slow
def test_R8_three_copies_are_checked_before_and_after_each_game_and_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = tmp_path / "table.journal"
    copies, checks, events = paths_of(journal), [], list[Event]()
    assert len(copies) == 3
    (tmp_path / "device").mkdir()
    assert paths_of(journal, tmp_path / "device")[2].parent == tmp_path / "device"
    check = Journal.check

    def counted(self: Journal) -> object:
        checks.append(self)
        return check(self)

    monkeypatch.setattr(Journal, "check", counted)

    async def scenario(guests: Guests) -> None:
        guests.service.listen(events.append)
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.machine.top == "playing")
        before = len(checks)
        assert before >= 1
        damage(copies[1])
        await guests.until(lambda s: bool(s.session and s.session.rounds == 1))
        await guests.until(lambda s: s.machine.top == "playing")
        assert len(checks) >= before + 2
        repaired = [each for each in events if each["event"] == "journal_copy_repaired"]
        assert any(str(copies[1]) in str(each["message"]) for each in repaired)

    at_a_table(scenario, journal=journal)


def test_R11_nobody_plays_while_a_fault_exists() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: any(prompt.kind == "fault" for prompt in s.prompts))
        dealt: list[Event] = []
        guests.service.listen(
            lambda event: dealt.append(event) if event["event"] == "delivered" else None
        )
        await asyncio.sleep(300.0)
        assert dealt == []
        (prompt,) = guests.status.prompts
        await guests.give("answer", prompt=prompt.id, value="stop")
        await guests.until(lambda s: s.service.state == "fault")
        refused = await guests.give("start_session", UserRole.PLAYER, choice={"game": "wenzhou"})
        assert (refused.state, refused.code) == ("refused", "fault")
        assert (await guests.give("clear_fault", UserRole.PLAYER)).code == "role"
        await asyncio.sleep(3600.0)
        assert guests.status.machine.top == "offline"
        assert dealt == []

    at_a_table(scenario, automatic=False, injected_faults=("jam:head2@20~60",))


def test_R18_the_cut_is_chosen_before_the_dice_and_refused_after_them() -> None:
    async def scenario(guests: Guests) -> None:
        thrown = asyncio.Event()
        guests.service.listen(
            lambda event: thrown.set() if event["event"] == "dice_thrown" else None
        )
        choice = {"game": "pai_gow", "follow": "none"}
        await guests.give("start_session", choice=choice)
        await guests.until(lambda s: any(prompt.kind == "choice" for prompt in s.prompts))
        await asyncio.sleep(600.0)
        assert not thrown.is_set(), "the dice wait for the cut"
        (prompt,) = guests.status.prompts
        chosen, other = prompt.choices[-1].value, prompt.choices[0].value
        assert (await guests.give("answer", prompt=prompt.id, value=chosen)).state == "done"
        await thrown.wait()
        late = await guests.give("answer", prompt=prompt.id, value=other)
        assert late.state == "refused"
        assert f"was answered with '{chosen}' before" in late.sentence
        await guests.until(lambda s: s.machine.top == "playing")
        assert guests.status.round is not None
        assert guests.status.round.choices["cut"] == chosen
        assert not [each for each in guests.status.prompts if each.kind == "choice"]

    at_a_table(scenario, "pai_gow", automatic=False)
