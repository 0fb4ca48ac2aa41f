"""Kills services at every moment beside a person's act, and again within a second of the resume.

People give a service one act after another: answers, corrections, pauses, presses of keys. From
an act until a second after its reply, at each moment a copy of the process (fork) is made, in
which the service is killed. In the copy another service resumes on a copy of the files; at each
moment of its first second, and of the first second after its replay, a copy of the copy kills
that one too. Each time the client that has no reply sends its command again with the same id, as
a client does when its connection returns.

At the end of a copy the facts of the act are compared: an act whose reply was `done` has its
effect exactly once, any other at most once. The dice are compared with the dome, and in each
`whole`-th copy simulated people play to the end of the hand, whose record is compared.

Moments are: a write of the journal and of the store before it begins, in the middle of its sync
and after it; and the reply.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from controller.events import Event
from controller.proof.chaos.host_restarts import KillableStorage
from controller.proof.chaos.witness import (
    Witness,
    faces_thrown,
    one_outcome_each,
    throws_as_recorded,
)
from controller.run.journal import Entry, read_entries
from controller.run.journal.copies import paths_of
from controller.run.rounds.put_away import ACTIVITY as PUT_AWAY
from controller.service.evening.evening_store import EveningStore, StoreError
from controller.service.evening.store_thread import Done, ImmediateStore
from controller.service.port import Actor, CommandReply, CommandRequest
from controller.service.prompts.service_guide import SIMULATED, THROW
from controller.service.settings import ServiceSettings
from controller.service.status import OpenPrompt, Status, TableFacts
from controller.service.table_service import ClientPort, TableService
from controller.service.user_roles import UserRole
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injected_fault import InjectedFault
from firmware_bridge.sim.host_computer import SlowDisk
from firmware_bridge.sim.plant.machine import Plant
from rules.playing.hidden_play import next_act
from tests.controller.every_kill import faces_as_noted
from tests.controller.service.surviving_service import PORTS, SurvivingTable

Facts = Mapping[str, object]
SYNC = 0.02
"""Duration of each sync of the journal and of the store, seconds."""
WINDOW = 1.0
"""Time after a reply, a start or a replay in which moments count, seconds."""
STARTING = (0.0, 0.05, 0.3, 0.9)
"""Times of second kills after the start of the second service, seconds."""
LOOK = 0.02
"""Interval at which it is checked whether a replay is over, seconds."""
IDLE = 3.0
"""Time after which a service without a run will not begin one by itself, seconds."""
GAP = 1.5
"""Time without a service after each kill, seconds."""
LATER = 30.0
"""Time after which every second client without a reply sends its command again, seconds."""
RESUMING = 300.0
"""Longest time until a service has resumed the hand, seconds."""
LONG = 7200.0
"""Longest time until people can act, or until a hand is played, seconds."""
ANN = Actor("Ann", UserRole.TECHNICIAN, "phone", "192.168.1.20")


@dataclass(frozen=True)
class Act:
    """One act of people: when they act, their command, and its effect.

    `expected` gives the facts after the act from those before; facts that it does not name are not
    compared.
    """

    name: str
    can_act: Callable[[Status], bool]
    command: Callable[[KillsAtActs], tuple[str, dict[str, object]]]
    expected: Callable[[Facts, dict[str, object]], Facts] = lambda before, arguments: {}
    takes: float = 5.0
    """Time from the last reply to the comparison of the facts, seconds."""


@dataclass
class Given:
    """An act that was given: its command, the facts before it, and its reply."""

    act: Act
    request: CommandRequest
    before: Facts
    expected: Facts
    reply: CommandReply | None = None

    @property
    def is_done(self) -> bool:
        """Whether the client has a reply that the command is executed and stored."""
        done = self.reply is not None and self.reply.state == "done"
        return done and "not stored yet" not in str(self.reply)


class DelayedStore(ImmediateStore):
    """A store whose transactions take `SYNC` seconds, until its service is killed."""

    def __init__(self, store: EveningStore, moment: Callable[[str], None]) -> None:
        super().__init__(store)
        self._moment = moment
        self.is_dead = False

    def _execute(self, job: Callable[[], None], done: Done) -> None:
        def ended() -> None:
            if self.is_dead:
                return
            try:
                job()
            except StoreError as error:
                done(error)
                return
            self._moment("after a write of the store")
            if not self.is_dead:
                done(None)

        loop = asyncio.get_running_loop()
        self._moment("before a write of the store")
        loop.call_later(SYNC / 2, lambda: self.is_dead or self._moment("in a write of the store"))
        loop.call_later(SYNC, ended)

    def close(self) -> None:
        """Leave the file open: in a copy of the process it is the other process's file."""


