"""One self-test: opens the boards and tests every channel, while a person watches."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import TypeVar

from config.loader import game_names, load_game
from config.schema import GameConfig, Table
from config.validation.checks import fit
from controller.cli.errors import BadInputError, as_sentence, print_error
from controller.cli.runs.stop_signals import INTERRUPTED, StopSignals
from controller.cli.terminal.operator_console import (
    BadAnswerError,
    NoTerminalError,
    OperatorConsole,
    TerminalClosedError,
)
from controller.cli.terminal.screen import screen
from controller.cli.terminal.terminal_guide import TerminalGuide
from controller.run.assembly import Hardware, on_lines, simulated
from controller.run.planning.setup_forecast import seats_of
from controller.upkeep.selftest import Result, SelfTestReport, TableSelfTest, TrialAnswer, Watcher
from firmware_bridge.commissioning.device_keys import DeviceKeys
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.faults.injected_fault import InjectedFault
from firmware_bridge.sim.people.selftest_watcher import NoPeople, SelftestWatcher
from firmware_bridge.wire.errors import BoardError
from rules.errors import WallwrightError
from rules.games import GAMES
from rules.setup import Game

T = TypeVar("T")

READY = (
    "Keep hands off the table and do not lean over it; keep the emergency stop within reach."
    " Each motion is announced, and begins only after you press Enter."
)
"""The safety instruction that the person confirms before the first trial."""
ANSWERS = {"y": TrialAnswer.YES, "yes": TrialAnswer.YES, "n": TrialAnswer.NO, "no": TrialAnswer.NO}
SKIPS = ("s", "skip")


def run_selftest(
    table: Table,
    ports: dict[str, str],
    keys: DeviceKeys | None,
    injected_faults: tuple[InjectedFault, ...],
    *,
    yes: bool,
) -> tuple[int, SelfTestReport]:
    """Test the table at these ports; without ports, a simulated one. Returns exit code and report.

    Raises BadInputError for a port or a board that cannot be used.
    """
    sim = not ports
    report = SelfTestReport(table.name, datetime.now(UTC).isoformat(timespec="seconds"), sim)
    with asyncio.Runner(loop_factory=lambda: _loop(sim=sim, yes=yes)) as runner:
        return runner.run(_session(table, ports, keys, injected_faults, report, yes=yes)), report


def _loop(*, sim: bool, yes: bool) -> asyncio.AbstractEventLoop:
    """The event loop: virtual time with `yes`, otherwise real time for the person who watches."""
    return VirtualLoop(None if yes else 1.0) if sim else asyncio.SelectorEventLoop()


async def _session(
    table: Table,
    ports: dict[str, str],
    keys: DeviceKeys | None,
    injected_faults: tuple[InjectedFault, ...],
    report: SelfTestReport,
    *,
    yes: bool,
) -> int:
    """Test until the last trial, a stop signal or an error; returns the exit code.

    Raises BadInputError.
    """
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    signals = StopSignals(loop, stop.set)
    game, config = _fitting_game(table)
    # Without a real table no person is in danger, so a pipe can answer.
    console = OperatorConsole(screen(), sys.stdin, drawn=False, scripted=not ports)
    hardware = _hardware(table, game, config, ports, keys, injected_faults, console)
    onlooker = SelftestWatcher(hardware.plant) if hardware.plant is not None else None
    watcher: _ReadyWatcher = (
        _SimulatedWatcher(onlooker) if yes and onlooker else _Person(console, onlooker)
    )

    def report_result(result: Result) -> None:
        report.results.append(result)
        answer = f", the person answered {result.answer}" if result.answer else ""
        console.print_line(
            f"{result.verdict.value}: {result.what} of {result.part}: {result.seen}{answer}"
        )

    async def run_trials() -> None:
        await watcher.ready()
        await _open(hardware, report)
        await TableSelfTest(table, config.tile, hardware.boards, watcher, report_result).run()
        report.ended = "completed"

    try:
        running, stopping = asyncio.ensure_future(run_trials()), asyncio.ensure_future(stop.wait())
        await asyncio.wait((running, stopping), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        running.cancel()
        await asyncio.wait((running,))
        if running.cancelled():
            return signals.exit_code or INTERRUPTED
        running.result()
    except _TesterGoneError:
        print_error("The terminal was closed before the answer; all motions were stopped.")
        return signals.exit_code or 1
    finally:
        console.close()
        await _close(hardware)
    return 1 if report.failed else 0


async def _open(hardware: Hardware, report: SelfTestReport) -> None:
    """Start every board before the first trial. Raises BadInputError."""
    boards: dict[str, str] = {}
    report.boards = boards
    for name, board in hardware.boards.items():
        try:
            identity = await board.start()
        except BoardError as error:
            raise BadInputError(as_sentence(error)) from error
        boards[name] = f"serial {identity.serial}, build {identity.build}"


async def _close(hardware: Hardware) -> None:
    for board in hardware.boards.values():
        with suppress(BoardError):
            board.stop_all()
            await board.close()
    hardware.close()


def _fitting_game(table: Table) -> tuple[Game, GameConfig]:
    """The first game that fits the table; only its tile size is used. Raises BadInputError."""
    for name in game_names():
        config = load_game(name)
        game = GAMES[config.game]
        if game.setup().layout.count and fit(table, game, config).fits:
            return game, config
    raise BadInputError(
        f"No game fits the table {table.name}; 'wallwright check FILE' with its file lists the"
        " reasons."
    )


def _hardware(
    table: Table,
    game: Game,
    config: GameConfig,
    ports: dict[str, str],
    keys: DeviceKeys | None,
    injected_faults: tuple[InjectedFault, ...],
    console: OperatorConsole,
) -> Hardware:
    if not ports:
        seats = seats_of(game.setup())
        return simulated(
            table, config, game, seats, 0, injected_faults=injected_faults, people=NoPeople
        )
    try:
        return on_lines(table, game, ports, TerminalGuide(console), keys)
    except BoardError as error:
        raise BadInputError(as_sentence(error)) from error


class _TesterGoneError(WallwrightError):
    """The terminal was closed during the self-test."""


class _ReadyWatcher(Watcher):
    """A watcher who first confirms that the table is clear."""

    async def ready(self) -> None:
        """Return when the table is clear; raise BadInputError if the person answers no."""


class _SimulatedWatcher(_ReadyWatcher):
    """The plant's simulated person, who answers without questions on the screen."""

    def __init__(self, onlooker: SelftestWatcher) -> None:
        self._onlooker = onlooker

    async def ready(self) -> None:
        """Return at once: no person is at a simulated table."""

    async def begin(self, please: str, channels: tuple[str, ...]) -> bool:
        self._onlooker.watch(channels)
        return True

    async def confirm(self, question: str, channels: tuple[str, ...]) -> TrialAnswer:
        return TrialAnswer.YES if self._onlooker.saw(channels) else TrialAnswer.NO

    async def act(self, please: str, sensor: str, active: bool) -> None:
        self._onlooker.reach(sensor, active)


