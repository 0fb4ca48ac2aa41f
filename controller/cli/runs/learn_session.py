"""One session of `wallwright learn`: opens the boards, asks the person, writes the proposal."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from random import Random

from config.errors import ConfigErrors
from config.loader import check_file, load_game
from config.schema import MotorChannel, Table
from config.wire_list import WireList
from controller.cli.errors import BadInputError, as_sentence, print_error
from controller.cli.runs.stop_signals import INTERRUPTED, StopSignals
from controller.cli.terminal.operator_console import (
    BadAnswerError,
    NoTerminalError,
    OperatorConsole,
    TerminalClosedError,
)
from controller.cli.terminal.screen import screen
from controller.run.assembly import simulated_plant
from controller.upkeep.learn import (
    Findings,
    LearnPerson,
    LearnQuestion,
    LearnSession,
    QuestionKind,
    propose,
)
from controller.upkeep.learn.proposal import UnreadableStateError, motor_roles
from firmware_bridge.boards.encoding import flags
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.commissioning.device_keys import DeviceKeys
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.line import CablePlug
from firmware_bridge.sim.people.learn_helper import LearnHelper
from firmware_bridge.sim.people.selftest_watcher import NoPeople
from firmware_bridge.sim.rewired import Rewiring, rewired_bench
from firmware_bridge.wire.errors import BoardError
from firmware_bridge.wire.link import SerialLine
from firmware_bridge.wire.transport import open_serial
from rules.games import GAMES

READY = (
    "Read docs/build/RETROFIT.md first. Nobody may reach into the table; one hand stays at the"
    " emergency stop. Take all tiles out. Each motion is announced, and begins only when you"
    " type its word."
)
"""The safety instruction that the person confirms before the first motion."""
GAME = "wenzhou"
"""The game whose tiles a simulated table has."""


@dataclass(frozen=True)
class LearnJob:
    """What is learned, on which ports, and the files. `rewiring` is a simulated table's truth."""

    wires: WireList
    model: Table
    ports: Mapping[str, str]
    keys: DeviceKeys | None
    state: Path
    out: Path
    longest: float
    rewiring: Rewiring | None
    seed: int


def run_learning(job: LearnJob, *, yes: bool) -> int:
    """Learn until every wire is known or the person ends it; returns the exit code.

    Raises BadInputError for a port, a board or a state file that cannot be used.
    """
    with asyncio.Runner(loop_factory=lambda: _loop(job, yes=yes)) as runner:
        return runner.run(_learn(job, yes=yes))


def _loop(job: LearnJob, *, yes: bool) -> asyncio.AbstractEventLoop:
    if job.rewiring is None:
        return asyncio.SelectorEventLoop()
    return VirtualLoop(None if yes else 1.0)


