"""`wallwright run`: the daemon in the foreground, on a simulated table or a real one."""

from __future__ import annotations

import asyncio
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TextIO

import typer
from rich.console import Console

from config.checks import fit
from config.loader import game_parameters, load_game, load_table
from config.schema import GameConfig, Table
from controller.cli.errors import BadInput
from controller.cli.options import (
    Bottom,
    CutName,
    Dealer,
    End,
    Players,
    Reverse,
    Throws,
    Wall,
    answers_of,
    require_fit,
    throws_of,
)
from controller.cli.pages import summary_page
from controller.cli.progress import Progress
from controller.cli.terminal import Terminal
from controller.daemon import Daemon
from controller.deal import Orders
from controller.events import EventLog, json_lines
from controller.faults import TableFault
from controller.hardware import Hardware, on_lines, simulated
from controller.journal import Journal
from controller.rest import seats_of
from controller.reveal import Reveal
from firmware_bridge.sim.clock import VirtualLoop
from rules.games import find_game
from rules.steps import Choose, Throw

READY = "ready"


@dataclass(frozen=True)
class Job:
    """Everything that a command line settles before anything moves."""

    table: Table
    config: GameConfig
    orders: Orders
    rounds: int
    until_ready: bool
    seed: int
    pace: float | None
    ports: Sequence[str]
    reveal: bool
    journal: Path | None


def run(
    table: Annotated[
        str, typer.Option(help="A table: 'wallwright tables' lists them.")
    ] = "robotic",
    game: Annotated[str, typer.Option(help="A game: 'wallwright games' lists them.")] = "wenzhou",
    rounds: Annotated[int, typer.Option(help="How many rounds to play.")] = 1,
    until: Annotated[
        str | None,
        typer.Option(
            help="'ready': end the last round when it is ready to play.", show_default=False
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Chance in the simulation; the same, the same run.")
    ] = 0,
    speed: Annotated[
        str | None,
        typer.Option(
            help="virtual (as fast as can be), real, or a factor.",
            show_default="virtual; real with --port",
        ),
    ] = None,
    throw: Throws = None,
    dealer: Dealer = 0,
    players: Players = None,
    cut: CutName = None,
    reverse: Reverse = False,
    bottom: Bottom = False,
    wall: Wall = None,
    end: End = None,
    order: Annotated[
        str, typer.Option(help="Packets in the game's own order (ritual), or the fastest.")
    ] = "ritual",
    events: Annotated[
        str | None,
        typer.Option(help="Write events as JSON lines to a file, or - for standard output."),
    ] = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Tell the true tiles (simulation only).")
    ] = False,
    port: Annotated[
        list[str] | None,
        typer.Option(help="A board's port, or BOARD=PORT; repeat for several.", show_default=False),
    ] = None,
    journal: Annotated[
        Path | None, typer.Option(help="Keep the journal in this file.", show_default=False)
    ] = None,
) -> int:
    """Run a table: gather, shuffle, build, raise, throw, deal, turn up, play, collect."""
    rules = find_game(game)
    machine, config = load_table(table), load_game(game)
    verdict = fit(machine, rules, config)
    require_fit(machine, verdict.fits, verdict.reasons, rules)
    answers = answers_of(rules, cut, reverse, bottom, wall, end)
    orders = Orders(
        rules,
        game_parameters(config),
        dealer,
        players,
        throws_of(throw),
        answers,
        _one_of(order, "order", ("ritual", "fastest")) == "fastest",
    )
    check_orders(orders)
    if rounds < 1:
        raise BadInput(f"{rounds} rounds are none; give --rounds 1 or more.")
    if until is not None:
        _one_of(until, "until", (READY,))
    if reveal and port:
        raise BadInput("A real table shows nobody its tiles; leave out --reveal or --port.")
    pace = pace_of(speed, bool(port))
    job = Job(
        machine,
        config,
        orders,
        rounds,
        until == READY,
        seed,
        pace,
        port or (),
        reveal,
        journal,
    )
    with _open_events(events) as stream:
        return _run(job, stream)


def check_orders(orders: Orders) -> None:
    """Try throws and answers on a set-up before anything moves.

    Raises IllegalSetup or IllegalOutcome for one that the game cannot use.
    """
    setup = orders.setup(orders.dealer)
    throws = list(orders.throws)
    asked: set[str] = set()
    for _ in range(500):
        step = setup.pending
        if step is None or (isinstance(step, Throw) and not throws):
            break
        match step:
            case Throw():
                setup = setup.apply(throws.pop(0))
            case Choose():
                asked.add(step.what)
                setup = setup.apply(orders.answers.get(step.what, step.default))
            case _:
                setup = setup.apply()
    if throws and setup.pending is None:
        spare = ",".join(str(face) for face in throws[0])
        raise BadInput(f"{orders.game.title} takes no further throw; leave out --throw {spare}.")


