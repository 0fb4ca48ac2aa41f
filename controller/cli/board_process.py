"""What `wallwright board` runs: a plant and its boards, at one end of a pseudo-terminal."""

from __future__ import annotations

import asyncio
import os
import selectors
import tty
from contextlib import suppress

from config.schema import GameConfig, Table
from controller.assembly import simulated_plant
from controller.cli.errors import print_error
from controller.cli.stop_signals import StopSignals
from controller.planning.setup_forecast import seats_of
from firmware_bridge.executor.channels import ImpossibleOrderError
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injection import InjectedFault
from firmware_bridge.sim.processors.emulated_bench import EmulatedBench
from rules.setup import Game

PIECE = 4096


def answer(
    table: Table,
    config: GameConfig,
    game: Game,
    seed: int,
    injected_faults: tuple[InjectedFault, ...],
    *,
    emulated: bool,
) -> int:
    """Answer on a new pseudo-terminal until a signal ends it; returns the exit code."""
    with asyncio.Runner(loop_factory=_beside_processors if emulated else _live) as runner:
        try:
            runner.run(_answer(table, config, game, seed, injected_faults, emulated))
        except ImpossibleOrderError as refusal:
            print_error(f"The boards drive what no mechanism can do: {refusal}")
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
    injected_faults: tuple[InjectedFault, ...],
    emulated: bool,
) -> None:
    loop = asyncio.get_running_loop()
    master, slave = os.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    seats = seats_of(game.setup())
    plant = simulated_plant(table, config, game, seats, seed, injected_faults=injected_faults)
    kind = EmulatedBench if emulated else Bench
    bench = kind(plant, lambda data: _write(master, data))
    loop.add_reader(master, lambda: bench.receive(_read(master)))
    stopped = asyncio.Event()
    StopSignals(loop, stopped.set)
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
