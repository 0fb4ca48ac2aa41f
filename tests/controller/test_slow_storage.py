"""Tests a table whose journal is on a slow SD card: durations, order of writes, restarts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from random import Random

import pytest

from config.layout.mixing import MixingState, PanMotion, mixing_state, with_drum
from config.loader import game_parameters, load_game, load_table
from config.schema import Table
from controller.events import Event, EventLog
from controller.proof.chaos.host_restarts import SurvivingTable
from controller.run.assembly import daemon_for, simulated
from controller.run.daemon import Daemon
from controller.run.journal import Entry, Journal, read_entries
from controller.run.journal.notes import (
    ChainAt,
    LaneFilled,
    Note,
    PushProven,
    TileFree,
    TilesSurplus,
)
from controller.run.orders import Orders
from controller.run.planning.setup_forecast import seats_of
from firmware_bridge.sim.clock import VirtualLoop, run
from firmware_bridge.sim.faults.injected_fault import parse
from firmware_bridge.sim.host_computer import SlowDisk
from rules.games import find_game
from tests.quick import EVIDENCE_ONLY, slow_except

SLOW = 0.1
"""Duration of a sync on a worn SD card, seconds."""
DARK = 3.0
"""Seconds between the end of one host and the start of the next."""


def cycles(sync_s: float, rounds: int = 1) -> tuple[float, list[Event]]:
    """Play rounds; return the mean duration of the `top` cycles in seconds, and the events."""

    async def main() -> tuple[float, list[Event]]:
        loop = asyncio.get_running_loop()
        machine, config, rules = load_table("robotic"), load_game("wenzhou"), find_game("wenzhou")
        orders = Orders(rules, game_parameters(config))
        hardware = simulated(machine, config, rules, seats_of(orders.setup(0)), 7)
        events, emitted = EventLog(loop.time), list[Event]()
        events.listen(emitted.append)
        with Journal.in_memory("now", {}, SlowDisk(sync_s)) as journal:
            daemon = daemon_for(hardware, machine, config, orders, journal, events)
            await daemon.run(rounds)
        hardware.close()
        top = daemon.run_state.figures.top
        return sum(top) / len(top), emitted

    return run(main())


@pytest.mark.slow
def test_a_round_on_a_slow_card_takes_at_most_a_tenth_longer_and_never_pauses() -> None:
    fast, _ = cycles(0.0)
    slow, emitted = cycles(SLOW)
    assert fast < slow <= 1.10 * fast
    assert "paused" not in {event["event"] for event in emitted}


@pytest.mark.slow
def test_two_rounds_with_the_same_seed_on_the_same_slow_card_are_the_same() -> None:
    assert cycles(SLOW) == cycles(SLOW)


OBSERVATIONS = (TileFree, TilesSurplus, PushProven, ChainAt)
"""Notes whose write is not awaited (docs/decisions/0015)."""
Step = tuple[int, dict[str, object], list[object]]


def steps(entries: Iterable[Entry], other_lanes: Collection[int]) -> list[Step]:
    """Return number, intent and notes of the entries that must be on disk before a motion.

    A filled lane must be on disk before its own head lifts again; other heads do not wait for it.
    """

    def must_be_written(note: Note) -> bool:
        if isinstance(note, LaneFilled):
            return note.seat not in other_lanes
        return not isinstance(note, OBSERVATIONS)

    return [
        (e.number, e.intent, [note for note in e.notes if must_be_written(note)])
        for e in entries
        if e.activity in ("top", "under", "asked")
    ]


def lanes_of_other_heads(table: SurvivingTable, channel: str) -> frozenset[int]:
    """Return the seats whose lanes other heads fill, if the channel is the wheel of a head."""
    heads = table.machine.modules.heads
    ports = heads.ports if heads else ()
    if channel not in [head.wheel for head in ports]:
        return frozenset()
    return frozenset(seat for head in ports if head.wheel != channel for seat in head.trays)


def drives(table: SurvivingTable) -> set[str]:
    """Return the outputs that move tiles, or parts that can touch a tile or a person."""
    modules = table.machine.modules
    named: list[str | None] = [tray.lift for tray in (modules.trays.sides if modules.trays else ())]
    named += [modules.lid and modules.lid.motor, modules.flipper and modules.flipper.motor]
    named += [modules.gantry and modules.gantry.grip, modules.dice and modules.dice.unit]
    named += [lane.presenter for lane in (modules.lanes.seats if modules.lanes else ())]
    named += [head.wheel for head in (modules.heads.ports if modules.heads else ())]
    return {name for name in named if name}


JAMMED = ("robotic", "wenzhou", "jam:head2#30~9")
ON_CARDS = [
    (*JAMMED, 1.5),
    ("robotic", "wenzhou", "", 25.0),
    ("auto_deal", "wenzhou", "", SLOW),
    ("single_port", "block", "jam:head0#9~1", 1.5),
]
"""Table, game, injected fault and duration of a sync; `make evidence` has all combinations."""
ALL_ON_CARDS = [(*case[:3], sync_s) for case in ON_CARDS for sync_s in (SLOW, 1.5, 25.0)]


@pytest.mark.parametrize(
    ("table", "game", "injected_fault", "sync_s"),
    [
        *slow_except(ON_CARDS[:1], ON_CARDS),
        *(
            pytest.param(*case, marks=[pytest.mark.slow, EVIDENCE_ONLY])
            for case in ALL_ON_CARDS
            if case not in ON_CARDS
        ),
    ],
)
def test_no_output_moves_tiles_before_its_journal_entries_are_on_every_disk(
    table: str, game: str, injected_fault: str, sync_s: float, tmp_path: Path
) -> None:
    path = tmp_path / "table.journal"
    early: list[tuple[str, int]] = []
    driven: Counter[str] = Counter()

    async def scenario() -> None:
        place = SurvivingTable(
            table,
            game,
            7,
            sync_s=sync_s,
            injected_faults=[parse(injected_fault)] if injected_fault else [],
        )
        watched = drives(place)

        def moved(channel: str, value: int) -> None:
            if channel not in watched or not value:
                return
            assert place.daemon is not None
            driven[channel] += 1
            others = lanes_of_other_heads(place, channel)
            added = steps(place.daemon.run_state.journal.entries(), others)
            if added != steps(read_entries(path), others):
                early.append((channel, value))

        place.plant.output_observers.append(moved)
        assert await place.run_host(path) is not None

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        runner.run(scenario())
    assert len(driven) > 3 and driven.total() > 50
    assert early == []


MIX = 8.0
"""Duration of mixing where hosts stop again and again, seconds."""


def mixes_briefly(name: str) -> Table:
    """Return a table that mixes for `MIX` seconds."""
    return with_drum(load_table(name), mix=MIX)


def as_mixed_once(pan: PanMotion, seconds: float) -> MixingState:
    """The state of a set after `MIX` seconds, although a set that is mixed again is mixed better.

    The tiles then come in the same order however often the mixing is broken off.
    """
    return mixing_state(pan, MIX)


@pytest.mark.slow
@pytest.mark.parametrize(("table", "game"), [("robotic", "wenzhou"), ("auto_deal", "matador")])
def test_hosts_that_stop_at_random_times_on_slow_cards_change_no_hand(
    table: str, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each copy keeps a random part of the sectors that are being written at the power cut."""
    # A host that stops during the mixing lets the next one mix from the beginning: with the table's
    # own time of mixing no host would come to the walls.
    monkeypatch.setattr("controller.proof.chaos.host_restarts.load_table", mixes_briefly)
    monkeypatch.setattr("firmware_bridge.sim.plant.below_lid.drum.mixing_state", as_mixed_once)

    def hands(folder: str, kills: int) -> tuple[dict[int, list[str]], list[str], int]:
        path = tmp_path / folder / "table.journal"
        path.parent.mkdir()
        chance = Random(f"{table} {kills}")

        async def scenario() -> tuple[dict[int, list[str]], list[str], int]:
            place = SurvivingTable(table, game, 7, sync_s=SLOW)
            hosts = 0
            while True:
                if hosts < kills:
                    asyncio.get_running_loop().call_later(chance.uniform(1.0, 30.0), place.kill)
                hosts += 1
                if await place.run_host(path, until_ready=True) is not None:
                    break
                await asyncio.sleep(DARK)
            dealt = {seat: [t.face for t in hand] for seat, hand in place.plant.hands().items()}
            wrong = [str(e) for e in place.events if e["event"] in ("fault", "operator_prompted")]
            thrown = len(place.plant.dome.throws) if place.plant.dome else 0
            return dealt, wrong, thrown

        with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
            return runner.run(scenario())

    undisturbed = hands("whole", 0)
    assert hands("broken", 12) == undisturbed


def test_a_daemon_reports_a_disk_that_hangs_and_stops_safely() -> None:
    disk = SlowDisk(0.0)

    async def main() -> tuple[list[Event], float]:
        loop = asyncio.get_running_loop()
        machine, config, rules = load_table("robotic"), load_game("wenzhou"), find_game("wenzhou")
        orders = Orders(rules, game_parameters(config))
        hardware = simulated(machine, config, rules, seats_of(orders.setup(0)), 7)
        events, emitted = EventLog(loop.time), list[Event]()
        events.listen(emitted.append)
        loop.call_at(60.0, setattr, disk, "sync_s", 1e9)
        with Journal.in_memory("now", {}, disk) as journal:
            daemon: Daemon = daemon_for(hardware, machine, config, orders, journal, events)
            with pytest.raises(Exception, match="disk has not answered for 30 s"):
                await daemon.run(1)
        hardware.close()
        return emitted, loop.time()

    emitted, ended = run(main())
    faults = [event for event in emitted if event["event"] == "fault"]
    assert [event["code"] for event in faults] == ["JOURNAL"]
    assert 90.0 < ended < 200.0