@dataclass
class KillsAtActs:
    """One table whose services are killed at every `every`-th moment, counted from `first`.

    A second service is killed at every `second_every`-th moment of its resume.
    """

    table: str
    acts: Sequence[Act]
    every: int = 1
    first: int = 0
    second_every: int = 1
    seed: int = 3
    whole: int = 20
    """Each `whole`-th copy plays to the end of the hand."""
    injected_faults: tuple[InjectedFault, ...] = ()
    counts: Counter[str] = field(default_factory=Counter)
    """Kills, copies and moments by kind."""
    wrong: list[str] = field(default_factory=list)

    def play(self, folder: Path) -> None:
        """Give all acts, and kill services beside them."""
        self._folder, self._level, self._moments, self._kills = folder, 0, 0, 0
        self._trail: list[str] = []
        self._stores: list[EveningStore] = []
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

    @property
    def coverage(self) -> str:
        """Numbers of kills by act, and of copies."""
        acts = [
            f"  {name}: {count}" for name, count in sorted(self.counts.items()) if " | " in name
        ]
        title = (
            f"{self.table}: {self.counts['first kills']} of {self.counts['moments']} moments,"
            f" {self.counts['second kills']} second kills, {self.counts['ends']} ends checked, of"
            f" which {self.counts['hands']} with the whole hand"
        )
        return "\n".join((title, *acts))

    # Services

    async def _play(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._surviving = SurvivingTable(
            self.table,
            self._folder,
            self.seed,
            automatic=False,
            injected_faults=self.injected_faults,
        )
        self._witness: Witness | None = None
        self._seen_plant: Plant | None = None
        self._given: Given | None = None
        await self._serve(self._people)
        while self._level:
            await asyncio.sleep(GAP)
            self._copy_files()
            await self._serve(self._people_after_a_kill)

    async def _serve(self, people: Callable[[], object]) -> None:
        """Run one service until it is killed, or until its people have done their acts."""
        self._is_killed, self._window_ends = False, -1.0
        store = EveningStore(self._folder / "evening.db")
        self._stores.append(store)
        self._store = DelayedStore(store, self._moment)
        surviving = self._surviving
        self._service = service = TableService(
            surviving.machine,
            TableFacts(name=surviving.machine.name, seats=4, simulated=False, software="test"),
            surviving,
            store,
            self._store,
            ServiceSettings(
                storage=self._storage,
                journal=self._folder / "table.journal",
                ports=PORTS,
                automatic=False,
            ),
        )
        self._port = ClientPort(service)
        service.listen(self._hear)
        self._serving = asyncio.ensure_future(service.serve())
        self._telling = asyncio.ensure_future(people())  # type: ignore[arg-type]
        await asyncio.wait((self._serving, self._telling), return_when=asyncio.FIRST_COMPLETED)
        if not self._is_killed:
            if not self._telling.done():
                self._serving.result()
                raise AssertionError("The service has ended by itself.")
            self._serving.cancel()
            self._telling.result()
        for each in (self._telling, self._serving):
            with suppress(BaseException):
                await each

    def _storage(self) -> KillableStorage:
        storage = KillableStorage(SlowDisk(SYNC, durable=False), Random(self.seed))
        storage.on_write = self._write
        self._journal_storage = storage
        return storage

    def _kill(self) -> None:
        self._is_killed = True
        self._store.is_dead = True
        self._journal_storage_dies()
        self._surviving.cut_line()
        self._telling.cancel()
        self._serving.cancel()

    def _journal_storage_dies(self) -> None:
        storage = getattr(self, "_journal_storage", None)
        if storage is not None:
            storage.die()

    def _hear(self, event: Event) -> None:
        daemon, plant = self._service.daemon, self._surviving.plant
        if self._is_killed or daemon is None or plant is None:
            return
        if self._witness is None or self._seen_plant is not plant:
            self._witness, self._seen_plant = Witness(plant), plant
        self._witness.hear(daemon, event)

    # People

    async def _people(self) -> None:
        """Give every act; after each one moments count until a second after its reply."""
        for number, act in enumerate(self.acts, 1):
            await self._until(act)
            before = self._facts()
            name, arguments = act.command(self)
            request = CommandRequest(
                id=f"act-{len(self._stores)}-{number}", name=name, arguments=arguments
            )
            self._given = Given(act, request, before, act.expected(before, arguments))
            self._window_ends = self._loop.time() + LONG
            self._moment("before the command")
            await self._send()
            self._moment("after the reply")
            self._window_ends = self._loop.time() + WINDOW
            await asyncio.sleep(act.takes)
            self._window_ends = -1.0
            self._check(self._given)
        self._compare()
        self.counts["moments"] = self._moments

    async def _people_after_a_kill(self) -> None:
        """Send the command again without a reply; compare the facts, and perhaps play on."""
        given = self._given
        assert given is not None
        if self._level == 1:
            self._window_ends = self._loop.time() + LONG
            self._loop.call_later(STARTING[self._number % len(STARTING)], self._moment, "starting")
        await self._started()
        if self._level == 1:
            self._window_ends = self._loop.time() + WINDOW
            self._moment("replayed")
        if not given.is_done:
            # A correction has an effect until the players have put the table back.
            await asyncio.sleep(LATER if self._number % 2 else 0.0)
            await self._send()
            self._window_ends = self._loop.time() + WINDOW
            self._moment("after the second reply")
        await self._started()
        await asyncio.sleep(given.act.takes)
        self._check(given)
        if self._is_whole:
            await self._to_the_end_of_the_hand()
        self._compare()
        self.counts["ends"] += 1
        self._end_copy()

    async def _send(self) -> None:
        given = self._given
        assert given is not None
        given.reply = None
        reply = await self._port.submit(given.request, ANN)
        if self._is_killed:
            raise asyncio.CancelledError
        given.reply = reply

    async def _started(self) -> None:
        """Wait until the run is replayed or waits, or until it is certain that there is none."""
        idle_ends = self._loop.time() + IDLE
        async with asyncio.timeout(RESUMING):
            while self._service.daemon is not None or self._loop.time() < idle_ends:
                daemon = self._service.daemon
                if daemon is not None:
                    state = daemon.run_state
                    is_over = state.replay.over and state.machine.above == "running"
                    if is_over or self.is_waiting:
                        return
                await asyncio.sleep(LOOK)

    async def _until(self, act: Act) -> None:
        try:
            async with asyncio.timeout(LONG):
                # The clock is virtual: no time is lost.
                while not act.can_act(self.status):  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
        except TimeoutError as error:
            raise AssertionError(f"People cannot {act.name}: {self.status}") from error

    async def _to_the_end_of_the_hand(self) -> None:
        """Let simulated people act until the round is taken in."""
        if self._service.book is None or self.status.fault is not None:
            return
        if self.is_paused:
            self._service.runs.resume()
        self._service.guide.set_automatic(on=True)
        for prompt in self.status.prompts:
            value = SIMULATED if prompt.kind == "act" else prompt.default or prompt.choices[0].value
            self._service.prompts.answer(prompt.id, value)
        await self._until(Act("play to the end", lambda s: s.machine.top == "collecting", _no_act))
        self.counts["hands"] += 1

    # What people see

    @property
    def status(self) -> Status:
        """The status of the present service."""
        return self._service.feed.status

    @property
    def is_paused(self) -> bool:
        """Whether a person has paused the table."""
        return any(cause.why == "COMMAND" for cause in self.status.pause)

    @property
    def is_waiting(self) -> bool:
        """Whether the table waits for a person to resume it or to remove a fault."""
        return self.is_paused or any(prompt.kind == "fault" for prompt in self.status.prompts)

    def prompt(self, kind: str) -> OpenPrompt:
        """The first open prompt of this kind."""
        return next(prompt for prompt in self.status.prompts if prompt.kind == kind)

    def confirmation(self) -> dict[str, object]:
        """The arguments of an answer to the first prompt: what it proposes, or its first answer."""
        prompt = self.status.prompts[0]
        return {"prompt": prompt.id, "value": prompt.default or prompt.choices[0].value}

    def action(self) -> str:
        """The action of the player who acts next, as a person enters it."""
        hands, daemon = self._surviving.hands, self._service.daemon
        assert hands is not None and daemon is not None and daemon.hand is not None
        hand, players = daemon.hand, hands.hand_players
        play = hand._taken[-1].after if hand._taken else hand._begun
        truth = play if daemon.deal is not None and not players._tile_at else players.truth
        action, _ = next_act(hand._rules, truth, play)
        return THROW if action is None else f"{action.seat} {action}"

    # Facts

    def _facts(self) -> Facts:
        """What the acts of people have changed, in the status and in the journal."""
        status, service = self.status, self._service
        journal = self._folder / "table.journal"
        entries = read_entries(journal) if journal.exists() else ()
        played = [each for each in entries if each.activity == "play"]
        round_ = status.round
        return {
            "sessions": len(self._stores[-1].sessions(None, 10)),
            "ending": status.session is not None and status.session.ending,
            "names": {} if service.book is None else dict(service.book.names),
            "next": service.run.chosen and service.run.chosen.orders.house_rules.get("reserve"),
            "out of play": status.service.out_of_play,
            "paused": self.is_paused,
            "acts": 0 if round_ is None else round_.acts,
            "corrections": sum("acts" in each.intent for each in played),
            "actions": tuple(str(each.intent["do"]) for each in played if "seat" in each.intent),
            "shares": _shares(service),
            "answers": tuple(
                str(each.outcome) for each in entries if each.confirmed and _is_answered(each)
            ),
            "repairs": sum(each.activity == "asked" and each.confirmed for each in entries),
            "put away": any(each.activity == PUT_AWAY for each in entries),
        }

    def _entries(self) -> list[Entry]:
        daemon = self._service.daemon
        return [] if daemon is None else list(daemon.run_state.journal.history())

    def _check(self, given: Given) -> None:
        """Compare the facts with those that the act's reply permits."""
        now, expected = self._facts(), given.expected
        has_effect = all(_is_as(now[key], value) for key, value in expected.items())
        has_none = all(_is_as(now[key], given.before[key]) for key in expected)
        found = {key: now[key] for key in expected}
        if given.is_done and not has_effect:
            self.wrong.append(self._said(f"done, but {found}; expected {dict(expected)}"))
        elif not has_effect and not has_none:
            before = {key: given.before[key] for key in expected}
            self.wrong.append(
                self._said(f"{given.reply}: {found}; before {before}, after {dict(expected)}")
            )

    def _compare(self) -> None:
        """Compare the dice with the dome, and the steps with the set-up."""
        found = [] if self._witness is None else list(self._witness.wrong)
        plant, entries = self._surviving.plant, self._entries()
        if plant is not None and entries:
            faces = faces_thrown(plant)
            found += throws_as_recorded(faces, entries)
            found += faces_as_noted(faces, entries)
            found += one_outcome_each(entries)
        self.wrong += map(self._said, found)

    # Moments and copies

    def _write(self, number: int, written: bool) -> None:
        host = self._service
        self._moment(f"{'after' if written else 'before'} a write of the journal")
        if not written:

            def during() -> None:
                if self._service is host:
                    self._moment("in a write of the journal")

            self._loop.call_later(SYNC / 2, during)

    def _moment(self, kind: str) -> None:
        if self._is_killed or self._loop.time() > self._window_ends or self._level > 1:
            return
        assert self._given is not None
        name = self._given.act.name
        if self._level == 0:
            self._moments += 1
            self.counts[f"{name} | moments"] += 1
            if self._moments % self.every != self.first % self.every:
                return
            self.counts["first kills"] += 1
            self.counts[f"{name} | first kills"] += 1
        else:
            self._moments += 1
            if (self._moments + self._number) % self.second_every:
                return
            self.counts["second kills"] += 1
            self.counts[f"{name} | second kills"] += 1
        self._branch(f"{name}: {kind}" if self._level == 0 else kind)

    def _branch(self, kind: str) -> None:
        """Make a copy of this process in which the service is killed; wait for its results."""
        self._kills += 1
        paths = [path for path in paths_of(self._folder / "table.journal") if path.exists()]
        sizes = [path.stat().st_size for path in paths]
        ours, theirs = os.pipe()
        sys.stderr.flush()
        copy = os.fork()
        if copy == 0:
            os.close(ours)
            asyncio._set_running_loop(self._loop)
            self._pipe, self._number = theirs, self._kills
            self._level, self._moments = self._level + 1, 0
            self._is_whole = self._kills % self.whole == 0
            self._trail.append(f"{kind} at {self._loop.time():.3f}")
            self.wrong, self.counts = [], Counter()
            self._kill()
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

    def _copy_files(self) -> None:
        """Continue on a copy of the files, so that the other process keeps its own."""
        folder = self._folder / f"{self._level}"
        folder.mkdir()
        for path in self._folder.iterdir():
            if path.is_file() and not path.name.endswith("-shm"):
                shutil.copy(path, folder / path.name)
        self._folder = folder

    def _end_copy(self) -> None:
        """Send the results to the process that this one is a copy of, and end."""
        answer = json.dumps({"counts": self.counts, "wrong": self.wrong}).encode()
        with os.fdopen(self._pipe, "wb") as pipe:
            pipe.write(answer)
        if self._folder.name == str(self._level):
            shutil.rmtree(self._folder)
        os._exit(0)

    def _said(self, sentence: str) -> str:
        return f"{self.table}, killed {' and '.join(self._trail) or 'never'}: {sentence}"


def _no_act(people: KillsAtActs) -> tuple[str, dict[str, object]]:
    raise AssertionError("This is not a command.")


def _is_answered(entry: Entry) -> bool:
    return entry.intent.get("step") == "choose"


def _is_as(value: object, other: object) -> bool:
    return bool(value == other)


def _shares(service: TableService) -> int:
    daemon = service.daemon
    cycle = None if daemon is None else daemon.chances.next
    return 0 if cycle is None else len(cycle.player_shares)
