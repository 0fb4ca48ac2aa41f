"""Kills hosts at every moment of one hand, and again at every moment within a second of the resume.

One host plays a hand to its end. At each of its moments a copy of the process (fork) is made, in
which the host is killed: so what came before is not simulated again. In the copy another host
resumes the hand; at each moment of its first second, and of the first second after its replay,
a copy of the copy kills that one too. A third host then goes on: for `AFTER` more journal writes,
or in each `whole`-th copy to the end of the hand. Then the dice of the journal are compared with
those that the dome has shown, and the hands and the settlement with the record.

Moments are: a journal write before it begins, in the middle of its sync and after it; each event
in `MOMENTS`, and the time shortly after it, while a person is asked or a part moves; each shake at
its beginning, in its middle and when the faces lie.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import traceback
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from config.loader import game_parameters, load_game
from controller.events import Event
from controller.proof.chaos.host_restarts import SurvivingTable
from controller.proof.chaos.witness import (
    Witness,
    faces_thrown,
    one_outcome_each,
    throws_as_recorded,
)
from controller.run.daemon import Daemon
from controller.run.journal import Entry, read_entries
from controller.run.journal.copies import paths_of
from controller.run.journal.lines import JournalRecord, record_of
from firmware_bridge.sim.clock import VirtualLoop
from rules.records.record import evening as replayed_evening

PHASES = ("before", "during", "after")
"""Moments of a journal write."""
MOMENTS = ("step", "delivered", "action_taken", "chance_committed", "choice_made", "settled")
"""Events of steps whose outcome must not change."""
SYNC = 0.02
"""Duration of each sync of the journal, seconds."""
SOON = 0.7
"""Time after an event at which a person is being asked or a part is moving, seconds."""
SHAKING = 0.05
"""Time after the start of a shake at which the dice are still moving, seconds."""
WINDOW = 1.0
"""A second kill follows within this time of the start, or of the end of the replay, seconds."""
STARTING = (0.0, 0.3, 0.9)
"""Times of second kills after the start of the second host, seconds."""
LOOK = 0.02
"""Interval at which it is checked whether the replay is over, seconds."""
AFTER = 5
"""Journal writes of the last host after its replay, in copies that do not play to the end: more
than a throw of two shakes has."""
GAP = 1.5
"""Time without a host after each kill, seconds."""


@dataclass
class EveryKill:
    """One table whose hosts are killed at every `every`-th moment, counted from `first`."""

    game: str
    table: str
    seed: int = 0
    every: int = 1
    first: int = 0
    whole: int = 10
    """Each `whole`-th copy plays to the end of the hand."""
    counts: Counter[str] = field(default_factory=Counter)
    """Kills, copies and moments by kind."""
    wrong: list[str] = field(default_factory=list)

    def play(self, path: Path) -> None:
        """Play the hand, and all copies of it."""
        self._path, self._level, self._moments, self._trail = path, 0, 0, list[str]()
        self._steps: dict[int, str] = {}
        self._kinds: list[str] = []
        self._committed: set[object] = set()
        try:
            with asyncio.Runner(loop_factory=lambda: VirtualLoop(None)) as runner:
                runner.run(self._play())
        except BaseException as error:
            if not self._level:
                raise
            self.wrong.append(self._said(f"{type(error).__name__}: {error}"))
            traceback.print_exc()
        finally:
            if self._level:
                self._end_copy()

    async def _play(self) -> None:
        self._loop = asyncio.get_running_loop()
        table = self._table = SurvivingTable(
            self.table, self.game, self.seed, play=True, on_event=self._hear, sync_s=SYNC
        )
        self._witness = Witness(table.plant)
        unit = table.machine.modules.dice
        self._dome = None if unit is None else unit.unit
        table.plant.output_observers.append(self._see)
        ended = None
        while ended is None:
            self._last_record, self._written, self._window_ends = 0, 0, -1.0
            if self._level == 1:
                self._begin_window()
            ended = await table.run_host(self._path, should_kill=self._write)
            if ended is None:
                await asyncio.sleep(GAP)
                self._move_journal()
        self.counts["hands played to the end"] += 1
        self._check(whole=True)
        if not self._level:
            self.counts["moments"] = self._moments

    @property
    def coverage(self) -> str:
        """For each kind of step the records of its intents, notes and outcomes, and the kills.

        Kills are before, during and after the write of a record.
        """
        kinds = {name.split(": ", 1)[1] for name in self.counts if name.startswith("records")}
        lines = [
            f"  {self.counts[f'records: {kind}']} of the kind '{kind}': killed "
            + ", ".join(
                f"{self.counts[f'first kills: {kind}, {phase}']} {phase}" for phase in PHASES
            )
            for kind in sorted(kinds)
        ]
        title = (
            f"{self.game} at {self.table}: {self.counts['first kills']} of"
            f" {self.counts['moments']} moments, {self.counts['second kills']} second kills,"
            f" {self.counts['branches checked']} ends checked, of which"
            f" {self.counts['hands played to the end']} played to the end"
        )
        return "\n".join((title, *lines))

    # Moments

    def _write(self, number: int, written: bool) -> bool:
        """A write of the journal begins or has ended."""
        if not self._level:
            self._records(written)
        self._moment("after" if written else "before")
        if not written:
            self._later(SYNC / 2, "during")
        elif self._is_last and self._table.daemon and self._table.daemon.run_state.replay.over:
            self._written += 1
            if self._written > AFTER:
                self._check(whole=False)
                self._end_copy()
        return False

    def _records(self, written: bool) -> None:
        """Set the kinds of the records that are being written."""
        assert self._table.daemon is not None
        if written:
            return
        lines = self._table.daemon.run_state.journal.page(self._last_record, 100)()
        records = [record_of(line.encode()) for line in lines]
        batch = [each for each in records if each.batch == records[0].batch]
        self._last_record = batch[-1].number
        self._kinds = []
        for each in batch:
            if each.kind == "intent":
                self._steps[each.number] = _step_of(each)
            step = self._steps.get(each.of or each.number, each.activity)
            self._kinds.append(f"{each.kind} of {step}".strip())
            self.counts[f"records: {self._kinds[-1]}"] += 1

    def _hear(self, daemon: Daemon, event: Event) -> None:
        self._witness.hear(daemon, event)
        if event["event"] in ("fault", "operator_prompted"):
            self.wrong.append(self._said(f"A person was needed: {event}"))
        if event["event"] == "chance_committed":
            if event["cycle"] in self._committed:
                return  # each host that opens this share emits it again
            self._committed.add(event["cycle"])
        if event["event"] in MOMENTS:
            name = " ".join(str(event[key]) for key in ("event", "step") if key in event)
            self._later(SOON, f"soon after {name}")

    def _see(self, channel: str, value: int) -> None:
        if channel == self._dome:
            self._later(0.0, "shake begins" if value else "faces lie")
            if value:
                self._later(SHAKING, "in a shake")

    def _later(self, seconds: float, kind: str) -> None:
        host = self._table.daemon

        def now() -> None:
            if self._table.daemon is host:
                self._moment(kind)

        self._loop.call_later(seconds, now)

    def _begin_window(self) -> None:
        """Let moments count while the second host starts, and after its replay."""
        self._table.daemon = None
        # The host only connects; one of these times for each first kill.
        self._loop.call_later(STARTING[self._number % len(STARTING)], self._starting)
        self._loop.call_later(LOOK, self._look)

    def _starting(self) -> None:
        if self._level == 1 and self._window_ends < 0:
            self._branch("while it starts")

    def _look(self) -> None:
        if self._level != 1:
            return
        daemon = self._table.daemon
        if daemon is not None and daemon.run_state.replay.over:
            self._window_ends = self._loop.time() + WINDOW
            self._branch("replayed")
        else:
            self._loop.call_later(LOOK, self._look)

    def _moment(self, kind: str) -> None:
        if self._table.host_was_killed:
            return
        if self._level == 0:
            self._moments += 1
            kinds = [f"{each}, {kind}" for each in self._kinds] if kind in PHASES else [kind]
            self.counts.update(f"moments: {each}" for each in kinds)
            if self._moments % self.every == self.first % self.every:
                self.counts.update(f"first kills: {each}" for each in kinds)
                self.counts["first kills"] += 1
                self._branch(" and ".join(kinds))
        elif self._level == 1 and self._loop.time() <= self._window_ends:
            self._branch(kind)

    @property
    def _is_last(self) -> bool:
        """Whether this copy ends soon after the replay of its last host."""
        ends = self._level == 2 or (self._level == 1 and self._loop.time() > self._window_ends > 0)
        return ends and not self._is_whole

    # Copies

    def _branch(self, kind: str) -> None:
        """Make a copy of this process in which the host is killed now; wait for its results."""
        self.counts["kills"] += 1
        if self._level:
            self.counts["second kills"] += 1
            self.counts[
                f"second kills: {kind} a write" if kind in PHASES else f"second kills: {kind}"
            ] += 1
        number = self.counts["kills"]
        paths = [path for path in paths_of(self._path) if path.exists()]
        sizes = [path.stat().st_size for path in paths]
        ours, theirs = os.pipe()
        sys.stderr.flush()
        copy = os.fork()
        if copy == 0:
            os.close(ours)
            asyncio._set_running_loop(self._loop)
            self._pipe = theirs
            self._level += 1
            self._is_whole = number % self.whole == 0
            self._number = number
            self._trail.append(f"{kind} at {self._loop.time():.3f}")
            self._found, self.wrong, self.counts = len(self.wrong), [], Counter()
            self._table.kill()
            return
        os.close(theirs)
        with os.fdopen(ours, "rb") as pipe:
            answer = pipe.read()
        os.waitpid(copy, 0)
        for path, size in zip(paths, sizes, strict=True):
            os.truncate(path, size)
        found = json.loads(answer) if answer else {"wrong": [self._said(f"died: {kind}")]}
        self.counts += Counter(found.get("counts", {}))
        self.wrong += found["wrong"]

    def _move_journal(self) -> None:
        """Continue with a copy of the journal, so that the other process's remains as it is."""
        folder = self._path.parent / f"{self._level}"
        folder.mkdir()
        for path in self._path.parent.glob(f"{self._path.name}*"):
            shutil.copy(path, folder / path.name)
        self._path = folder / self._path.name

    def _end_copy(self) -> None:
        """Send the results to the process that this one is a copy of, and end."""
        answer = json.dumps({"counts": self.counts, "wrong": self.wrong}).encode()
        with os.fdopen(self._pipe, "wb") as pipe:
            pipe.write(answer)
        if self._path.parent.name == str(self._level):
            shutil.rmtree(self._path.parent)
        os._exit(0)

    # Checks

    def _check(self, *, whole: bool) -> None:
        """Compare dice, hands and record at the end of a copy."""
        faces = faces_thrown(self._table.plant)
        assert self._table.daemon is not None
        entries: Iterable[Entry]
        entries = (
            read_entries(self._path) if whole else self._table.daemon.run_state.journal.history()
        )
        entries = list(entries)
        found = [*self._witness.wrong, *throws_as_recorded(faces, entries)]
        found += one_outcome_each(entries)
        found += (every_face_is_recorded if whole else faces_as_noted)(faces, entries)
        if whole and self._table.record and not found:
            found += settled_as_recorded(self.game, self._table)
        self.counts["branches checked"] += 1
        self.wrong += map(self._said, found)

    def _said(self, sentence: str) -> str:
        return f"{self.game} at {self.table}, killed {' and '.join(self._trail)}: {sentence}"


