"""`wallwright board`: simulated boards in a process of their own, on a pseudo-terminal."""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import sys
import tty
from contextlib import suppress
from typing import Annotated

import typer

from config.schema import GameConfig, Table
from controller.assembly import simulated_plant
from controller.cli.emulation import Emulated, require_emulation
from controller.cli.errors import BadInput
from controller.cli.mishaps import Campaign, FaultTexts, mishaps_of
from controller.cli.named import game_named, require_fit, table_named
from controller.cli.options import GameNamed
from controller.planning.setup_forecast import seats_of
from firmware_bridge.executor.channels import Impossible
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injection import Mishap
from firmware_bridge.sim.processors.emulated_bench import EmulatedBench
from rules.setup import Game

PIECE = 4096


def board(
    sim: Annotated[
        str,
        typer.Option(help="The table that the board drives: a name, or a YAML file of your own."),
    ] = "robotic",
    pty: Annotated[
        bool, typer.Option("--pty", help="Answer on a pseudo-terminal and print its path.")
    ] = False,
    game: GameNamed = "wenzhou",
    seed: Annotated[int, typer.Option(help="Chance in the plant.")] = 0,
    playing: Annotated[
        float | None,
        typer.Option(help="Seconds that its people play a hand.", show_default="the game's"),
    ] = None,
    fault: FaultTexts = None,
    faults: Campaign = None,
    emulated: Emulated = False,
) -> int:
    """Run a virtual board until Ctrl-C; 'run --port PATH' drives it as it would a real one."""
    table = table_named(sim)
    rules, config = game_named(game)
    if any(each.kind == "gpio" for each in table.boards.values()):
        raise BadInput(
            f"The table {table.name} hangs on GPIO pins and has no board; name another with --sim."
        )
    require_fit(table, rules, config)
    if not pty:
        raise BadInput("A virtual board needs a line to answer on; add --pty.")
    if playing is not None:
        if not 0 < playing < 86_400:
            raise BadInput(f"Nobody plays a hand for {playing} s; give --playing 1 or more.")
        config = config.model_copy(update={"play": playing})
    mishaps = mishaps_of(fault, faults, table)
    if emulated:
        require_emulation(table)
    with asyncio.Runner(loop_factory=_beside_processors if emulated else _live) as runner:
        try:
            runner.run(_answer(table, config, rules, seed, mishaps, emulated))
        except Impossible as refusal:
            print(f"The boards drive what no mechanism can do: {refusal}", file=sys.stderr)
            return 1
    return 0


def _live() -> asyncio.AbstractEventLoop:
    """Real time, in which a process that is held up still finds one thing after the other."""
    return VirtualLoop(pace=1.0, live=True)


def _beside_processors() -> asyncio.AbstractEventLoop:
    """Its timers are punctual to a tenth of a millisecond; epoll's wait for whole ones."""
    return asyncio.SelectorEventLoop(selectors.SelectSelector())


async def _answer(
    table: Table,
    config: GameConfig,
    game: Game,
    seed: int,
    mishaps: tuple[Mishap, ...],
    emulated: bool,
) -> None:
    loop = asyncio.get_running_loop()
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    seats = seats_of(game.setup())
    plant = simulated_plant(table, config, game, seats, seed, mishaps=mishaps)
    kind = EmulatedBench if emulated else Bench
    bench = kind(plant, lambda data: _write(master, data))
    loop.add_reader(master, lambda: bench.receive(_read(master)))
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    print(os.ttyname(slave), flush=True)
    try:
        await _until(stopped, bench)
    finally:
        bench.close()
        loop.remove_reader(master)
        os.close(slave)
        os.close(master)


async def _until(stopped: asyncio.Event, bench: Bench | EmulatedBench) -> None:
    """Processors follow the clock until then; a virtual board needs no help. Raises Impossible."""
    waiting: list[asyncio.Future[object]] = [asyncio.ensure_future(stopped.wait())]
    if isinstance(bench, EmulatedBench):
        waiting.append(asyncio.ensure_future(bench.keep_up()))
    done, left = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in left:
        task.cancel()
    for task in done:
        task.result()


def _read(master: int) -> bytes:
    try:
        return os.read(master, PIECE)
    except BlockingIOError:
        return b""


def _write(master: int, data: bytes) -> None:
    """What nobody reads is lost, as on a wire; the board repeats what matters."""
    with suppress(BlockingIOError):
        os.write(master, data)