class _Person(_ReadyWatcher):
    """A person at the keyboard; on a simulated table the simulated person covers the sensors."""

    def __init__(self, console: OperatorConsole, onlooker: SelftestWatcher | None) -> None:
        self._console = console
        self._onlooker = onlooker

    async def ready(self) -> None:
        if await self._asked(f"{READY} Ready? [y/n]", {"y": True, "yes": True, "n": False}):
            return
        raise BadInputError("Nothing was moved; repeat the command when the table is clear.")

    async def begin(self, please: str, channels: tuple[str, ...]) -> bool:
        if self._onlooker is not None:
            self._onlooker.watch(channels)
        answers = {"": True, **dict.fromkeys(SKIPS, False)}
        return await self._asked(f"{please} [Enter, or skip]", answers)

    async def confirm(self, question: str, channels: tuple[str, ...]) -> TrialAnswer:
        answers = {**ANSWERS, **dict.fromkeys(SKIPS, TrialAnswer.SKIP)}
        return await self._asked(f"{question} [y/n/skip]", answers)

    async def act(self, please: str, sensor: str, active: bool) -> None:
        self._console.print_line(please)
        if self._onlooker is not None:
            self._onlooker.reach(sensor, active)

    async def _asked(self, text: str, answers: Mapping[str, T]) -> T:
        """Ask until one of the answers is typed.

        Raises BadInputError without a terminal, _TesterGoneError if the terminal is closed.
        """

        def read(line: str) -> T:
            if (typed := line.lower()) in answers:
                return answers[typed]
            offered = ", ".join(repr(answer) if answer else "Enter" for answer in answers)
            raise BadAnswerError(f"'{line}' is not an answer to this question; type {offered}.")

        try:
            return await self._console.ask(text, read)
        except NoTerminalError:
            raise BadInputError(
                "A self-test needs a person at a terminal; run it there, or add --sim --yes."
            ) from None
        except TerminalClosedError:
            raise _TesterGoneError from None
