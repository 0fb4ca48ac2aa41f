"""Tests that a new host resumes a round after the host stopped: same position, same hands."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from config.layout.mixing import MixingState, PanMotion, mixing_state
from controller.events import Event
from controller.proof.chaos.host_restarts import SurvivingTable
from controller.proof.chaos.witness import hands_as_planned
from controller.run.daemon import Daemon
from controller.run.faults.failures import Fault, TableFault, sort_failures
from controller.run.journal import Entry, Journal
from controller.run.journal.replay import Replay, ReplayError
from firmware_bridge.guide import Ask
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injected_fault import parse
from tests.quick import slow_except, tries

DARK = 3.0
"""Seconds between the end of one host and the start of the next."""
ShouldKill = Callable[[int, bool], bool]


def as_after_a_minute(pan: PanMotion, seconds: float) -> MixingState:
    """The state of a set after 60 s of mixing, however long the drum has really turned.

    After a host has stopped during the mixing, the next host mixes the set again. The set is then
    in another order, at a simulated table as at a real one, and that order is no one's mistake.
    """
    return mixing_state(pan, 60.0)


@dataclass
class Evening:
    """The results of a round: tiles at each seat, throws of the dice, writes of the last host.

    `hands` are the tiles at the end, `dealt` the tiles when the game was ready to play.
    """

    hands: dict[int, list[str]]
    dealt: dict[int, list[str]]
    tiles: int
    throws: int
    writes: int
    hosts: int
    faults: list[str]


def evening(
    folder: Path,
    table: str,
    game: str,
    kills: tuple[ShouldKill, ...] = (),
    answers: Mapping[str, int | str] | None = None,
    *,
    whole: bool = False,
    sync_s: float = 0.0,
    during: tuple[int, ...] = (),
) -> Evening:
    """Play one round with killed hosts; without `whole` it ends when it is ready to play.

    `kills` decide at which write each host is killed. Each sync of the journal takes `sync_s`
    seconds. The first hosts are killed in the middle of the writes with the numbers `during`, and
    each copy keeps a random part of the sectors of that write.
    """

    async def scenario() -> Evening:
        dealt: dict[int, list[str]] = {}

        def on_event(daemon: Daemon, event: Event) -> None:
            if event["event"] == "ready":
                dealt.update(faces(place))

        place = SurvivingTable(
            table, game, 7, answers=answers or {}, on_event=on_event, sync_s=sync_s
        )

        def in_the_middle_of(at: int) -> ShouldKill:
            def should_kill(write: int, done: bool) -> bool:
                if write == at and not done:
                    asyncio.get_running_loop().call_later(sync_s / 2, place.kill)
                return False

            return should_kill

        decisions = [*map(in_the_middle_of, during), *kills, lambda number, written: False]
        hosts = 0
        ended = None
        path = folder / "table.journal"
        while ended is None:
            should_kill = decisions[min(hosts, len(decisions) - 1)]
            ended = await place.run_host(path, should_kill=should_kill, until_ready=not whole)
            hosts += 1
            if ended is None:
                await asyncio.sleep(DARK)
                if has_ended(path):
                    break
        census = place.plant.census()
        return Evening(
            faces(place),
            dealt,
            sum(census.values()),
            len(place.plant.dome.throws) if place.plant.dome else 0,
            ended[1] if ended else 0,
            hosts,
            [str(event["code"]) for event in place.events if event["event"] == "fault"],
        )

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        return runner.run(scenario())


def faces(place: SurvivingTable) -> dict[int, list[str]]:
    """Return the faces of the tiles at each seat."""
    return {seat: [tile.face for tile in hand] for seat, hand in place.plant.hands().items()}


def has_ended(path: Path) -> bool:
    """Whether the journal has its end record, so that there is nothing to resume."""
    written = path.read_text("utf-8").splitlines() if path.exists() else []
    return bool(written) and json.loads(written[-1])["kind"] == "end"


ROUNDS = [
    pytest.param("robotic", "wenzhou", {}, id="wenzhou"),
    pytest.param("robotic", "pai_gow", {"cut": "dragon_head"}, id="pai_gow"),
]


EACH = tries(24, quick=24, evidence=1)
"""Of this many writes in a row, a host is killed at one. `make test` kills a host before the first
of 24, another one in the middle of the fifth and one after the ninth."""


def killed_at(first: int, writes: int) -> list[int]:
    """Return the numbers of the writes at which one host each is killed: `first`, ..., the last."""
    return [at for at in range(1, writes + 1) if (at - first) % EACH == 0 or at == writes]


@pytest.mark.slow
@pytest.mark.evidence
@pytest.mark.parametrize(("table", "game", "answers"), ROUNDS)
@pytest.mark.parametrize("written", [False, True], ids=["before_it", "after_it"])
def test_R5_a_host_that_stops_at_any_write_changes_no_hand_and_loses_no_tile(
    tmp_path: Path, table: str, game: str, answers: Mapping[str, str], written: bool
) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    undisturbed = evening(whole, table, game, answers=answers, whole=True)
    assert undisturbed.writes > 35
    for number in killed_at(9 if written else 1, undisturbed.writes):
        folder = tmp_path / str(number)
        folder.mkdir()

        def should_kill(write: int, done: bool, at: int = number) -> bool:
            return write == at and done is written

        disturbed = evening(folder, table, game, (should_kill,), answers, whole=True)
        ended = written and number == undisturbed.writes
        assert disturbed.hosts == (1 if ended else 2), number
        assert disturbed.faults == [], number
        assert disturbed.dealt == undisturbed.dealt, number
        assert not any(disturbed.hands.values()), "the played set has been pushed in"
        assert disturbed.tiles == undisturbed.tiles, number
        assert disturbed.throws == undisturbed.throws, "no die is thrown twice"


@pytest.mark.slow
@pytest.mark.evidence
@pytest.mark.parametrize(("table", "game", "answers"), ROUNDS)
def test_a_host_that_stops_in_the_middle_of_any_write_changes_no_hand_and_loses_no_tile(
    tmp_path: Path, table: str, game: str, answers: Mapping[str, str]
) -> None:
    """Each sync takes 0.1 s; the host is killed halfway, so all or part of the write is lost."""
    (tmp_path / "whole").mkdir()
    undisturbed = evening(tmp_path / "whole", table, game, answers=answers, whole=True, sync_s=0.1)
    assert undisturbed.writes > 35
    for number in killed_at(5, undisturbed.writes - 1):  # the last write is the end record
        folder = tmp_path / str(number)
        folder.mkdir()
        disturbed = evening(
            folder, table, game, answers=answers, whole=True, sync_s=0.1, during=(number,)
        )
        assert disturbed.hosts == 2, number
        assert disturbed.faults == [], number
        assert disturbed.dealt == undisturbed.dealt, number
        assert disturbed.tiles == undisturbed.tiles, number
        assert disturbed.throws == undisturbed.throws, "no die is thrown twice"


@pytest.mark.parametrize(
    ("table", "game", "answers"),
    [
        ROUNDS[0],
        pytest.param(
            *("pai_gow", "pai_gow", {"cut": "four_across"}),
            id="pai_gow_table",
            marks=pytest.mark.slow,
        ),
        pytest.param("classic", "filipino", {}, id="by_hand", marks=pytest.mark.slow),
        pytest.param("auto_deal", "wenzhou", {}, id="hand_lanes", marks=pytest.mark.slow),
        pytest.param("single_port", "block", {}, id="chain", marks=pytest.mark.slow),
    ],
)
def test_hosts_that_stop_repeatedly_change_no_hand(
    tmp_path: Path,
    table: str,
    game: str,
    answers: Mapping[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("firmware_bridge.sim.plant.below_lid.drum.mixing_state", as_after_a_minute)
    for folder in ("whole", "broken"):
        (tmp_path / folder).mkdir()
    undisturbed = evening(tmp_path / "whole", table, game, answers=answers)
    random = Random(table + game)

    def should_kill(write: int, done: bool) -> bool:
        return random.random() < 0.08

    disturbed = evening(tmp_path / "broken", table, game, (should_kill,) * 12, answers)
    assert disturbed.hosts > 2
    assert disturbed.faults == []
    assert disturbed.hands == undisturbed.hands


@pytest.mark.slow
def test_a_round_that_was_broken_off_is_played_out_and_collected(tmp_path: Path) -> None:
    random = Random(3)
    disturbed = evening(
        tmp_path, "robotic", "wenzhou", (lambda w, d: random.random() < 0.05,) * 9, whole=True
    )
    assert disturbed.hosts > 2
    assert disturbed.faults == []
    assert not any(disturbed.hands.values()), "the played set has been pushed in"


@pytest.mark.parametrize("table", slow_except(["robotic"], ["auto_deal", "robotic"]))
def test_a_tile_drawn_and_played_before_the_host_stopped_is_not_drawn_again(
    table: str, tmp_path: Path
) -> None:
    async def scenario() -> list[Event]:
        place = SurvivingTable(table, "matador", 1, play=True)

        def should_kill(write: int, done: bool) -> bool:
            emitted = [
                each for each in place.events if each["event"] in ("action_taken", "delivered")
            ][-2:]
            drawn = [each["event"] for each in emitted] == ["delivered", "action_taken"]
            return drawn and " on " in str(emitted[1]["do"]) and not done

        assert await place.run_host(tmp_path / "table.journal", should_kill=should_kill) is None
        await asyncio.sleep(DARK)
        assert await place.run_host(tmp_path / "table.journal") is not None
        place.plant.census()
        return place.events

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        emitted = [str(event["event"]) for event in runner.run(scenario())]
    assert emitted.count("settled") == emitted.count("run_resumed") == 1
    assert "fault" not in emitted


@pytest.mark.parametrize("after", [1.5, 2.0, 2.5])
def test_a_host_that_stops_while_the_arm_carries_tiles_deals_each_of_them_once(
    after: float, tmp_path: Path
) -> None:
    """The next host looks for the block in the jaws, at its source and at its target."""
    carries: list[Event] = []
    place: SurvivingTable

    def on_event(daemon: Daemon, event: Event) -> None:
        if event["event"] == "move" and "to" in event:
            carries.append(event)
            if len(carries) == 3:
                asyncio.get_running_loop().call_later(after, place.kill)

    async def scenario() -> tuple[list[str], list[object]]:
        nonlocal place
        place = SurvivingTable("robotic", "block", 7, on_event=on_event)
        path = tmp_path / "table.journal"
        assert await place.run_host(path, until_ready=True) is None
        await asyncio.sleep(DARK)
        ended = await place.run_host(path, until_ready=True)
        assert ended is not None and ended[0].deal is not None
        faults = [event for event in place.events if event["event"] in ("fault", "recovered")]
        return hands_as_planned(place.plant, ended[0].deal.setup, ended[0].deal.staging), faults

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        assert runner.run(scenario()) == ([], [])


def test_a_journal_with_other_steps_is_not_resumed() -> None:
    replay = Replay([Entry(3, "top", 0.0, {"step": "throw", "by": 1})])
    with pytest.raises(ReplayError) as refused:
        replay.take("top", {"step": "throw", "by": 2})
    assert str(refused.value).startswith("Entry 3 of the journal is step throw by 1, but the next")


@pytest.mark.parametrize("activity", ["top", "play", "programme"])
def test_no_step_of_a_task_is_replayed_while_an_older_one_is_left(activity: str) -> None:
    entries = [
        Entry(3, "top", 0.0, {"step": "throw", "by": 1}),
        Entry(5, "play", 0.0, {"seat": 1, "do": "roll 3 1"}),
        Entry(7, "top", 0.0, {"step": "throw", "by": 0}),
        Entry(8, "under", 0.0, {"do": "build"}),
    ]
    replay = Replay(entries)
    assert replay.take("under", {"do": "build"}) == entries[3], "another task"
    with pytest.raises(ReplayError, match="Entry 3 of the journal is step throw by 1"):
        replay.take("play", {"seat": 1, "do": "roll 3 1"})
    assert replay.take("top", entries[0].intent) == entries[0]
    with pytest.raises(ReplayError, match="Entry 5 of the journal is seat 1 do roll 3 1"):
        replay.take(activity, {"step": "throw", "by": 0})


def test_a_journal_with_other_steps_is_not_reported_as_one_that_cannot_be_written() -> None:
    replay = Replay([Entry(3, "top", 0.0, {"step": "throw", "by": 1})])
    with pytest.raises(ReplayError) as refused:
        replay.take("top", {"step": "throw", "by": 2})
    (fault,) = sort_failures(refused.value).faults
    assert (fault.fault, fault.part) == (Fault.UNPROVEN, "journal")
    assert "cannot be written" not in str(fault)


def test_R6_a_fault_before_a_power_cut_has_to_be_cleared_after_it(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"

    async def scenario() -> list[tuple[str, str]]:
        place = SurvivingTable("robotic", "wenzhou", 7)
        with Journal(path, "now", {}) as journal:
            number = journal.intend("top", 0.0, {"do": "take in", "set": 0})
            assert number
            daemon = place.host(journal)
            daemon.run_state.fault(TableFault(Fault.LID, "lid", "lid_opened gave no signal"))
        ended = await place.run_host(path, until_ready=True)
        assert ended is not None
        return [
            (str(event["event"]), str(event["code"]))
            for event in place.events
            if event["event"] in ("fault", "operator_prompted", "prompt_answered")
        ]

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        assert runner.run(scenario()) == [
            ("fault", "LID"),
            ("fault", "LID"),
            ("operator_prompted", "LID"),
            ("prompt_answered", "LID"),
        ]


def test_R6_a_question_after_a_power_cut_is_repeated_and_then_stops_the_table(
    tmp_path: Path,
) -> None:
    """Nobody answers: an operator who comes later must not find a table that waits for ever."""
    path = tmp_path / "table.journal"

    async def scenario() -> tuple[list[str], float]:
        place = SurvivingTable("robotic", "wenzhou", 7)
        with Journal(path, "now", {}) as journal:
            assert journal.intend("top", 0.0, {"do": "take in", "set": 0})
            daemon = place.host(journal)
            daemon.run_state.fault(TableFault(Fault.LID, "lid", "lid_opened gave no signal"))

        async def help_(ask: Ask) -> str:
            return await asyncio.get_running_loop().create_future()

        place.hands.help = help_  # type: ignore[method-assign]
        for _ in range(2):
            place.events.clear()
            with pytest.raises(TableFault, match="lid_opened gave no signal"):
                await place.run_host(path, until_ready=True)
        prompts = ("operator_prompted", "prompt_withdrawn", "fault")
        emitted = [str(each["event"]) for each in place.events if each["event"] in prompts]
        return emitted, asyncio.get_running_loop().time()

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        emitted, seconds = runner.run(scenario())
    assert emitted == ["fault", *("operator_prompted", "prompt_withdrawn") * 5, "fault"]
    assert 2 * 4500 < seconds < 2 * 4600


@pytest.mark.slow
def test_a_run_that_failed_before_any_step_homes_every_part_on_resume(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"

    async def scenario() -> list[str]:
        place = SurvivingTable("auto_deal", "wenzhou", 7)
        with Journal(path, "now", {}) as journal:
            place.host(journal).run_state.fault(
                TableFault(Fault.FLIPPER, "flipper", "it did not turn")
            )
        place.plant.output("flipper", 1000)
        await asyncio.sleep(5)
        place.plant.output("flipper", 0)
        assert await place.run_host(path, until_ready=True) is not None
        return [str(event["event"]) for event in place.events]

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        emitted = runner.run(scenario())
    assert emitted.count("ready") == 1
    assert emitted.count("fault") == 2, "the fault is reported when it occurs and after the resume"


@pytest.mark.slow
@pytest.mark.parametrize("when", [97.0, 112.0, 127.0, 142.0, 244.0])
def test_after_an_abandoned_round_the_tiles_are_put_away_and_a_new_round_is_played(
    tmp_path: Path, when: float
) -> None:
    path = tmp_path / "table.journal"

    async def scenario() -> tuple[list[Event], dict[str, int]]:
        place = SurvivingTable("robotic", "wenzhou", 7)
        loop = asyncio.get_running_loop()
        killed = await place.run_host(path, should_kill=lambda number, written: loop.time() > when)
        assert killed is None
        await asyncio.sleep(DARK)
        with Journal(path, "later", {}) as journal:
            daemon = place.host(journal)
            await daemon.run(1, put_away_reason="the round was given up")
            journal.end()
        return place.events, place.plant.census()

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        emitted, census = runner.run(scenario())
    names = [event["event"] for event in emitted]
    request = names.index("put_away_requested")
    assert emitted[request]["why"] == "the round was given up"
    assert names.count("ready") - names[:request].count("ready") == 1
    assert "fault" not in names
    assert sum(census.values()) == 272


def test_a_stuck_tile_of_a_stack_of_one_that_is_put_back_while_no_host_runs_is_noticed(
    tmp_path: Path,
) -> None:
    # The resumed run pushes the empty stack: no sensor shows that the counted tile is gone.
    path = tmp_path / "table.journal"
    jam = parse("jam:head2#2~99")

    async def scenario() -> str:
        loop = asyncio.get_running_loop()

        def on_event(daemon: Daemon, event: Event) -> None:
            if event.get("under") == "building" and daemon is place.daemon and not kill:
                kill.append(loop.call_later(0.8, place.kill))

        kill: list[asyncio.TimerHandle] = []
        place = SurvivingTable("robotic", "draw", 7, injected_faults=[jam], on_event=on_event)
        assert await place.run_host(path) is None
        await asyncio.sleep(DARK)
        assert place.plant.repair("JAM", "head 2")
        with pytest.raises(TableFault) as raised:
            await place.run_host(path, until_ready=True)
        assert "paused" not in [event["event"] for event in place.events]
        return f"{raised.value.fault.name}: {raised.value.evidence}"

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        fault = runner.run(scenario())
    assert fault == (
        "UNPROVEN: head2_counter counted a tile after all 28 were counted: a counted tile, or a"
        " tile of the other set, was put into the drum"
    )


@pytest.mark.parametrize("touched", [False, True], ids=["left_alone", "back_in_the_drum"])
def test_a_tile_that_stuck_when_the_host_stopped_is_in_its_lane_or_reported(
    tmp_path: Path, touched: bool
) -> None:
    path = tmp_path / "table.journal"
    jam = parse("jam:head2#5~1")

    async def scenario() -> tuple[dict[int, int], str]:
        loop = asyncio.get_running_loop()

        def on_event(daemon: Daemon, event: Event) -> None:
            if event.get("under") == "building" and daemon is place.daemon and not kill:
                kill.append(loop.call_later(3.0, place.kill))

        kill: list[asyncio.TimerHandle] = []
        place = SurvivingTable("auto_deal", "wenzhou", 7, injected_faults=[jam], on_event=on_event)
        assert await place.run_host(path) is None
        await asyncio.sleep(DARK)
        assert place.plant.injected_faults.active == (("jam", "head2"),)
        if touched:
            place.plant.repair("everything", "table")
        try:
            await place.run_host(path, until_ready=True)
        except TableFault as fault:
            return {}, f"{fault.fault.name}: {fault.evidence}"
        return {seat: len(hand) for seat, hand in place.plant.hands().items()}, ""

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        hands, fault = runner.run(scenario())
    if touched:
        assert fault.startswith("UNPROVEN: head")
        assert fault.endswith(
            "_counter counted a tile after all 136 were counted: a counted tile, or a tile of the"
            " other set, was put into the drum"
        )
    else:
        assert (fault, hands) == ("", {0: 17, 1: 16, 2: 16, 3: 16})
