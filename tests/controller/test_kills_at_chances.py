"""Kills hosts at throws, draws and choices, and again within a second of each resume.

Two tests play one hand of a game to its end. One kills hosts again and again on one table, at
random steps whose outcome the table cannot repeat: a throw, a choice, a lot, a tile that is
brought, an action of a player, a committed share. The other kills a host at each moment of the
hand, and the next host at each moment of its resume, each time on a table of its own. At the end
the dice that the hand used are compared with those that the dome has shown, the hands with the
tiles in the plant, and the settlement with the record.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from controller.events import Event
from controller.proof.chaos.host_restarts import SurvivingTable
from controller.proof.chaos.witness import (
    Witness,
    faces_thrown,
    one_outcome_each,
    throws_as_recorded,
)
from controller.run.daemon import Daemon
from controller.run.journal import read_entries
from firmware_bridge.sim.clock import VirtualLoop
from rules.games import GAMES
from tests.controller.every_kill import (
    EveryKill,
    every_face_is_recorded,
    settled_as_recorded,
)
from tests.quick import sampled, tries

MOMENTS = ("step", "delivered", "action_taken", "chance_committed", "settled")
"""Events of steps whose outcome must not change: a host is killed at or soon after each."""
SOON = 2.5
"""Longest time from such an event to the kill, seconds: longer than a throw of two shakes."""
AGAIN = 1.0
"""Longest time from the start, or from the end of the replay, of a resumed host to its kill."""
LOOK = 0.02
"""Interval at which it is checked whether the replay is over, seconds."""
MOST_HOSTS = 3000


@dataclass
class KilledTable:
    """One table whose hosts are killed: counts of the kills by reason, and findings.

    `share` is the share of the moments at which a host is killed.
    """

    game: str
    table: str
    seed: int
    share: float
    kills: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    hosts: int = 0
    faces: int = 0
    """Faces that the dome has shown."""

    def play(self, path: Path, *, until_ready: bool = False) -> None:
        """Play one hand to its end, or until it is ready; compare dice, hands and record."""
        with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
            runner.run(self._play(path, until_ready=until_ready))

    async def _play(self, path: Path, *, until_ready: bool) -> None:
        self._chance = Random(f"{self.seed}:{self.game}:{self.table}")
        table = self._table = SurvivingTable(
            self.table, self.game, self.seed, play=not until_ready, on_event=self._hear
        )
        self._committed: set[object] = set()
        self._witness = Witness(table.plant)
        ended = None
        while ended is None and self.hosts < MOST_HOSTS and not self.wrong:
            self.hosts += 1
            again = asyncio.ensure_future(self._kill_again())
            ended = await table.run_host(path, until_ready=until_ready)
            again.cancel()
            self.wrong += self._witness.wrong
            await asyncio.sleep(self._chance.uniform(0.0, 3.0))
        entries, faces = read_entries(path), faces_thrown(table.plant)
        self.faces = len(faces)
        self.wrong += throws_as_recorded(faces, entries)
        self.wrong += one_outcome_each(entries)
        self.wrong += every_face_is_recorded(faces, entries)
        if ended is None:
            self.wrong.append(f"The round is not over after {self.hosts} hosts.")
        elif table.record and not self.wrong:
            self.wrong += settled_as_recorded(self.game, table)

    def _hear(self, daemon: Daemon, event: Event) -> None:
        self._witness.hear(daemon, event)
        if event["event"] in ("fault", "operator_prompted"):
            self.wrong.append(f"A person was needed: {event}")
        if event["event"] not in MOMENTS:
            return
        if event["event"] == "chance_committed":
            if event["cycle"] in self._committed:
                return  # each host that opens this share emits it again
            self._committed.add(event["cycle"])
        if self._chance.random() < self.share:
            self._kill_after(str(event["event"]), self._chance.choice((0.0, SOON)))

    async def _kill_again(self) -> None:
        """Kill a resumed host within a second of its start, or of the end of its replay."""
        why = self._chance.choice(("started", *("replayed",) * 4, "")) if self.hosts > 1 else ""
        if why == "replayed":
            await asyncio.sleep(LOOK)
            # The end of a replay emits no event.
            while not (self._table.daemon and self._table.daemon.run_state.replay.over):  # noqa: ASYNC110
                await asyncio.sleep(LOOK)
        if why:
            self._kill_after(why, AGAIN)

    def _kill_after(self, why: str, longest: float) -> None:
        host = self.hosts

        def kill() -> None:
            if host == self.hosts and not self._table.host_was_killed:
                self.kills[why] += 1
                self._table.kill()

        asyncio.get_running_loop().call_later(self._chance.uniform(0.0, longest), kill)


PAIRS = [
    ("backgammon", "robotic"),
    *((game, "robotic") for game in GAMES if game != "backgammon"),
    ("pai_gow", "pai_gow"),
    ("filipino", "classic"),
    ("wenzhou", "auto_deal"),
    ("block", "single_port"),
]
"""Every game, and tables whose people, lanes or chain do what the arm of `robotic` does."""


@pytest.mark.evidence
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("game", "table"), sampled(8, PAIRS))
def test_hosts_killed_again_and_again_at_throws_draws_and_choices_change_no_outcome(
    game: str, table: str, tmp_path: Path
) -> None:
    for seed in range(tries(1, quick=1, evidence=3)):
        share = tries(100, quick=100, evidence=150 + 250 * seed) / 1000
        killed = KilledTable(game, table, seed, share)
        killed.play(tmp_path / f"{seed}.journal")
        assert killed.wrong == [], f"seed {seed}, share {share}, {killed.hosts} hosts"
        assert killed.kills["replayed"]
        print(f"{game} at {table}, seed {seed}: {dict(killed.kills)}, {killed.faces} faces")  # noqa: T201 a measurement


@pytest.mark.evidence
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("game", "table"), sampled(6, PAIRS))
def test_two_kills_within_a_second_at_every_throw_draw_and_choice_change_no_outcome(
    game: str, table: str, tmp_path: Path
) -> None:
    """`make evidence` tries every moment; otherwise a few moments are spread over the hand."""
    every = tries(240, quick=240, evidence=1)
    killed = EveryKill(game, table, every=every, first=every // 2, whole=40)
    killed.play(tmp_path / "table.journal")
    assert killed.wrong == []
    assert killed.counts["second kills"] > killed.counts["first kills"] > 0
    print(killed.coverage)  # noqa: T201 a measurement


@pytest.mark.parametrize("cuts", [(2, 3), (1, 2), (2, 3, 4, 5)])
def test_power_cuts_in_two_shakes_of_one_throw_do_not_count_a_face_twice(
    cuts: tuple[int, ...], tmp_path: Path
) -> None:
    """The hosts are killed while the dome shakes, at the starts of the shaker in `cuts`."""

    async def scenario() -> tuple[list[int], list[str]]:
        table = SurvivingTable("robotic", "filipino", 7)
        witness = Witness(table.plant)
        table.on_event = witness.hear
        unit, starts = table.machine.modules.dice, list[int]()
        assert unit is not None

        def cut_in_shake(channel: str, value: int) -> None:
            if channel == unit.unit and value:
                starts.append(value)
                if len(starts) in cuts:
                    asyncio.get_running_loop().call_later(0.05, table.kill)

        table.plant.output_observers.append(cut_in_shake)
        path = tmp_path / "table.journal"
        for _ in cuts:
            assert await table.run_host(path, until_ready=True) is None
            await asyncio.sleep(3.0)
        assert await table.run_host(path, until_ready=True) is not None
        faces = faces_thrown(table.plant)
        return faces, [*witness.wrong, *every_face_is_recorded(faces, list(read_entries(path)))]

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        faces, wrong = runner.run(scenario())
    assert wrong == []
    assert len(faces) == 4, "two shakes for mano and two for the joker"


@pytest.mark.parametrize("kills", [(1,), (2,), (3, 3), (1, 2, 4, 5)])
def test_a_resumed_hand_of_backgammon_uses_each_throw_of_the_dome_once(
    kills: tuple[int, ...], tmp_path: Path
) -> None:
    """Hosts are killed at the throws of the play with these numbers, counted over all hosts."""

    async def scenario() -> tuple[list[str], list[str], int]:
        table = SurvivingTable("robotic", "backgammon", 3, play=True)
        witness, due, rolls = Witness(table.plant), [*kills], list[str]()

        def hear(daemon: Daemon, event: Event) -> None:
            witness.hear(daemon, event)
            if event["event"] == "action_taken" and str(event["do"]).startswith("roll"):
                assert daemon.hand is not None
                rolls[:] = map(str, daemon.hand.throws)
                if len(rolls) == 7 or len(rolls) in due[:1]:
                    del due[:1]
                    table.kill()

        table.on_event = hear
        hosts = 0
        while len(rolls) < 7 and not witness.wrong:
            hosts += 1
            assert await table.run_host(tmp_path / "table.journal") is None
            await asyncio.sleep(3.0)
        faces = map(str, faces_thrown(table.plant))
        pairs = zip(faces, faces, strict=True)
        return rolls, witness.wrong or [f"roll {one} {two}" for one, two in pairs], hosts

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
        rolls, thrown, hosts = runner.run(scenario())
    assert rolls == thrown[-7:]
    assert len(set(rolls)) > 4
    assert hosts == len(kills) + 1