async def _learn(job: LearnJob, *, yes: bool) -> int:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    signals = StopSignals(loop, stop.set)
    try:
        findings = Findings.load(job.state, job.model.name)
    except UnreadableStateError as error:
        raise BadInputError(str(error)) from error
    console = OperatorConsole(screen(), sys.stdin, drawn=False, scripted=job.rewiring is not None)
    boards, lines, helper = _connected(job)
    person = (
        _SimulatedPerson(helper, job.model, console) if yes and helper else _Person(console, helper)
    )
    session = LearnSession(
        job.wires,
        job.model,
        boards,
        person,
        findings,
        lambda found: found.save(job.state),
        job.longest,
    )

    async def run() -> None:
        if not await person.allow(f"{READY} Type 'ready'.", "ready"):
            return
        for board in boards.values():
            try:
                await board.start()
            except BoardError as error:
                raise BadInputError(as_sentence(error)) from error
        await session.run()

    try:
        running, stopping = asyncio.ensure_future(run()), asyncio.ensure_future(stop.wait())
        await asyncio.wait((running, stopping), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        running.cancel()
        await asyncio.wait((running,))
        if running.cancelled():
            console.print_line(f"What was found is in {job.state}; the same command continues.")
            return signals.exit_code or INTERRUPTED
        running.result()
    except TerminalClosedError:
        print_error("The terminal was closed before the answer; all motions were stopped.")
        return signals.exit_code or 1
    except NoTerminalError:
        raise BadInputError(
            "Learning needs a person at a terminal; run it there, or add --sim --yes."
        ) from None
    finally:
        console.close()
        for board in boards.values():
            with suppress(BoardError):
                board.stop_all()
                await board.close()
        for line in lines:
            line.close()
    return _propose(job, session, console)


def _propose(job: LearnJob, session: LearnSession, console: OperatorConsole) -> int:
    """Write the proposal to a new file, check it, and print how it differs from the model."""
    if session.missing:
        console.print_line(
            f"No wire is known for {', '.join(session.missing)}. What was found is in {job.state};"
            " the same command continues."
        )
        return 1
    if session.spare:
        console.print_line(f"Wires without a function: {', '.join(session.spare)}")
    text = propose(job.wires, job.model, session.findings)
    with job.out.open("x" if not job.out.exists() else "w", encoding="utf-8") as file:
        file.write(text)
    for line in _changed_channels(job.model, text):
        console.print_line(line)
    try:
        check_file(job.out)
    except ConfigErrors as error:
        print_error(f"{error}\nThe proposal in {job.out} has to be corrected by hand.")
        return 1
    console.print_line(
        f"{job.out} was written; read it line by line, correct it, then run `wallwright check"
        f" {job.out}` and `wallwright selftest --table {job.out}`."
    )
    return 0


def _changed_channels(model: Table, text: str) -> list[str]:
    """The differences of the pins from those of the model, as lines of a diff."""

    def pins(table: Table) -> list[str]:
        return [
            f"{name}: pin {getattr(channel, 'pin', '-')}, {getattr(channel, 'reverse_pin', '-')}"
            for board in table.boards.values()
            for name, channel in board.channels.items()
        ]

    before, after = pins(model), text.splitlines()
    found = [line.strip() for line in after if line.startswith("      ")]
    return list(unified_diff(before, found, model.name, "proposal", lineterm="", n=0))


def _connected(
    job: LearnJob,
) -> tuple[dict[str, SerialBoard], list[SerialLine], LearnHelper | None]:
    """The boards of the wire list, on their ports or on a simulated table.

    Every motor is guarded: with a light curtain, nothing moves while a hand is in the table.
    """
    motors = [
        name
        for board in job.wires.boards.values()
        for name, channel in board.channels.items()
        if isinstance(channel, MotorChannel)
    ]
    marks = flags(job.wires.emergency, job.wires.curtain, motors)
    if job.rewiring is None:
        keys = job.keys or DeviceKeys.none()
        try:
            lines = {port: SerialLine(open_serial(port)) for port in {*job.ports.values()}}
        except BoardError as error:
            raise BadInputError(as_sentence(error)) from error
        boards = {
            name: SerialBoard(
                name,
                board,
                lines[job.ports[name]],
                keys.on(job.ports[name]),
                flags=marks,
                build_of=keys.build_of,
            )
            for name, board in job.wires.boards.items()
        }
        return boards, list(lines.values()), None
    config = load_game(GAME)
    game = GAMES[config.game]
    plant = simulated_plant(job.model, config, game, 4, job.seed, people=NoPeople)
    plug, nonces = CablePlug(), Random(f"{job.seed}:nonces")
    bench, wired = rewired_bench(plant, job.rewiring, plug.send)
    plug.on_receive = bench.receive
    line = SerialLine(plug.open())
    simulated = {
        name: SerialBoard(name, board, line, KEY, lambda: nonces.randbytes(8), marks)
        for name, board in job.wires.boards.items()
    }
    return simulated, [line], LearnHelper(plant, wired, job.rewiring, job.seed)


class _SimulatedPerson(LearnPerson):
    """The simulated person, who types every word and answers by the true wiring."""

    def __init__(self, helper: LearnHelper, model: Table, console: OperatorConsole) -> None:
        self._helper = helper
        self._roles = motor_roles(model)
        self._console = console

    async def allow(self, please: str, word: str, wire: str = "") -> bool:
        return True

    async def choose(self, question: LearnQuestion) -> str:
        match question.kind:
            case QuestionKind.MOVED:
                return self._helper.moved(question.wire, question.answers)
            case QuestionKind.AT_FAR_END:
                return self._helper.is_at(self._roles[question.role].far, question.answers)
            case QuestionKind.WORKS_FORWARD:
                return self._helper.works_forward(question.wire, question.answers)
            case QuestionKind.AGAIN:
                return "no"

    async def act(self, please: str, role: str) -> None:
        self._helper.reach(role)

    def report(self, line: str) -> None:
        self._console.print_line(line)


class _Person(LearnPerson):
    """A person at the keyboard; on a simulated table the simulated person actuates sensors."""

    def __init__(self, console: OperatorConsole, helper: LearnHelper | None) -> None:
        self._console = console
        self._helper = helper

    async def allow(self, please: str, word: str, wire: str = "") -> bool:
        typed = await self._typed(f"{please} [{word}, or skip]", (word, "skip"))
        return typed == word

    async def choose(self, question: LearnQuestion) -> str:
        return await self._typed(
            f"{question.text} [{', '.join(question.answers)}]", question.answers
        )

    async def act(self, please: str, role: str) -> None:
        self._console.print_line(please)
        if self._helper is not None:
            self._helper.reach(role)

    def report(self, line: str) -> None:
        self._console.print_line(line)

    async def _typed(self, text: str, answers: tuple[str, ...]) -> str:
        """Ask until one of the answers is typed as a whole word."""

        def read(line: str) -> str:
            if line.strip().lower() in answers:
                return line.strip().lower()
            raise BadAnswerError(f"'{line}' is not an answer; type {', '.join(answers)}.")

        return await self._console.ask(text, read)
