"""One run of `wallwright chaos`: plays evenings, in several processes if wanted, and reports."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO, TypeVar

from rich.progress import track
from rich.table import Table as Grid

from controller.cli.errors import BadInputError
from controller.cli.options.lookup import game_name, table_named
from controller.cli.output.line_output import open_output
from controller.cli.runs.stop_signals import INTERRUPTED
from controller.cli.terminal.screen import screen
from controller.proof.campaign import Campaign, is_stopped, until_interrupted
from controller.proof.chaos.evening import play_evening
from controller.proof.chaos.run_report import (
    ENDINGS,
    Played,
    RoundTally,
    Row,
    by_kind,
    figures,
    markdown,
)
from controller.proof.chaos.run_report import as_json as page_as_json
from controller.proof.chaos.scenarios import EVENING, evening_of, pairs_of

T = TypeVar("T")

IN_MEMORY = Path("/dev/shm")  # noqa: S108 a temporary folder of this process is made in it
"""A file system in memory, where writing and syncing the journals is fast."""


@dataclass(frozen=True)
class ChaosJob:
    """The options of `wallwright chaos`. An empty list of games or tables means all of them."""

    rounds: int
    seed: int
    begin: int
    games: Sequence[str]
    tables: Sequence[str]
    play: bool | None
    report: Path | None
    events: str | None
    jobs: int
    cluster: str | None = None
    audit: bool = False

    @property
    def selection(self) -> str:
        """The options of the command line that choose games, tables, played hands and the audit."""
        names = [f" --games {name}" for name in self.games]
        names += [f" --tables {name}" for name in self.tables]
        play = "" if self.play is None else " --play" if self.play else " --no-play"
        return "".join(names) + play + (" --audit" if self.audit else "")


def play_rounds(job: ChaosJob, *, as_json: bool) -> int:
    """Play the rounds, print and write the report, and return the exit code.

    Raises BadInputError for a wrong first round, and for games and tables that do not fit.
    """
    if job.begin < 0 or job.begin % EVENING:
        raise BadInputError(
            f"`--from` must be a multiple of {EVENING}, the first round of an evening; got"
            f" {job.begin}. Give --from {max(0, job.begin) // EVENING * EVENING}."
        )
    pairs = pairs_of(game_names_of(job.games), checked_tables(job.tables))
    if not pairs:
        raise BadInputError(
            "None of these games fits one of these tables; 'wallwright games' lists the tables of"
            " each game."
        )
    tally, began = RoundTally(), time.perf_counter()
    last = job.begin + job.rounds
    numbers = range(job.begin // EVENING, (last - 1) // EVENING + 1)
    draw_and_play = partial(_evening, job.seed, pairs, job.play, last, job.audit)
    interrupted = False
    with (
        until_interrupted() as stop,
        open_output("Events", job.events) as stream,
        closing(Campaign(draw_and_play, numbers, job.jobs, job.cluster).results()) as evenings,
    ):
        each_played = zip(numbers, evenings, strict=False)
        for number, played in _with_progress_bar(each_played, len(numbers)):
            # A cluster's computers do not see Ctrl-C of this one.
            interrupted = job.cluster is not None and stop.is_set()
            if played is None or interrupted:
                interrupted = True
                break
            tally.add(played)
            _print_failures(
                played,
                f"wallwright chaos --seed {job.seed} --from {number * EVENING}",
                job.selection,
                sys.stderr if as_json else sys.stdout,
            )
            if stream is not None:
                for each in played.rounds:
                    for event in each.events:
                        stream.write(json.dumps({"round": each.number, **event}) + "\n")
    seconds = time.perf_counter() - began
    if as_json:
        print(json.dumps(page_as_json(tally, seconds), indent=2))
    else:
        _print_report(tally, seconds)
    sentence = ""
    if interrupted:
        sentence = (
            f"Interrupted by Ctrl-C after {tally.rounds} of {job.rounds} rounds of seed {job.seed}."
        )
        print(sentence, file=sys.stderr)
    if job.report is not None:
        command = f"wallwright chaos --rounds {job.rounds} --seed {job.seed}{job.selection}"
        job.report.write_text(markdown(tally, command, sentence), encoding="utf-8")
    if interrupted:
        return INTERRUPTED
    return 1 if tally.ends["failed"] else 0


def game_names_of(given: Sequence[str]) -> list[str]:
    """Return the games' names; games in folders are registered. Raises as `game_name` does."""
    files = [each for each in given if Path(each).is_file()]
    if files:
        raise BadInputError(
            f"Chaos draws a game's parameters at random, so the file '{files[0]}' cannot be used;"
            " give the name of the game, or the folder of its package."
        )
    return [game_name(each) for each in given]


def checked_tables(given: Sequence[str]) -> list[str]:
    """Return the given tables after reading each of them. Raises as `table_named` does."""
    for each in given:
        table_named(each)
    return list(given)


def _with_progress_bar(played: Iterable[T], evenings: int) -> Iterable[T]:
    """Pass the evenings on, with a progress bar if standard error is a terminal."""
    console = screen(errors=True)
    hidden = not console.is_terminal
    return track(played, "evenings", evenings, console=console, transient=True, disable=hidden)


def _evening(
    seed: int,
    pairs: tuple[tuple[str, str], ...],
    play: bool | None,
    last: int,
    audit: bool,
    number: int,
) -> Played | None:
    """Draw an evening by its number and play it, up to the round before `last`.

    None after Ctrl-C.
    """
    if is_stopped():
        return None
    evening = evening_of(number, seed, pairs, play)
    parent = IN_MEMORY if IN_MEMORY.is_dir() else None
    rounds = min(EVENING, last - number * EVENING)
    with tempfile.TemporaryDirectory(prefix="chaos-", dir=parent) as folder:
        return play_evening(evening, Path(folder), rounds, is_stopped, audit=audit)


def _print_failures(played: Played, command: str, selection: str, stream: TextIO) -> None:
    """Print every failed round, with the command that plays it again."""
    for number, each in enumerate(played.rounds, 1):
        if each.wrong:
            title = f"{each.game} on {each.table}{', played by the rules' if each.play else ''}"
            print(f"Round {each.number} ({title}) failed:", file=stream)
            for sentence in each.wrong[:3]:
                print(f"  {sentence}", file=stream)
            print(
                f"  Play it again: {command} --rounds {number}{selection} --events round.jsonl",
                file=stream,
                flush=True,
            )


def _print_report(tally: RoundTally, seconds: float) -> None:
    console = screen()
    grid = Grid.grid(padding=(0, 2))
    for name, figure in figures(tally):
        grid.add_row(name, figure)
    grid.add_row("rounds a second", f"{tally.rounds / seconds:.1f}")
    kinds = Grid("injected fault", "happened", *ENDINGS, box=None, padding=(0, 1))
    rows: list[Row] = by_kind(tally)
    for row in rows:
        kinds.add_row(*row)
    console.print(kinds)
    console.print(grid)
