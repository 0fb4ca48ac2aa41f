"""`wallwright chaos`: random rounds under random mishaps, or hosts that are killed for real."""

from __future__ import annotations

import json
import multiprocessing
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Annotated, TextIO, TypeVar

import typer
from rich.progress import track
from rich.table import Table as Grid

from controller.cli import completion
from controller.cli.errors import BadInputError, unknown_name
from controller.cli.line_output import open_output
from controller.cli.lookup import game_name, table_named
from controller.cli.output_checks import require_separate
from controller.cli.screen import screen
from controller.soak.endings import ENDINGS
from controller.soak.evening import Played, play_evening
from controller.soak.killing import Killing, kill_hosts
from controller.soak.page import RoundTally, Row, by_kind, figures, markdown
from controller.soak.page import as_json as page_as_json
from controller.soak.scenarios import EVENING, evening_of, pairs_of
from rules.games import GAMES

T = TypeVar("T")

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
IN_MEMORY = Path("/dev/shm")  # noqa: S108 a folder of our own is made in it
"""Where a journal's disk is fast; its copies are files there as anywhere."""


def chaos(
    rounds: Annotated[int, typer.Option(help="How many rounds to play.")] = 100,
    seed: Annotated[int, typer.Option(help="Chance of everything; the same, the same rounds.")] = 0,
    begin: Annotated[
        int, typer.Option("--from", help=f"The first round's number, a multiple of {EVENING}.")
    ] = 0,
    games: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this game, or the one in this folder; repeat.",
            show_default=False,
            autocompletion=completion.games,
        ),
    ] = None,
    tables: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this table, by name or file; repeat.",
            show_default=False,
            autocompletion=completion.tables,
        ),
    ] = None,
    play: Annotated[
        bool | None,
        typer.Option(
            "--play/--no-play", help="Follow every hand, or none.", show_default="a third"
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write the page to this file.", show_default=False)
    ] = None,
    events: Annotated[
        str | None, typer.Option(help="Write all events as JSON lines.", show_default=False)
    ] = None,
    kill: Annotated[
        bool, typer.Option("--kill", help="Kill real processes: a few rounds in real time.")
    ] = False,
    kills: Annotated[int, typer.Option(help="With --kill: how many hosts die.")] = 100,
    jobs: Annotated[int, typer.Option(help="So many processes play at once; same report.")] = 1,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report as JSON, for programs.")
    ] = False,
) -> int:
    """Play random rounds under random mishaps and check them; exit code 1 if one is wrong.

    Ctrl-C ends it at once, with the report of what was played and exit code 130.
    """
    if rounds < 1:
        raise BadInputError(f"`--rounds` must be at least 1; got {rounds}.")
    if jobs < 1:
        raise BadInputError(f"`--jobs` must be at least 1; got {jobs}.")
    require_separate({"--events": events, "--report": None if report is None else str(report)})
    if kill:
        return _kill(tables, games, seed, kills)
    if begin < 0 or begin % EVENING:
        wrong = f"Round {begin} begins no evening; give --from {max(0, begin) // EVENING * EVENING}"
        raise BadInputError(f"{wrong}.")
    pairs = pairs_of(_games(games), _tables(tables))
    if not pairs:
        raise BadInputError(
            "None of these games fits one of these tables; 'wallwright games' lists them."
        )
    only = "".join(
        f" --{option} {name}"
        for option, names in (("games", games), ("tables", tables))
        for name in names or ()
    ) + ("" if play is None else " --play" if play else " --no-play")
    tally, began = RoundTally(), time.perf_counter()
    numbers = range(begin // EVENING, (begin + rounds - 1) // EVENING + 1)
    lengths = [min(EVENING, begin + rounds - number * EVENING) for number in numbers]
    interrupted = False
    with (
        _until_interrupted() as stop,
        open_output("Events", events) as stream,
        _players(jobs, stop) as players,
    ):
        draw_and_play = partial(_evening, seed, pairs, play)
        each_played = zip(numbers, players(draw_and_play, numbers, lengths), strict=True)
        for number, played in _watched(each_played, len(numbers)):
            if played is None:
                interrupted = True
                break
            tally.add(played)
            _emit(
                played,
                f"wallwright chaos --seed {seed} --from {number * EVENING}",
                only,
                sys.stderr if as_json else sys.stdout,
            )
            if stream is not None:
                for each in played.rounds:
                    for event in each.events:
                        stream.write(json.dumps({"round": each.number, **event}) + "\n")
    wall = time.perf_counter() - began
    if as_json:
        print(json.dumps(page_as_json(tally, wall), indent=2))
    else:
        _show(tally, wall)
    if interrupted:
        print(
            f"Interrupted by Ctrl-C after {tally.rounds} of {rounds} rounds of seed {seed}."
            + ("" if report is None else f" {report} was not written."),
            file=sys.stderr,
        )
        return INTERRUPTED
    if report is not None:
        command = f"wallwright chaos --rounds {rounds} --seed {seed}{only}"
        report.write_text(markdown(tally, command, wall), encoding="utf-8")
    return 1 if tally.ends["failed"] else 0


@contextmanager
def _until_interrupted() -> Iterator[Event]:
    """An event that Ctrl-C sets; the second Ctrl-C interrupts as usual."""
    stop = multiprocessing.Event()

    def interrupt(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop.set()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _games(given: list[str] | None) -> list[str]:
    """Games by their names; those of a folder are known from here on. Raises as `game_name`."""
    files = [each for each in given or () if Path(each).is_file()]
    if files:
        raise BadInputError(
            f"Chaos draws the parameters of a house itself, so '{files[0]}' cannot be followed;"
            " name the game, or the folder of its package."
        )
    return [game_name(each) for each in given or ()]


def _tables(given: list[str] | None) -> list[str]:
    """Tables by name or by file, each of them read once. Raises as `table_named`."""
    for each in given or ():
        table_named(each)
    return list(given or ())


@contextmanager
def _players(jobs: int, stop: Event) -> Iterator[Callable[..., Iterator[Played | None]]]:
    """What plays evenings and gives them back in their order: this process, or so many others.

    An evening that `stop` interrupts is None, and so is every one after it.
    """
    if jobs == 1:
        _begin(stop)
        yield map
        return
    with ProcessPoolExecutor(jobs, initializer=_begin_beside, initargs=(stop,)) as others:
        try:
            yield others.map
        finally:
            others.shutdown(cancel_futures=True)


def _begin(stop: Event) -> None:
    """What this process asks whether it is to stop."""
    _STOP[:] = [stop]


def _begin_beside(stop: Event) -> None:
    """The same in a process of its own; Ctrl-C at a terminal reaches it too, and is not for it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _begin(stop)


_STOP: list[Event] = []
"""What Ctrl-C sets; in every process that plays."""


def _watched(played: Iterable[T], evenings: int) -> Iterable[T]:
    """The same, with a bar for whoever waits at a terminal."""
    console = screen(errors=True)
    nobody = not console.is_terminal
    return track(played, "evenings", evenings, console=console, transient=True, disable=nobody)


def _evening(
    seed: int, pairs: tuple[tuple[str, str], ...], play: bool | None, number: int, rounds: int
) -> Played | None:
    """Draw an evening by its number and play it."""
    (stop,) = _STOP
    if stop.is_set():
        return None
    evening = evening_of(number, seed, pairs, play)
    where = IN_MEMORY if IN_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="chaos-", dir=where) as folder:
        return play_evening(evening, Path(folder), rounds, stop.is_set)


def _emit(played: Played, command: str, only: str, to: TextIO) -> None:
    """Every failure, and how to see it again."""
    for number, each in enumerate(played.rounds, 1):
        if each.wrong:
            title = f"{each.game} on {each.table}{', followed' if each.play else ''}"
            print(f"Round {each.number} ({title}) is wrong:", file=to)
            for sentence in each.wrong[:3]:
                print(f"  {sentence}", file=to)
            print(
                f"  See it again: {command} --rounds {number}{only} --events round.jsonl",
                file=to,
                flush=True,
            )


def _show(tally: RoundTally, wall: float) -> None:
    console = screen()
    grid = Grid.grid(padding=(0, 2))
    for name, figure in figures(tally, wall):
        grid.add_row(name, figure)
    kinds = Grid("injected fault", "happened", *ENDINGS, box=None, padding=(0, 1))
    rows: list[Row] = by_kind(tally)
    for row in rows:
        kinds.add_row(*row)
    console.print(kinds)
    console.print(grid)


def _kill(tables: list[str] | None, games: list[str] | None, seed: int, kills: int) -> int:
    table, game = (_tables(tables) or ["robotic"])[0], (games or ["wenzhou"])[0]
    if game not in GAMES:
        raise BadInputError(
            f"{unknown_name('game', game, GAMES)} `--kill` starts processes of their own, which"
            " find installed games only; install the game's folder with pip."
        )
    if kills < 1:
        raise BadInputError(f"`--kills` must be at least 1; got {kills}.")
    with (
        _until_interrupted() as stop,
        tempfile.TemporaryDirectory(prefix="chaos-") as folder,
    ):
        killed = kill_hosts(Killing(table, game, seed, kills), Path(folder), stop.is_set)
    for name, figure in killed.figures:
        print(f"{name:24}{figure}")
    for sentence in killed.wrong:
        print(sentence)
    if stop.is_set():
        print(f"Interrupted by Ctrl-C after {killed.kills} of {kills} kills.", file=sys.stderr)
        return INTERRUPTED
    return 1 if killed.wrong else 0
