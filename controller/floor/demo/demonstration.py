"""Runs a whole floor on this computer until it is stopped, and compares it with its tables."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from controller.floor.demo.child import Child, ChildCommand, DemoError, wait_until
from controller.floor.demo.comparison import (
    FigureComparison,
    LogComparison,
    compare_figures,
    compare_logs,
)
from controller.floor.demo.preparation import (
    FLOOR,
    HOST,
    SERVER,
    DemoDatabase,
    DemoFolder,
    DemoTable,
    demo_tables,
    free_port,
    prepare_database,
    wait_for_database,
)
from controller.floor.messages import TableAddress

SOONEST, LATEST = 15.0, 45.0
"""Seconds between two kills (our choice)."""
OTHERS = 0.2
"""Share of the kills that hit the broker or the floor service instead of a table."""
FAULTS = ("jam:head0:0.002", "dirty_sensor:head0:0.002")
"""Faults that every table gets: each shipped table has the part."""


async def kill_at_random(
    tables: Sequence[Child], others: Sequence[Child], chance: Random, report: Callable[[str], None]
) -> None:
    """Kill one process after another until cancelled."""
    while True:
        await asyncio.sleep(chance.uniform(SOONEST, LATEST))
        group = others if others and chance.random() < OTHERS else tables
        child = chance.choice(group)
        if child.kill():
            report(f"The {child.command.name} was killed.")


WALLWRIGHT = (sys.executable, "-m", "controller.cli")
REFUSAL = 2
"""The exit code of a command that refuses its options."""
APART = 0.5
"""Seconds between the starts of two tables."""
SERVES = re.compile(r"^Audit logs of tables are witnessed", re.MULTILINE)
"""The last line that the floor service prints when it serves."""
PRINTED = re.compile(r"^(?!Requests to tables|Audit logs of tables).+$", re.MULTILINE)
"""Lines of the floor service that the demonstration prints: the page's address and the login."""


@dataclass(frozen=True)
class DemoOptions:
    """Options of a demonstration. `minutes` None: until a stop signal; `speed`: of real time."""

    folder: Path
    tables: int = 12
    speed: str = "10"
    minutes: float | None = None
    listen: str = "127.0.0.1:8081"
    database: str | None = None
    has_chaos: bool = False
    faults: tuple[str, ...] = ()
    seed: int = 0
    is_checked: bool = False


@dataclass(frozen=True)
class DemoResult:
    """The result: starts and kills of all processes, and the comparisons of each table."""

    starts: int
    kills: int
    comparisons: tuple[LogComparison | FigureComparison, ...]


