"""Runs the trials of a self-test: announces each one, carries it out, asks, and judges it.

The report of a self-test is JSON for programs and a page of Markdown for people. The trials of
sensors, which the person operates by hand while no part moves, are at the end of this file;
`outputs` has the trials of motors, axes and outputs.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from functools import partial

from config.schema import SensorChannel, Table, TileSize
from controller.run.faults.failures import TableFault
from controller.run.faults.retry import FaultHandler
from controller.run.pausing.leases import BoardSupply, supplies
from controller.upkeep.selftest.outputs import (
    axes,
    chain,
    magazine,
    relays,
    shown,
    travellers,
    turning,
)
from controller.upkeep.selftest.trial import (
    PATIENCE,
    DisagreementError,
    Result,
    TableUnderTest,
    Trial,
    TrialAnswer,
    TrialVerdict,
    Watcher,
    named_channels,
)
from firmware_bridge.board import Board, BoardFault, FaultCode
from firmware_bridge.wire.errors import BoardError


def dice(subject: TableUnderTest) -> Iterator[Trial]:
    """The trial of the dice unit: one throw, in which every die must show a face."""
    module = subject.table.modules.dice
    if module:
        yield Trial(
            "dice",
            module.unit,
            (module.unit,),
            "Watch the dome: the dice unit throws the dice.",
            f"a throw of {module.dice} dice",
            partial(_throw, subject, module.unit, module.dice),
            "Did this happen, and do the dice lie flat?",
            (module.unit,),
        )


async def _throw(subject: TableUnderTest, unit: str, number: int) -> str:
    """Throw the dice once; returns the evidence."""
    faces = (await subject.board(unit).throw(unit, number))[:number]
    if not all(1 <= face <= 6 for face in faces):
        raise DisagreementError(f"the unit read {' '.join(map(str, faces))}")
    return f"the dice show {' '.join(map(str, faces))}"


def reader(subject: TableUnderTest) -> Iterator[Trial]:
    """The trial of the tile reader: one scan, which must be answered, with a tag or without."""
    module = subject.table.modules.reader
    if module:
        yield Trial(
            "reader",
            module.unit,
            (module.unit,),
            "Hold a tile before the reader, or none; it is read once.",
            "one scan",
            partial(_scan, subject, module.unit),
        )


async def _scan(subject: TableUnderTest, unit: str) -> str:
    """Scan once; returns the evidence."""
    tag = await subject.board(unit).scan(unit)
    return "the reader found no tag" if tag is None else f"the reader found the tag {tag:016X}"


def trials(subject: TableUnderTest) -> Iterator[Trial]:
    """All trials of a table. The emergency stop comes first, before any part moves."""
    yield from stops(subject)
    yield from by_hand(subject)
    yield from relays(subject)
    yield from shown(subject)
    yield from axes(subject)
    yield from travellers(subject)
    yield from chain(subject)
    yield from magazine(subject)
    yield from turning(subject)
    yield from dice(subject)
    yield from reader(subject)
    yield from measured(subject)


class TableSelfTest:
    """The self-test of one table. `boards` are open; `report` is called with each result.

    `supply` are the supplies of boards with a relay or signal lamps; without them, supplies are
    created for the table.
    """

    def __init__(
        self,
        table: Table,
        tile: TileSize,
        boards: Mapping[str, Board],
        watcher: Watcher,
        report: Callable[[Result], None],
        supply: Mapping[str, BoardSupply] | None = None,
    ) -> None:
        self._subject = TableUnderTest(table, tile, boards, watcher)
        self._report = report
        self._supplies = supplies(table, boards, FaultHandler()) if supply is None else supply

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that have trials, in the order of the trials."""
        return tuple(dict.fromkeys(trial.part for trial in trials(self._subject)))

    def trials_of(self, part: str | None = None) -> list[Trial]:
        """The trials of one part, or of every part."""
        return [trial for trial in trials(self._subject) if part in (None, trial.part)]

    async def run(self, part: str | None = None) -> None:
        """Run the trials of one part, or all. All motion is stopped at the end, also on errors."""
        try:
            for trial in self.trials_of(part):
                self._report(await self._run_trial(trial))
        finally:
            for board in self._subject.boards.values():
                board.stop_all()

    async def _run_trial(self, trial: Trial) -> Result:
        """Run one trial. The person is asked even if the sensors show a failure."""
        watcher = self._subject.watcher
        if not await watcher.begin(trial.please, trial.channels):
            return trial.result("", TrialAnswer.SKIP, TrialVerdict.SKIPPED)
        seen, is_confirmed = await self._evidence(trial)
        answer = None
        if trial.question:
            answer = await watcher.confirm(trial.question, trial.channels)
        return trial.result(seen, answer, _verdict(is_confirmed, answer))

    async def _evidence(self, trial: Trial) -> tuple[str, bool]:
        """Carry out a trial; returns its evidence and whether the sensors confirm the effect."""
        try:
            async with self._leased(trial.moves):
                return await trial.do(), True
        except (DisagreementError, BoardError, TableFault) as error:
            await self._clear()
            return str(error).rstrip("."), False

    @asynccontextmanager
    async def _leased(self, channels: tuple[str, ...]) -> AsyncIterator[None]:
        """Hold the leases of these channels' boards, with power on the motors, within a block."""
        names = dict.fromkeys(self._subject.table.board_of(channel) for channel in channels)
        held = [self._supplies.get(name) or self._subject.boards[name] for name in names]
        taken = []
        try:
            for lessor in held:
                await lessor.hold_lease()
                taken.append(lessor)
            yield
        finally:
            for lessor in taken:
                with suppress(BoardError):
                    await lessor.release_lease()

    async def _clear(self) -> None:
        """Clear faults that a trial has latched, so that the next trial can run."""
        for board in self._subject.boards.values():
            with suppress(BoardError):
                await board.clear()


