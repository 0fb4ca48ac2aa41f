"""Receipts of rounds and shuffle cycles at a table, with their random choices."""

import json
from pathlib import Path
from typing import Any

import pytest

from controller.records.audit.log.event_line import AuditEvent
from controller.records.audit.receipts import receipt_text, verify_receipt
from controller.service.port import Actor, CommandRequest, LastRounds
from controller.service.status import GameChoice
from controller.service.user_roles import UserRole
from tests.controller.service.auditing.test_audit_trail import events_in
from tests.controller.service.service_at_a_table import Guests, at_a_table

PAI_GOW = GameChoice(game="pai_gow").model_dump()


@pytest.fixture(scope="module")
def evening(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[list[AuditEvent], LastRounds, LastRounds, dict[str, Any]]:
    """The events of two rounds, what was shown during and after them, and a receipt."""
    folder = tmp_path_factory.mktemp("evening") / "audit"
    shown: list[LastRounds] = []
    receipts: list[dict[str, Any] | None] = []

    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", UserRole.PLAYER, choice=PAI_GOW)
        bob = Actor("Bob", UserRole.ATTENDANT, "console", "192.168.1.21")
        names = CommandRequest(id="bob-1", name="name_players", arguments={"names": {"0": "Mei"}})
        assert (await guests.port.submit(names, bob)).state == "done"
        await guests.until(lambda status: status.counts.rounds == 1)
        await guests.until(lambda status: status.machine.top == "playing")
        shown.append(await guests.port.last_rounds())
        await guests.give("end_session")
        await guests.until(lambda status: status.session is None)
        shown.append(await guests.port.last_rounds())
        receipts.append(await guests.port.receipt("s1", 1))
        assert await guests.port.receipt("s1", 99) is None

    at_a_table(scenario, "pai_gow", audit=folder)
    (receipt,) = receipts
    assert receipt is not None
    return events_in(folder), *shown, receipt


Evening = tuple[list[AuditEvent], LastRounds, LastRounds, dict[str, Any]]


def test_a_round_and_its_shuffle_have_receipts(
    evening: Evening,
) -> None:
    receipts = [event.details for event in evening[0] if event.what == "receipt"]
    finished = next(each for each in receipts if each["kind"] == "round")
    cycles = [each for each in receipts if each["kind"] == "shuffle cycle"]
    assert [each["number"] for each in cycles] == list(range(1, len(cycles) + 1))
    assert cycles[0]["began"] > "2030-01-01T12:00:00.000Z"
    assert (finished["number"], finished["game"], finished["operator"]) == (1, "pai_gow", "Ann")
    assert finished["result"]["sentence"]
    assert finished["dice"]
    assert [choice["what"] for choice in finished["choices"]]
    assert finished["software"]["version"] == "test"


def test_a_receipt_of_the_port_verifies_and_its_choices_are_recomputed(evening: Evening) -> None:
    verified = verify_receipt(receipt_text(evening[3]).encode())
    assert verified.contents["number"] == 1
    assert verified.chance.endswith("recomputed from the revealed share")


def test_the_commitment_of_a_round_is_in_the_log_before_the_round(evening: Evening) -> None:
    events = evening[0]
    chance = evening[3]["receipt"]["chance"]
    committed = next(
        event
        for event in events
        if event.what == "chance_committed" and event.details["commitment"] == chance["commitment"]
    )
    ready = next(event for event in events if event.what == "ready")
    assert committed.index < ready.index
    before = [event for event in events if event.index < evening[3]["index"]]
    hidden = [e for e in before if e.what == "receipt" and e.details["kind"] == "shuffle cycle"]
    assert hidden[0].details["chance"]["commitment"] == chance["commitment"]
    assert hidden[0].details["chance"]["reveal"] is None


def test_R9_the_last_rounds_are_shown_with_results_and_the_unfinished_one(evening: Evening) -> None:
    during, after = evening[1:3]
    assert [each["number"] for each in during.rounds] == [1]
    assert during.unfinished is not None
    assert (during.unfinished["number"], during.unfinished["state"]) == (2, "unfinished")
    assert during.unfinished["chance"]["reveal"] is None
    assert after.unfinished is None
    assert [each["number"] for each in after.rounds] == [1, 2]
    for each in after.rounds:
        assert each["result"]["sentence"]
        assert each["chance"]["reveal"]


def test_the_last_rounds_survive_a_restart(tmp_path: Path) -> None:
    found = []

    async def play(guests: Guests) -> None:
        await guests.give("start_session", UserRole.PLAYER, choice=PAI_GOW)
        await guests.until(lambda status: status.machine.top == "playing")
        await guests.give("end_session")
        await guests.until(lambda status: status.session is None)
        found.append((await guests.port.last_rounds()).rounds)

    async def look(guests: Guests) -> None:
        found.append((await guests.port.last_rounds()).rounds)
        receipt = await guests.port.receipt("s1", 1)
        assert receipt is not None
        assert verify_receipt(receipt_text(receipt).encode()).contents["number"] == 1

    for scenario in (play, look):
        at_a_table(scenario, "pai_gow", audit=tmp_path / "audit", store=tmp_path / "evening.db")
    assert json.dumps(found[0]) == json.dumps(found[1])
