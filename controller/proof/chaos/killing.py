"""Kills hosts with SIGKILL: simulated boards run in one process, `wallwright run` in another.

The process of the boards is not killed. After each killed host another host is started, which
resumes the journal. At the end the events of all hosts are checked: together they have to be the
events of one complete run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from config.loader import game_parameters, load_game
from controller.events import EventName
from controller.run.journal import read_entries
from controller.run.journal.notes import ShakesBefore, notes_of
from controller.run.planning.setup_forecast import foreseen
from rules.games import find_game

WALLWRIGHT = (sys.executable, "-m", "controller.cli")
WHILE_STARTING = 0.3
"""Share of hosts that are killed while they start, not after their first events."""
STARTING, WORKING = 0.8, 0.8
"""Longest delay of a kill after the start, or after the first events, seconds."""
PLAYING = 1
"""Duration of a hand of the simulated people, seconds."""
LAST_HOST = 900.0
"""Time limit for the host that is not killed, seconds. It may play a whole round, 150 s and more,
in real time; on a busy computer it takes longer."""

NOT_DONE = -1
"""Used as the exit code of a host that exceeded the time limit."""
SIGNS = ('"gathering"', '"run_resumed"')
"""Texts of events after which a kill interrupts work."""
LOOK = 0.02
"""Interval at which the events of a host are read, seconds."""
CHECK_STOP = 0.1
"""Interval at which a long wait checks whether to stop, seconds."""

Event = dict[str, Any]


@dataclass(frozen=True)
class Killing:
    """Parameters of a test: table and game, number of hosts to kill, and the seed."""

    table: str
    game: str
    seed: int
    kills: int
    rounds: int = 1


@dataclass
class Killed:
    """Results of the test; `wrong` are sentences about states that must not occur."""

    kills: int = 0
    resumes: int = 0
    regathered: int = 0
    tables: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)

    @property
    def figures(self) -> list[tuple[str, str]]:
        """The results as pairs of name and text."""
        return [
            ("hosts killed", f"{self.kills}"),
            ("of them in a round", f"{self.resumes}"),
            ("rounds re-gathered", f"{self.regathered}"),
            ("tables", f"{self.tables}"),
            ("time", f"{self.seconds:.0f} s"),
        ]


def kill_hosts(killing: Killing, folder: Path, stop: Callable[[], bool] = lambda: False) -> Killed:
    """Kill the given number of hosts. After a completed run a new one is started on another table.

    `stop` is called several times a second; if it returns True, the host and the boards are ended.
    """
    result, chance, began = Killed(), Random(f"{killing.seed}:killing"), time.perf_counter()
    with suppress(_StoppedError):
        while result.kills < killing.kills and not result.wrong:
            result.tables += 1
            at = folder / str(result.tables)
            at.mkdir()
            with _board(killing, result.tables) as port:
                _one_table(killing, at, port, chance, result, stop)
    result.seconds = time.perf_counter() - began
    return result


class _StoppedError(Exception):
    """The function `stop` has returned True: the hosts and the boards are ended."""


def _one_table(
    killing: Killing,
    at: Path,
    port: str,
    chance: Random,
    result: Killed,
    stop: Callable[[], bool],
) -> None:
    """Run and kill hosts on one table until its rounds are played; then check the events."""
    hosts = 0
    while True:
        events = at / f"{hosts:04}.jsonl"
        hosts += 1
        last = result.kills >= killing.kills
        code = _run_host(killing, at, port, events, None if last else chance, stop)
        if code is None:
            result.kills += 1
            continue
        if code:
            errors = (at / "errors").read_text(encoding="utf-8").strip()
            result.wrong.append(
                f"Host {hosts} on table {result.tables} ended with {code}: {errors}"
            )
        break
    seen = [_read(file) for file in sorted(at.glob("*.jsonl"))]
    result.resumes += sum(any(e["event"] == EventName.RUN_RESUMED for e in host) for host in seen)
    result.wrong += one_run(seen, killing)
    result.wrong += journal_defects(at / "journal")
    result.wrong += one_outcome_a_throw(at / "journal")


def _run_host(
    killing: Killing,
    at: Path,
    port: str,
    events: Path,
    chance: Random | None,
    stop: Callable[[], bool],
) -> int | None:
    """Run one host; returns its exit code, None if it was killed.

    Without `chance` the host is not killed. If `stop` returns True, the host is killed and
    _StoppedError is raised.
    """
    command = (
        *(*WALLWRIGHT, "run", "--table", killing.table, "--game", killing.game),
        *("--port", port, "--allow-simulated", "--rounds", str(killing.rounds)),
        *("--journal", str(at / "journal"), "--events", str(events)),
    )
    with (at / "errors").open("w") as errors:
        host = subprocess.Popen(  # noqa: S603 the command is Wallwright itself
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            # In a session of its own, so that Ctrl-C at a terminal does not reach the host.
            start_new_session=True,
        )
        try:
            seconds = LAST_HOST
            if chance is not None:
                starting = (at / "journal").exists() and chance.random() < WHILE_STARTING
                if not starting:
                    _wait_for_work(host, events, stop)
                seconds = chance.uniform(0.0, STARTING if starting else WORKING)
            code = _code(host, seconds, stop)
        finally:
            if host.poll() is None:
                host.kill()
                host.wait()
        if code is not None:
            return code
        if _is_over(events):
            return 0
        return NOT_DONE if chance is None else None


def _code(host: subprocess.Popen[bytes], seconds: float, stop: Callable[[], bool]) -> int | None:
    """Wait for a host; returns its exit code, None if it still runs. Raises _StoppedError."""
    until = time.perf_counter() + seconds
    while (left := until - time.perf_counter()) > 0:
        if stop():
            raise _StoppedError
        with suppress(subprocess.TimeoutExpired):
            return host.wait(min(left, CHECK_STOP))
    return host.poll()


def _is_over(events: Path) -> bool:
    """Whether a host has emitted its last event, `summary`."""
    emitted = _read(events) if events.exists() else []
    return bool(emitted) and emitted[-1]["event"] == EventName.SUMMARY


def _wait_for_work(host: subprocess.Popen[bytes], events: Path, stop: Callable[[], bool]) -> None:
    """Wait until a host has emitted one of the events in `SIGNS`. Raises _StoppedError."""
    until = time.perf_counter() + LAST_HOST
    while host.poll() is None and time.perf_counter() < until:
        if stop():
            raise _StoppedError
        if events.exists() and any(sign in events.read_text("utf-8") for sign in SIGNS):
            return
        with suppress(subprocess.TimeoutExpired):
            host.wait(LOOK)


@contextmanager
def _board(killing: Killing, number: int) -> Iterator[str]:
    """Run the simulated boards of one table in a process; yields their port."""
    command = (
        *(*WALLWRIGHT, "board", "--sim", killing.table, "--game", killing.game, "--pty"),
        *("--seed", str(killing.seed + number), "--playing", str(PLAYING)),
    )
    with subprocess.Popen(  # noqa: S603 the command is Wallwright itself
        command,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
    ) as board:
        assert board.stdout is not None
        try:
            yield board.stdout.readline().strip()
        finally:
            board.terminate()


# Checks at the end


def one_run(hosts: Sequence[Sequence[Event]], killing: Killing) -> list[str]:
    """Check that the events of all hosts are one run: each place dealt once, no tile lost."""
    wrong: list[str] = []
    summary = hosts[-1][-1] if hosts and hosts[-1] else {}
    if summary.get("event") != EventName.SUMMARY or summary["rounds"] != killing.rounds:
        return [f"The last host emitted no summary of {killing.rounds} rounds, but {summary}."]
    if summary["tiles"]["expected"] != summary["tiles"]["accounted"]:
        wrong.append(f"Not all tiles are accounted for: {summary['tiles']}.")
    game = find_game(killing.game)
    parameters = game_parameters(load_game(killing.game))
    due = sum(map(len, foreseen(game.setup(parameters=parameters)).hands.values()))
    rounds = _delivered(hosts)
    for number, places in enumerate(rounds, 1):
        twice = {place for place in places if places.count(place) > 1}
        if twice or (len(places) != due and not _varies(killing.game)):
            wrong.append(
                f"Round {number}: {len(places)} of {due} places were delivered,"
                f" twice {sorted(twice) or 'none'}."
            )
    if len(rounds) != killing.rounds and due:
        wrong.append(f"{len(rounds)} of {killing.rounds} rounds were delivered.")
    return wrong


def journal_defects(journal: Path) -> list[str]:
    """Check the journal with `wallwright doctor`; returns a sentence if it is not intact."""
    doctor = subprocess.run(  # noqa: S603 the command is Wallwright itself
        (*WALLWRIGHT, "doctor", "--journal", str(journal), "--json"),
        capture_output=True,
        text=True,
        check=False,
    )
    report = (
        json.loads(doctor.stdout)["journal"] if doctor.stdout else {"messages": [doctor.stderr]}
    )
    if report.get("state") != "intact" or report.get("unfinished"):
        return [f"The journal is {report.get('state')}: {report.get('messages')}."]
    return []


def one_outcome_a_throw(journal: Path) -> list[str]:
    """Check that each throw has one outcome, and that no shake of the dome was repeated.

    The number of each shake is noted before it. A host that resumes a throw shakes again only if
    the noted shake has not ended; the number is then the same. So a throw has as many different
    numbers as shakes.
    """
    entries = read_entries(journal)
    wrong: list[str] = []
    for entry in entries:
        if entry.intent.get("step") != "throw":
            continue
        shakes = {note.shakes for note in notes_of(entry.notes, ShakesBefore)}
        if not entry.confirmed:
            wrong.append(f"Throw {entry.number} has no outcome in the journal.")
        if len(shakes) > int(str(entry.intent["times"])):
            wrong.append(f"Throw {entry.number} was thrown again: shakes {sorted(shakes)}.")
    return wrong


def _delivered(hosts: Sequence[Sequence[Event]]) -> list[list[str]]:
    """The delivered places of each round; an event that a later host repeats counts once."""
    rounds: list[list[str]] = []
    before: list[str] | None = None
    for host in hosts:
        again = True
        for event in host:
            if event["event"] == EventName.WALLS_RAISED and (not rounds or rounds[-1]):
                rounds.append([])
            elif event["event"] == EventName.DELIVERED:
                places = list(event["from"])
                if not (again and places == before):
                    rounds[-1] += places
                before, again = places, False
    return rounds


def _varies(game: str) -> bool:
    """Whether the number of dealt tiles of a game depends on throws and draws."""
    return game == "filipino"


def _read(file: Path) -> list[Event]:
    """The events of a host; the kill can have cut off the last line."""
    lines = file.read_text(encoding="utf-8").split("\n")[:-1]
    return [json.loads(line) for line in lines]
