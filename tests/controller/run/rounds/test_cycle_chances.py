"""Random choices are in the journal before their use, and revealed after the round."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from controller.events import Event, EventLog
from controller.proof.chaos.host_restarts import SurvivingTable
from controller.run.chance.records import (
    ChanceRefusedError,
    Choice,
    ChoiceRequest,
    CycleDraw,
    permutation,
)
from controller.run.chance.source import ChanceSource, EntropyFailureError, OperatingSystemChance
from controller.run.chance.verification import verify_chance
from controller.run.faults.catalogue import CATALOGUE, Fault, Who
from controller.run.faults.failures import TableFault
from controller.run.journal import Journal
from controller.run.journal.notes import ChoicesDrawn, ShareCommitted, notes_of
from controller.run.ledger import Ledger
from controller.run.rounds import cycle_chances
from controller.run.rounds.cycle_chances import CycleChances
from controller.run.run_state import RunState
from firmware_bridge.sim.clock import VirtualLoop
from tests.quick import tries

ORDER = [permutation("permutation of set 0", 32)]
T = TypeVar("T")
Scenario = Callable[[CycleChances, list[Event]], Coroutine[Any, Any, T]]


def one_host(
    path: Path | None,
    scenario: Scenario[T],
    open_source: Callable[[str], ChanceSource] = OperatingSystemChance,
    requests: Sequence[ChoiceRequest] = ORDER,
) -> T:
    """Run a scenario with the cycles of a new host that resumes the unfinished run of the journal.

    The host ends like a killed one: without an end record.
    """

    async def run() -> T:
        with Journal(path, "now", {}) as journal:
            events: list[Event] = []
            log = EventLog(lambda: 0.0)
            log.listen(events.append)
            run_state = RunState(Ledger.of(1, 0), journal, log, lambda: 0.0)
            unfinished = journal.resume()
            if unfinished is not None:
                run_state.resume(unfinished.entries)
            return await scenario(CycleChances(run_state, open_source, "robotic", requests), events)

    return asyncio.run(run())


async def begun(chances: CycleChances, events: list[Event]) -> str:
    await chances.begin()
    assert chances.next is not None
    return chances.next.commitment


async def drawn(
    chances: CycleChances, events: list[Event], sets: Sequence[int] = (0,)
) -> tuple[Choice, ...]:
    for tile_set in sets:
        choices = await chances.draw(tile_set)
    return choices


async def revealed(chances: CycleChances, events: list[Event]) -> Any:
    await chances.draw(0)
    chances.reveal(0)
    return [event["record"] for event in events if event["event"] == "chance_revealed"]


def test_a_share_is_committed_before_and_revealed_after_the_round() -> None:
    async def scenario(chances: CycleChances, events: list[Event]) -> None:
        assert chances.next is None
        await chances.begin()
        first = chances.next
        assert first is not None
        chances.add_share(2, "rain on Tuesday")
        choices = await chances.draw(0)
        assert chances.next is not None
        assert chances.next.cycle == first.cycle + 1
        assert chances.of_set(0) is not None
        assert [event["event"] for event in events] == ["chance_committed"] * 2
        chances.reveal(0)
        assert chances.of_set(0) is None
        record: Any = events[-1]["record"]
        assert events[-1]["event"] == "chance_revealed"
        assert record["commitment"] == first.commitment == events[0]["commitment"]
        assert record["player_shares"] == [{"seat": 2, "share": "rain on Tuesday"}]
        assert verify_chance(record).choices == choices[:-1]
        chances.reveal(0)
        assert len(events) == 3

    one_host(None, scenario)


def test_a_share_that_comes_after_the_draw_belongs_to_the_next_cycle() -> None:
    async def scenario(chances: CycleChances, events: list[Event]) -> None:
        with pytest.raises(ChanceRefusedError, match="No cycle has begun"):
            chances.add_share(0, "early")
        await chances.begin()
        chances.add_share(0, "first")
        await chances.draw(0)
        chances.add_share(0, "second")
        texts = [
            [share.text for share in record.player_shares]
            for record in (chances.of_set(0), chances.next)
            if record is not None
        ]
        assert texts == [["first"], ["second"]]
        for number in range(31):
            chances.add_share((number + 1) % 8, str(number), f"player {number // 8}")
        with pytest.raises(ChanceRefusedError, match="32 players' shares"):
            chances.add_share(9, "one too many")

    one_host(None, scenario)


def test_no_player_takes_the_places_of_the_others() -> None:
    async def scenario(chances: CycleChances, events: list[Event]) -> None:
        await chances.begin()
        for seat in range(4):
            for number in range(2):
                chances.add_share(seat, str(number), "Bob")
            with pytest.raises(ChanceRefusedError, match="Bob has added them for seat"):
                chances.add_share(seat, "one more", "Bob")
        for number in range(6):
            chances.add_share(1, str(number), f"friend {number // 2}")
        with pytest.raises(ChanceRefusedError, match="8 shares of one seat; seat 1 has them"):
            chances.add_share(1, "one more", "another friend")
        for seat in (0, 2, 3):
            chances.add_share(seat, "mine", "Mei")

    one_host(None, scenario)


def test_a_cycle_that_release_0_2_has_begun_ends_with_the_choices_of_its_version(
    tmp_path: Path,
) -> None:
    path = tmp_path / "table.journal"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cycle_chances, "CycleDraw", partial(CycleDraw, version=1))
        choices = one_host(path, drawn)
    (record,) = one_host(path, revealed)
    verdict = verify_chance(record)
    assert (record["version"], verdict.choices) == (1, choices[:-1])
    assert not verdict.is_bound


def test_r4_a_resumed_run_draws_the_same_choices(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    commitment = one_host(path, begun)
    assert one_host(path, begun) == commitment

    async def shared(chances: CycleChances, events: list[Event]) -> None:
        await chances.begin()
        chances.add_share(1, "rain")

    one_host(path, shared)
    choices = one_host(path, drawn)
    assert one_host(path, drawn) == choices
    (record,) = one_host(path, revealed)
    assert record["commitment"] == commitment
    assert record["player_shares"] == [{"seat": 1, "share": "rain"}]
    assert verify_chance(record).choices == choices[:-1]
    # The reveal is in the journal now: a later host does not repeat its event.
    assert one_host(path, revealed) == []


def test_every_cycle_of_a_device_has_a_number_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    one_host(path, partial(drawn, sets=(0, 1)))

    async def another_run() -> int:
        with Journal(path, "now", {}) as journal:
            run_state = RunState(Ledger.of(1, 0), journal, EventLog(lambda: 0.0), lambda: 0.0)
            chances = CycleChances(run_state, OperatingSystemChance, "robotic", ())
            await chances.begin()
            journal.end()
            assert chances.next is not None
            return chances.next.cycle

    # Two cycles were drawn, and a third one had begun when that run was abandoned.
    assert asyncio.run(another_run()) == 4
    assert asyncio.run(another_run()) == 5


def test_r17_the_journal_does_not_show_a_share_before_its_reveal(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    choices = one_host(path, drawn)
    before = path.read_text()
    (record,) = one_host(path, revealed)
    assert record["reveal"] not in before
    assert str(list(choices[0].value)).replace(" ", "") not in before
    assert bytes(choices[-1].value).hex() not in before
    assert record["reveal"] in path.read_text()
    key = path.with_name("table.journal.chance-key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert len(key.read_bytes()) == 32
    assert key.read_bytes().hex() not in before


@pytest.mark.parametrize(
    ("damage", "evidence"),
    [
        (lambda key: key.unlink(), "is missing"),
        (lambda key: key.write_bytes(bytes(31)), "has 31 bytes instead of 32"),
        (lambda key: key.write_bytes(bytes(32)), "belongs to another journal"),
    ],
    ids=["missing", "short", "other"],
)
def test_without_its_key_an_interrupted_cycle_is_not_drawn_again(
    tmp_path: Path, damage: Callable[[Path], None], evidence: str
) -> None:
    path = tmp_path / "table.journal"
    one_host(path, begun)
    damage(path.with_name("table.journal.chance-key"))
    with pytest.raises(TableFault, match=evidence) as fault:
        one_host(path, drawn)
    assert fault.value.fault is Fault.CHANCE


def test_choices_that_differ_from_the_journal_are_not_used(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    one_host(path, drawn)

    with pytest.raises(TableFault, match="is not that of its share and of the choices"):
        one_host(path, drawn, requests=[permutation("permutation of set 0", 28)])


def test_a_source_that_fails_stops_the_table_until_a_technician_clears_it() -> None:
    class Failed:
        def __init__(self, device: str) -> None:
            self.device = device

        def share(self, context: str) -> bytes:
            raise EntropyFailureError("repetition count: the byte 0 came 6 times in a row")

    with pytest.raises(TableFault, match="repetition count") as fault:
        one_host(None, begun, Failed)
    assert fault.value.fault is Fault.CHANCE
    assert CATALOGUE[Fault.CHANCE].who is Who.TECHNICIAN
    assert CATALOGUE[Fault.CHANCE].limits is None


# At the table


def killed_at(folder: Path, write: int | None) -> tuple[list[Event], Path, int]:
    """Play one round of pai gow; the first host is killed at a write of its journal."""

    async def scenario() -> tuple[list[Event], int]:
        place = SurvivingTable("pai_gow", "pai_gow", 5, answers={"cut": "dragon_head"})
        path = folder / "table.journal"
        ended = None
        hosts = 0
        while ended is None:
            first = hosts == 0
            ended = await place.run_host(
                path,
                should_kill=lambda number, done, first=first: (  # type: ignore[misc]
                    first and number == write and done
                ),
            )
            hosts += 1
            await asyncio.sleep(3.0)
        return place.events, ended[1]

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        events, writes = runner.run(scenario())
    return events, folder / "table.journal", writes


def check_round(events: list[Event], path: Path) -> None:
    """Check that each cycle was committed to and drawn once, and that its record verifies."""
    with Journal(path, "now", {}) as journal:
        entries = [entry for entry in journal.history() if entry.activity == "chance"]
    assert [entry.intent["cycle"] for entry in entries] == list(range(1, len(entries) + 1))
    for entry in entries:
        assert len(notes_of(entry.notes, ShareCommitted)) == 1
        assert len(notes_of(entry.notes, ChoicesDrawn)) <= 1
    shown = {event["cycle"]: event["commitment"] for event in _of(events, "chance_committed")}
    # A host that is killed between the journal and an event leaves the event to the next host.
    for event in _of(events, "chance_committed"):
        assert event["commitment"] == shown[event["cycle"]]
    records: list[Any] = [event["record"] for event in _of(events, "chance_revealed")]
    assert records
    assert all(record == records[0] for record in records)
    assert records[0]["cycle"] == 1
    assert records[0]["commitment"] == shown[1]
    assert verify_chance(records[0]).is_verified
    names = [str(event["event"]) for event in events]
    assert names.index("chance_committed") < names.index("walls_raised")
    assert names.index("ready") < names.index("chance_revealed")
    assert records[0]["reveal"] not in json.dumps(events[: names.index("chance_revealed")])


def test_a_round_at_the_table_commits_before_and_reveals_after(tmp_path: Path) -> None:
    events, path, _ = killed_at(tmp_path, None)
    check_round(events, path)


@pytest.mark.slow
@pytest.mark.evidence
def test_r4_a_host_that_is_killed_at_any_write_never_repeats_a_draw(tmp_path: Path) -> None:
    _, whole, writes = killed_at(tmp_path, None)
    assert writes > 20
    whole.unlink()
    for write in range(2, writes, tries(7, quick=20, evidence=1)):
        folder = tmp_path / str(write)
        folder.mkdir()
        events, path, _ = killed_at(folder, write)
        check_round(events, path)


def _of(events: list[Event], name: str) -> list[Event]:
    return [event for event in events if event["event"] == name]
