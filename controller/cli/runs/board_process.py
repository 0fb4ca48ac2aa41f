"""The process of `wallwright board`: a simulated plant and its boards on a pseudo-terminal."""

from __future__ import annotations

import asyncio
import os
import selectors
import tty
from contextlib import suppress

from config.schema import GameConfig, Table
from controller.cli.errors import print_error
from controller.cli.runs.stop_signals import StopSignals
from controller.run.assembly import simulated_plant
from controller.run.planning.setup_forecast import seats_of
from firmware_bridge.executor.channels import ImpossibleOrderError
from firmware_bridge.sim.bench import Bench
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injected_fault import InjectedFault
from firmware_bridge.sim.processors.emulated_bench import EmulatedBench
from rules.setup import Game

READ_SIZE = 4096
"""The largest number of bytes that one read takes from the pseudo-terminal."""


def answer(
    table: Table,
    config: GameConfig,
    game: Game,
    seed: int,
    injected_faults: tuple[InjectedFault, ...],
    *,
    emulated: bool,
) -> int:
    """Run the boards on a new pseudo-terminal until a stop signal; returns the exit code.

    The boards are provisioned with the limits of their table. With `emulated`, they are simulated
    processors that execute the firmware.
    """
    loop_factory = _loop_for_emulated_boards if emulated else _loop_for_virtual_boards
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        try:
            runner.run(_answer(table, config, game, seed, injected_faults, emulated))
        except ImpossibleOrderError as refusal:
            print_error(f"A board received a command that the mechanism cannot execute: {refusal}")
            return 1
    return 0


def _loop_for_virtual_boards() -> asyncio.AbstractEventLoop:
    """A loop in real time. After a delay of the process, overdue timers run in their order."""
    return VirtualLoop(pace=1.0, live=True)


def _loop_for_emulated_boards() -> asyncio.AbstractEventLoop:
    """A loop whose timers are accurate to 0.1 ms; with epoll they would wait for whole ms."""
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
    bench = kind(plant, lambda data: _write(master, data), provisioned=True)
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
    """Wait for the stop event while emulated processors follow the clock.

    Virtual boards need no such task. Raises ImpossibleOrderError.
    """
    waiting: list[asyncio.Future[object]] = [asyncio.ensure_future(stopped.wait())]
    if isinstance(bench, EmulatedBench):
        waiting.append(asyncio.ensure_future(bench.follow_real_time()))
    done, left = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in left:
        task.cancel()
    for task in done:
        task.result()


def _read(master: int) -> bytes:
    try:
        return os.read(master, READ_SIZE)
    except BlockingIOError:
        return b""


def _write(master: int, data: bytes) -> None:
    """Write bytes to the line. Bytes that do not fit into its buffer are lost, as on a real wire.

    The link protocol sends them again.
    """
    with suppress(BlockingIOError):
        os.write(master, data)