def pace_of(speed: str | None, real: bool) -> float | None:
    """How fast time runs: None as fast as can be, 1.0 real, or a factor. Raises BadInput."""
    if speed is None:
        return 1.0 if real else None
    if real and speed != "real":
        raise BadInput(f"Real boards keep real time; --speed {speed} needs a simulated table.")
    match speed:
        case "virtual":
            return None
        case "real":
            return 1.0
    try:
        factor = float(speed)
    except ValueError:
        factor = 0.0
    if not 0 < factor < 1e6:
        raise BadInput(f"'{speed}' is no speed; give virtual, real, or a factor such as 10.")
    return factor


def _run(job: Job, stream: TextIO | None) -> int:
    loop: asyncio.AbstractEventLoop
    loop = asyncio.SelectorEventLoop() if job.ports else VirtualLoop(job.pace)
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(_session(job, stream))


async def _session(job: Job, stream: TextIO | None) -> int:
    """One run from the first event to the summary; returns the exit code."""
    loop = asyncio.get_running_loop()
    begun, wall_begun = loop.time(), time.perf_counter()
    events = EventLog(lambda: loop.time() - begun)
    if stream is not None:
        events.listen(json_lines(stream))
    console = Console(stderr=stream is sys.stdout)
    hardware = _hardware(job)
    with _journal(job) as journal, Progress(console, _title(job)) as progress:
        events.listen(progress.hear)
        daemon = Daemon(
            job.table,
            job.config,
            job.orders,
            hardware.boards,
            hardware.guide,
            journal,
            events,
            face_of=hardware.face_of,
            traffic=hardware.traffic,
            clock=lambda: loop.time() - begun,
        )
        if job.reveal and hardware.plant is not None:
            events.listen(Reveal(hardware.plant, daemon.staging, events).hear)
        fault = await _played(daemon, job)
    hardware.close()
    summary = daemon.summary(time.perf_counter() - wall_begun)
    events.tell("summary", **summary)
    if stream is not sys.stdout:
        summary_page(console, daemon, summary)
    if fault is not None:
        print(str(fault), file=sys.stderr)
    return 0 if fault is None else 1


async def _played(daemon: Daemon, job: Job) -> TableFault | None:
    """Play until the end, a fault, or a person's Ctrl-C, which is a safe stop."""
    playing = asyncio.ensure_future(daemon.run(job.rounds, until_ready=job.until_ready))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, playing.cancel)
    try:
        await playing
    except TableFault as fault:
        return fault
    except asyncio.CancelledError:
        pass
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
    return None


def _hardware(job: Job) -> Hardware:
    if job.ports:
        return on_lines(job.table, job.orders.game, ports_of(job.table, job.ports), Terminal())
    seats = seats_of(job.orders.setup(job.orders.dealer))
    return simulated(job.table, job.config, job.orders.game, seats, job.seed)


def ports_of(table: Table, texts: Sequence[str]) -> dict[str, str]:
    """Each board's port; one port alone carries every board. Raises BadInput."""
    if len(texts) == 1 and "=" not in texts[0]:
        return dict.fromkeys(table.boards, texts[0])
    ports: dict[str, str] = {}
    for text in texts:
        board, _, port = text.partition("=")
        if board not in table.boards or not port:
            names = ", ".join(f"{name}=PORT" for name in table.boards)
            raise BadInput(f"--port {text} names no board of {table.name}; give {names}.")
        ports[board] = port
    missing = [name for name in table.boards if name not in ports]
    if missing:
        raise BadInput(f"Board {missing[0]} has no port; add --port {missing[0]}=PORT.")
    return ports


@contextmanager
def _open_events(where: str | None) -> Iterator[TextIO | None]:
    if where is None:
        yield None
    elif where == "-":
        yield sys.stdout
    else:
        try:
            stream = Path(where).open("w", encoding="utf-8")  # noqa: SIM115
        except OSError as error:
            raise BadInput(
                f"Events cannot be written to {where} ({error.strerror}); name a writable file."
            ) from error
        with stream:
            yield stream


@contextmanager
def _journal(job: Job) -> Iterator[Journal]:
    """The journal that was named; a simulation without one keeps it as long as it runs."""
    started = datetime.now(UTC).isoformat(timespec="seconds")
    facts = {"table": job.table.name, "game": job.orders.game.name, "seed": job.seed}
    if job.journal is not None:
        with Journal(job.journal, started, facts) as journal:
            yield journal
        return
    with (
        tempfile.TemporaryDirectory(prefix="wallwright-") as folder,
        Journal(Path(folder) / "journal.db", started, facts) as journal,
    ):
        yield journal


def _title(job: Job) -> str:
    return f"{job.orders.game.title} on the table {job.table.name}"


def _one_of(given: str, option: str, offered: Sequence[str]) -> str:
    if given not in offered:
        raise BadInput(f"'{given}' is no --{option}; give {' or '.join(offered)}.")
    return given