def _verdict(is_confirmed: bool, answer: TrialAnswer | None) -> TrialVerdict:
    """Failed if the sensors or the person deny the effect; a skipped question is not a pass."""
    if not is_confirmed or answer is TrialAnswer.NO:
        return TrialVerdict.FAILED
    return TrialVerdict.SKIPPED if answer is TrialAnswer.SKIP else TrialVerdict.PASSED


@dataclass
class SelfTestReport:
    """One self-test of one table. `boards` has serial number and build of each board, by name."""

    table: str
    started: str
    simulated: bool
    boards: Mapping[str, str] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    ended: str = "interrupted"
    """How the self-test ended: "interrupted" or "completed"."""

    @property
    def counts(self) -> dict[str, int]:
        """Number of trials by verdict."""
        counted = Counter(result.verdict for result in self.results)
        return {verdict.value: counted[verdict] for verdict in TrialVerdict}

    @property
    def failed(self) -> Sequence[Result]:
        """The trials that failed."""
        return [result for result in self.results if result.verdict is TrialVerdict.FAILED]

    def as_json(self) -> str:
        """The report as JSON text."""
        values = {
            "table": self.table,
            "started": self.started,
            "simulated": self.simulated,
            "boards": dict(self.boards),
            "ended": self.ended,
            "counts": self.counts,
            "trials": [result.facts() for result in self.results],
        }
        return json.dumps(values, indent=2) + "\n"

    def as_page(self) -> str:
        """The report as a page of Markdown, failed trials first."""
        counted = ", ".join(f"{number} {verdict}" for verdict, number in self.counts.items())
        kind = "a simulated table" if self.simulated else "a real table"
        lines = [
            f"# Self-test of {self.table}",
            "",
            f"Begun {self.started}, on {kind}; {self.ended}. {counted[:1].upper()}{counted[1:]}.",
            "",
            *(f"- Board {name}: {identity}" for name, identity in self.boards.items()),
            *([""] if self.boards else []),
        ]
        if self.failed:
            lines += ["## Failed trials", "", *_rows(self.failed), ""]
        return "\n".join([*lines, "## All trials", "", *_rows(self.results), ""])


def _rows(results: Iterable[Result]) -> list[str]:
    """The lines of a table of trials."""
    head = ["| part | what | ordered | sensors | person | verdict |", "|---|---|---|---|---|---|"]
    cells = (
        (r.part, r.what, r.ordered, r.seen or "-", r.answer or "-", r.verdict.value)
        for r in results
    )
    return [*head, *(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in cells)]


def stops(subject: TableUnderTest) -> Iterator[Trial]:
    """Trials of every emergency button: its board must stop, and accept Clear after the release."""
    for sensor in subject.table.modules.emergency:
        yield Trial(
            "emergency stop",
            "button",
            (sensor,),
            f"Press the emergency stop when you are asked ({sensor}); no part moves.",
            "nothing",
            partial(_stops_its_board, subject, sensor),
        )


async def _stops_its_board(subject: TableUnderTest, sensor: str) -> str:
    """Have an emergency button pressed and released, then clear the board."""
    board = subject.board(sensor)
    with closing(board.faults) as faults:
        await subject.ask("Press the emergency stop.", sensor, True)
        try:
            async with asyncio.timeout(PATIENCE):
                while not (
                    isinstance(fault := await anext(faults), BoardFault)
                    and fault.code is FaultCode.EMERGENCY_STOP
                ):
                    pass
        except TimeoutError:
            raise DisagreementError(
                f"{sensor} became active, and board {board.name} did not stop"
            ) from None
    await subject.ask("Release the emergency stop.", sensor, False)
    await board.clear()
    return f"board {fault.board} stopped at {sensor}, and was cleared after its release"


def by_hand(subject: TableUnderTest) -> Iterator[Trial]:
    """Trials of every sensor that no other trial covers; the person makes it active by hand."""
    covered = {*subject.table.modules.emergency, *subject.own_sensors()}
    for channel, part, role in named_channels(subject.table):
        config = subject.table.channel(channel)
        if channel in covered or not isinstance(config, SensorChannel):
            continue
        yield Trial(
            part,
            role,
            (channel,),
            f"Cover {role} of {part} when you are asked ({channel}); no part moves.",
            "nothing",
            partial(_follows, subject, channel, f"{role} of {part}"),
        )


async def _follows(subject: TableUnderTest, sensor: str, name: str) -> str:
    """Have a sensor made active and inactive again; returns the evidence."""
    board = subject.board(sensor)
    before = await board.count(sensor)
    await subject.ask(f"Cover or press {name}, and hold it.", sensor, True)
    await subject.ask(f"Free {name} again.", sensor, False)
    counted = await board.count(sensor) - before
    return f"{sensor} became active and inactive again; its count rose by {counted}"


def measured(subject: TableUnderTest) -> Iterator[Trial]:
    """Trials of every analogue input: the board must answer one reading with a value."""
    for channel, part, role in named_channels(subject.table):
        if subject.table.channel(channel).kind == "analog":
            yield Trial(
                part,
                role,
                (channel,),
                f"{role} of {part} is read ({channel}); no part moves.",
                "one reading",
                partial(_measure, subject, channel),
            )


async def _measure(subject: TableUnderTest, channel: str) -> str:
    """The reading of an analogue input as text."""
    return f"{await subject.board(channel).read(channel)} mV"