def faces_as_noted(faces: list[int], entries: Iterable[Entry]) -> list[str]:
    """Check that the dome has shown the faces in the journal, and at most those of one more throw.

    The last throw can be in progress.
    """
    throws = [entry for entry in entries if entry.intent.get("step") == "throw"]
    written: list[int] = []
    open_faces = 0
    for entry in throws:
        outcome = entry.outcome
        if isinstance(outcome, list):
            written += outcome
        else:
            open_faces += int(str(entry.intent.get("dice", 2))) * int(
                str(entry.intent.get("times", 1))
            )
    late = len(faces) - len(written)
    if faces and (faces[: len(written)] != written or not 0 <= late <= open_faces):
        return [f"The journal has the faces {written}; the dome has shown {faces}."]
    return []


def every_face_is_recorded(faces: list[int], entries: list[Entry]) -> list[str]:
    """Check that the dome has shown no face that the journal lacks, and the journal no other."""
    outcomes = [entry.outcome for entry in entries if entry.intent.get("step") == "throw"]
    written = [face for outcome in outcomes if isinstance(outcome, list) for face in outcome]
    if faces and written != faces:
        return [f"The journal has the faces {written}; the dome has shown {faces}."]
    return []


def settled_as_recorded(game: str, table: SurvivingTable) -> list[str]:
    """Check that the record of the last host, replayed, gives each settlement."""
    house = game_parameters(load_game(game))
    settled: list[object] = []
    for event in table.events:
        # A host that was killed before the settlement was on disk has emitted it as well.
        if event["event"] == "settled" and event["payments"] not in settled[-1:]:
            settled.append(event["payments"])
    hands: list[object] = [
        [payment.facts() for payment in hand.play.settlement.payments]
        for hand in replayed_evening(table.record, lambda name, _: house)
    ]
    return [] if hands == settled else [f"The record gives {hands}; settled were {settled}."]


def _step_of(intent: JournalRecord) -> str:
    """The kind of step that an intent begins."""
    content = intent.content if isinstance(intent.content, dict) else {}
    if intent.activity == "play" and "seat" in content:
        return "an action"
    return str(content.get("step") or content.get("do") or intent.activity)
