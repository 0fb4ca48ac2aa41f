"""Kills hosts with SIGKILL: a board in one process, `wallwright run` in another.

The board survives, as a real one does. Each killed host is followed by another, which resumes the
journal. At the end, the events of all hosts together have to make up one run.
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
from controller.journal import read_entries
from controller.journal.notes import ShakesBefore, notes_of
from controller.planning.setup_forecast import foreseen
from rules.games import find_game

WALLWRIGHT = (sys.executable, "-m", "controller.cli")
AT_BIRTH = 0.3
"""Share of hosts that die while they start; the others die after their first events."""
STARTING, WORKING = 0.8, 0.8
"""Longest delay of the kill after that, seconds."""
PLAYING = 1
"""Duration of a hand at the board, seconds."""
AT_LAST = 300.0
"""Time limit for the host that is not killed, seconds."""

NOT_DONE = -1
"""Stands for the exit code of a host that exceeded the time limit."""
SIGNS = ('"gathering"', '"run_resumed"')
"""Events after which a killed host has state to lose."""
LOOK = 0.02
ASK_AGAIN = 0.1
"""How often a long wait checks whether to stop, seconds."""

Event = dict[str, Any]


@dataclass(frozen=True)
class Killing:
    """Parameters: what is played, how many hosts are killed, and the seed."""

    table: str
    game: str
    seed: int
    kills: int
    rounds: int = 1


@dataclass
class Killed:
    """Result; `wrong` are sentences about states that must not occur."""

    kills: int = 0
    resumes: int = 0
    regathered: int = 0
    boards: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)

    @property
    def figures(self) -> list[tuple[str, str]]:
        """Each figure with its name."""
        return [
            ("hosts killed", f"{self.kills}"),
            ("of them in a round", f"{self.resumes}"),
            ("rounds re-gathered", f"{self.regathered}"),
            ("tables", f"{self.boards}"),
            ("time", f"{self.seconds:.0f} s"),
        ]


def kill_hosts(killing: Killing, folder: Path, stop: Callable[[], bool] = lambda: False) -> Killed:
    """Kill that many hosts. A run that ends before begins anew at another board.

    `stop` is called several times a second; once it is true, the host and the board are ended.
    """
    told, chance, began = Killed(), Random(f"{killing.seed}:killing"), time.perf_counter()
    with suppress(_StoppedError):
        while told.kills < killing.kills and not told.wrong:
            told.boards += 1
            at = folder / str(told.boards)
            at.mkdir()
            with _board(killing, told.boards) as port:
                _one_table(killing, at, port, chance, told, stop)
    told.seconds = time.perf_counter() - began
    return told


class _StoppedError(Exception):
    """`stop` has become true."""


def _one_table(
    killing: Killing,
    at: Path,
    port: str,
    chance: Random,
    told: Killed,
    stop: Callable[[], bool],
) -> None:
    """Run and kill hosts at one board until its rounds are done."""
    lives = 0
    while True:
        events = at / f"{lives:04}.jsonl"
        lives += 1
        last = told.kills >= killing.kills
        code = _life(killing, at, port, events, None if last else chance, stop)
        if code is None:
            told.kills += 1
            continue
        if code:
            said = (at / "said").read_text(encoding="utf-8").strip()
            told.wrong.append(f"Life {lives} at board {told.boards} ended with {code}: {said}")
        break
    seen = [_read(file) for file in sorted(at.glob("*.jsonl"))]
    told.resumes += sum(any(e["event"] == "run_resumed" for e in life) for life in seen)
    told.wrong += one_run(seen, killing)
    told.wrong += journal_is_whole(at / "journal")
    told.wrong += one_outcome_a_throw(at / "journal")


def _life(
    killing: Killing,
    at: Path,
    port: str,
    events: Path,
    chance: Random | None,
    stop: Callable[[], bool],
) -> int | None:
    """Run one host: its exit code, None if it was killed; without `chance` it runs to its end.

    Raises _StoppedError, with the host killed, once `stop` is true.
    """
    command = (
        *(*WALLWRIGHT, "run", "--table", killing.table, "--game", killing.game),
        *("--port", port, "--rounds", str(killing.rounds)),
        *("--journal", str(at / "journal"), "--events", str(events)),
    )
    with (at / "said").open("w") as said:
        host = subprocess.Popen(  # noqa: S603 this very program
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            # Ctrl-C at a terminal is for this process alone.
            start_new_session=True,
        )
        try:
            seconds = AT_LAST
            if chance is not None:
                at_birth = (at / "journal").exists() and chance.random() < AT_BIRTH
                if not at_birth:
                    _until_it_works(host, events, stop)
                seconds = chance.uniform(0.0, STARTING if at_birth else WORKING)
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
    """The exit code of a host, None if it lives on after so long. Raises _StoppedError."""
    until = time.perf_counter() + seconds
    while (left := until - time.perf_counter()) > 0:
        if stop():
            raise _StoppedError
        with suppress(subprocess.TimeoutExpired):
            return host.wait(min(left, ASK_AGAIN))
    return host.poll()


def _is_over(events: Path) -> bool:
    """Whether a host had emitted its last event and was only exiting."""
    told = _read(events) if events.exists() else []
    return bool(told) and told[-1]["event"] == "summary"


def _until_it_works(host: subprocess.Popen[bytes], events: Path, stop: Callable[[], bool]) -> None:
    """Wait until a host has reported that it moves something, or resumes something.

    Raises _StoppedError.
    """
    until = time.perf_counter() + AT_LAST
    while host.poll() is None and time.perf_counter() < until:
        if stop():
            raise _StoppedError
        if events.exists() and any(sign in events.read_text("utf-8") for sign in SIGNS):
            return
        with suppress(subprocess.TimeoutExpired):
            host.wait(LOOK)


@contextmanager
def _board(killing: Killing, number: int) -> Iterator[str]:
    """A board that outlives its hosts; yields its port."""
    command = (
        *(*WALLWRIGHT, "board", "--sim", killing.table, "--game", killing.game, "--pty"),
        *("--seed", str(killing.seed + number), "--playing", str(PLAYING)),
    )
    with subprocess.Popen(  # noqa: S603 this very program
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


def one_run(lives: Sequence[Sequence[Event]], killing: Killing) -> list[str]:
    """Check that all events make up one run: each place dealt once a round, no tile lost."""
    wrong: list[str] = []
    summary = lives[-1][-1] if lives and lives[-1] else {}
    if summary.get("event") != "summary" or summary["rounds"] != killing.rounds:
        return [f"The last host told no summary of {killing.rounds} rounds, but {summary}."]
    if summary["tiles"]["expected"] != summary["tiles"]["accounted"]:
        wrong.append(f"Not all tiles are accounted for: {summary['tiles']}.")
    game = find_game(killing.game)
    parameters = game_parameters(load_game(killing.game))
    due = sum(map(len, foreseen(game.setup(parameters=parameters)).hands.values()))
    rounds = _delivered(lives)
    for number, places in enumerate(rounds, 1):
        twice = {place for place in places if places.count(place) > 1}
        if twice or (len(places) != due and not _varies(killing.game)):
            wrong.append(
                f"Round {number}: {len(places)} places were delivered of {due},"
                f" twice {sorted(twice) or 'none'}."
            )
    if len(rounds) != killing.rounds and due:
        wrong.append(f"{len(rounds)} rounds were delivered, of {killing.rounds}.")
    return wrong


def journal_is_whole(journal: Path) -> list[str]:
    """Check the journal; returns what `wallwright doctor` reports as wrong."""
    doctor = subprocess.run(  # noqa: S603 this very program
        (*WALLWRIGHT, "doctor", "--journal", str(journal), "--json"),
        capture_output=True,
        text=True,
        check=False,
    )
    said = json.loads(doctor.stdout)["journal"] if doctor.stdout else {"told": [doctor.stderr]}
    if said.get("state") != "whole" or said.get("unfinished"):
        return [f"The journal is {said.get('state')}: {said.get('told')}."]
    return []


def one_outcome_a_throw(journal: Path) -> list[str]:
    """Check that each throw has one outcome, and that the dome shook no more often than needed.

    The number of a shake is noted before it. A host that takes over shakes again only if that shake
    has not ended, so the numbers noted for a throw are as many as its shakes.
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


def _delivered(lives: Sequence[Sequence[Event]]) -> list[list[str]]:
    """The places delivered, round after round; a repeated event of a later host counts once."""
    rounds: list[list[str]] = []
    before: list[str] | None = None
    for life in lives:
        again = True
        for event in life:
            if event["event"] == "walls_raised" and (not rounds or rounds[-1]):
                rounds.append([])
            elif event["event"] == "delivered":
                places = list(event["from"])
                if not (again and places == before):
                    rounds[-1] += places
                before, again = places, False
    return rounds


def _varies(game: str) -> bool:
    """Whether chance decides how many tiles a game's set-up deals."""
    return game == "filipino"


def _read(file: Path) -> list[Event]:
    """A host's events; the kill may have cut off the last line."""
    lines = file.read_text(encoding="utf-8").split("\n")[:-1]
    return [json.loads(line) for line in lines]