class Demonstration:
    """One run. `report` gets sentences for the terminal. Raises DemoError."""

    def __init__(self, options: DemoOptions, report: Callable[[str], None]) -> None:
        self._options, self._report = options, report
        self._folder = DemoFolder(options.folder)
        self._tables = tuple(demo_tables(options.tables))
        self._children: list[Child] = []
        self._runs: list[asyncio.Task[None]] = []

    async def run(self, stop: asyncio.Event) -> DemoResult:
        """Start everything, wait for `stop` or the end of the time, and stop everything."""
        mosquitto = _mosquitto()
        port = free_port()
        self._folder.prepare(self._tables, port)
        database = await prepare_database(self._folder.path, free_port(), self._options.database)
        self._report(database.sentence)
        comparisons: list[LogComparison | FigureComparison] = []
        async with self._stopped_in_order():
            await self._start_database(database)
            broker = await self._start_broker(mosquitto, port)
            service = await self._start_service(database, port)
            tables = await self._start_tables(stop)
            await self._wait(stop, tables, (broker, service))
            if self._options.is_checked:
                comparisons = await self._compare(database.url, tables)
        return DemoResult(
            sum(child.starts for child in self._children),
            sum(child.kills for child in self._children),
            tuple(comparisons),
        )

    async def _compare(
        self, url: str, tables: list[Child]
    ) -> list[LogComparison | FigureComparison]:
        """Compare the logs while the tables run, and the figures after they were stopped."""
        data = {TableAddress(FLOOR, each.name): self._folder.data(each) for each in self._tables}
        self._report("Comparing the tables' audit logs with the database.")
        logs = {address: folder / "audit/events.jsonl" for address, folder in data.items()}
        compared = await compare_logs(url, logs)
        await asyncio.gather(*(child.stop() for child in tables))
        journals = {address: folder / "table.journal" for address, folder in data.items()}
        return [*compared, *compare_figures(url, journals)]

    @asynccontextmanager
    async def _stopped_in_order(self) -> AsyncIterator[None]:
        """At the end, stop the tables together, then each other process, the last one first."""
        try:
            yield
        finally:
            self._report("Stopping.")
            tables = {f"table {table.name}" for table in self._tables}
            served = [child for child in self._children if child.command.name in tables]
            await asyncio.gather(*(child.stop() for child in served))
            for child in reversed([each for each in self._children if each not in served]):
                await child.stop()
            await asyncio.gather(*self._runs, return_exceptions=True)

    async def _start_database(self, database: DemoDatabase) -> None:
        if database.server is not None:
            self._start(database.server)
            await wait_for_database(database, self._raise_failure)

    async def _start_broker(self, mosquitto: str, port: int) -> Child:
        words = (mosquitto, "-c", str(self._folder.broker / "mosquitto.conf"))
        child = self._start(self._command("broker", words))

        async def listens() -> bool:
            self._raise_failure()
            return await _listens(port)

        await wait_until(listens, child.command, "listen")
        return child

    async def _start_service(self, database: DemoDatabase, port: int) -> Child:
        ca, cert, key = map(str, self._folder.certificate(SERVER))
        words = (
            *(*WALLWRIGHT, "floor", "serve", "--floor", FLOOR, "--broker", f"{HOST}:{port}"),
            *("--data", str(self._folder.floor_data), "--database", database.url),
            *("--ca", ca, "--cert", cert, "--key", key, "--plan", str(self._folder.plan)),
            *("--listen", _fixed(self._options.listen)),
        )
        command = self._command("floor service", words, REFUSAL)
        command.log.unlink(missing_ok=True)
        child = self._start(command)

        async def serves() -> bool:
            self._raise_failure()
            return SERVES.search(_text(command.log)) is not None

        await wait_until(serves, command, "serve")
        for line in PRINTED.finditer(_text(command.log)):
            self._report(line[0])
        return child

    async def _start_tables(self, stop: asyncio.Event) -> list[Child]:
        started = []
        for table in self._tables:
            if stop.is_set():
                break
            started.append(
                self._start(self._command(f"table {table.name}", self._table_words(table), REFUSAL))
            )
            await asyncio.sleep(APART)
        self._report(
            f"{len(started)} tables run at speed {self._options.speed}; their messages are in"
            f" {self._folder.logs}."
        )
        return started

    def _table_words(self, table: DemoTable) -> tuple[str, ...]:
        faults = (*self._options.faults, *(FAULTS if self._options.has_chaos else ()))
        return (
            *(*WALLWRIGHT, "serve", "--sim", self._options.speed, "--automatic"),
            *("--table", table.table, "--game", table.game, "--listen", "127.0.0.1:0"),
            *("--seed", str(self._options.seed + table.number)),
            *("--data", str(self._folder.data(table))),
            *("--floor", str(self._folder.settings(table))),
            *(word for fault in faults for word in ("--fault", fault)),
        )

    async def _wait(
        self, stop: asyncio.Event, tables: list[Child], others: tuple[Child, ...]
    ) -> None:
        """Wait for the stop signal or the end of the time. Raises the DemoError of a process."""
        minutes = self._options.minutes
        waits = [asyncio.create_task(_waited(stop))]
        if minutes is not None:
            waits.append(asyncio.create_task(asyncio.sleep(60 * minutes)))
        if self._options.has_chaos:
            killing = kill_at_random(tables, others, Random(self._options.seed), self._report)
            waits.append(asyncio.create_task(killing))
        try:
            await asyncio.wait({*waits, *self._runs}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
        self._raise_failure()

    def _raise_failure(self) -> None:
        """Raise the DemoError of a process that was given up, if there is one."""
        for run in self._runs:
            if run.done():
                run.result()

    def _command(
        self, name: str, words: tuple[str, ...], refusal: int | None = None
    ) -> ChildCommand:
        log = self._folder.logs / f"{name.replace(' ', '-')}.log"
        return ChildCommand(name, words, log, self._folder.path, refusal=refusal)

    def _start(self, command: ChildCommand) -> Child:
        child = Child(command, self._report)
        self._children.append(child)
        self._runs.append(asyncio.create_task(child.run()))
        return child


def _mosquitto() -> str:
    """The path of mosquitto; Debian keeps it out of the PATH of users. Raises DemoError."""
    found = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
    if found is None:
        raise DemoError("mosquitto is not installed; on Debian: sudo apt install mosquitto.")
    return found


def _fixed(listen: str) -> str:
    """The address with a free port for port 0, so that it stays the same after a restart."""
    host, colon, port = listen.rpartition(":")
    return f"{host}:{free_port()}" if colon and port == "0" else listen


async def _listens(port: int) -> bool:
    with suppress(OSError):
        _, writer = await asyncio.open_connection(HOST, port)
        writer.close()
        return True
    return False


def _text(file: Path) -> str:
    return file.read_text("utf-8", "replace") if file.exists() else ""


async def _waited(event: asyncio.Event) -> None:
    await event.wait()
