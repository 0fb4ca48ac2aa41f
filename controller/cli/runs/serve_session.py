"""One service of a table with its API and its panel, from its start to its end."""

from __future__ import annotations

import asyncio
import gc
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    closing,
    contextmanager,
    nullcontext,
    suppress,
)
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from config.schema import Table
from controller.casino.gat.frames import GatPortError
from controller.cli.errors import BadInputError, as_sentence, print_error
from controller.cli.options.lookup import table_named
from controller.cli.runs.signed_tables import require_signed_program
from controller.cli.runs.stop_signals import StopSignals
from controller.cli.terminal.screen import screen
from controller.events import EventName
from controller.records.audit.errors import AuditError
from controller.records.audit.log.log_folder import LogFolder
from controller.records.data_folder import AUDIT_FOLDER, DataFolderInUseError, locked_data_folder
from controller.records.identity.boot import PROGRAM, software_identity, trust_folder
from controller.records.identity.periodic_check import periodic_check
from controller.run.journal.writer_threads import WriterThreads
from controller.service.evening.evening_store import EveningStore, StoreError
from controller.service.evening.store_thread import StoreWorker
from controller.service.runs.openers import SimulatedTable, TableOnLines
from controller.service.runs.service_notices import ServiceNotices
from controller.service.settings import ServiceSettings
from controller.service.status import GameChoice, TableFacts
from controller.service.table_service import ClientPort, TableService
from controller.upkeep.update.slots import UpdateError, lock_of
from controller.web.api.accounts.store import AccountsFileError
from controller.web.api.server.listen_address import ListenError
from controller.web.api.server.serving import ServedApi, serve_api
from controller.web.panel.pages import panel_app
from firmware_bridge.sim.clock import VirtualLoop
from firmware_bridge.sim.host_computer import SlowDisk

if TYPE_CHECKING:
    from rich.console import Console

    from controller.events import Event, Listener
    from controller.floor.settings import FloorSettings
    from controller.records.audit.log.recorder import AuditRecorder
    from controller.run.journal.storage import Storage
    from firmware_bridge.commissioning.device_keys import DeviceKeys
    from firmware_bridge.sim.faults.injected_fault import InjectedFault

SEATS = 8
"""Largest number of seats that a table has."""
COMMAND_LINE = "command line"
"""The source of an event that an option of the command has caused."""
OPEN_AUDIT_AFTER = 1.0
"""Seconds before the audit log is opened: the imports for it would delay the first answer."""


@dataclass(frozen=True)
class ServeJob:
    """The options of `wallwright serve`. `pace` is the factor of real time of a simulated table."""

    table_name: str
    table: Table
    game: str | None
    until_ready: bool
    listen: str
    data: Path | None
    journal_copy: Path | None
    pace: float
    seed: int
    automatic: bool
    ports: dict[str, str]
    keys: DeviceKeys | None
    injected_faults: tuple[InjectedFault, ...]
    cert: Path | None
    key: Path | None
    proxies: frozenset[str] = frozenset()
    """Addresses of proxies whose `X-Forwarded-For` counts."""
    host_names: frozenset[str] = frozenset()
    """Further names by which people open the page: see `KnownNames`."""
    nameplate: tuple[str, str, str] = ("", "", "")
    """Maker, model and serial number for receipts."""
    table_file: Path | None = None
    """The table's own file; None for a table of the program."""
    floor: FloorSettings | None = None
    """How the table joins a floor; None if it belongs to none."""
    gat: str | None = None
    """The serial port of a Game Authentication Terminal."""
    listener: Listener | None = None
    """Gets every event of the table, such as for traces of rounds."""


def serve_job(job: ServeJob) -> int:
    """Serve until a stop signal, or until the first round is ready; returns the exit code."""
    loop_factory = asyncio.SelectorEventLoop if job.ports else partial(VirtualLoop, job.pace)
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        try:
            return runner.run(_serve(job))
        except (
            ListenError,
            AccountsFileError,
            DataFolderInUseError,
            StoreError,
            UpdateError,
            OSError,
        ) as error:
            raise BadInputError(as_sentence(error)) from error


async def _serve(job: ServeJob) -> int:
    loop = asyncio.get_running_loop()
    notices = ServiceNotices()
    with _data_folder(job.data) as folder:
        async with open_service(job, folder) as service:
            # A terminal that is closed stops the service; a supervisor's SIGHUP reads the file.
            by_supervisor = not sys.stdin.isatty()
            service.sessions.session_lock = lock_of(PROGRAM)
            reload = partial(service.reload, partial(table_named, job.table_name))
            StopSignals(loop, service.stop, reload if by_supervisor else None)
            port = ClientPort(service)
            async with (
                serve_api(
                    port,
                    folder,
                    job.listen,
                    job.cert,
                    job.key,
                    panel_app(),
                    table=job.table,
                    pace=job.pace,
                    is_open=lambda: service.runs.gate.is_open,
                    proxies=job.proxies,
                    names=job.host_names,
                ) as served,
                _on_floor(job, port, service.report),
            ):
                watchdog = loop.create_task(notices.keep_alive(job.pace))
                notices.show(service.feed.status)
                service.feed.follow(lambda _: notices.show(service.feed.status))
                checks = [*_start_checks(service, job.pace), *_start_gat(service, job)]
                title = f"The table {job.table.name}"
                with _shown_at_a_terminal(title, service):
                    if job.listener is not None:
                        service.listen(job.listener)
                    if job.until_ready:
                        service.listen(FirstRound(service, screen()).on_event)
                    service.runs.gate.when_open(partial(_announce, job, served, notices))
                    await service.serve(partial(begin_first, service, job.game))
                notices.send("STOPPING=1")
                watchdog.cancel()
                for check in checks:
                    check.cancel()
            fault = service.feed.status.fault
            if fault is not None and job.until_ready:
                print_error(f"{fault.code} at {fault.part}: {fault.evidence}. {fault.cure}")
                return 1
    return 0


@contextmanager
def _shown_at_a_terminal(title: str, service: TableService) -> Iterator[None]:
    """Within the block, show the events at a terminal.

    A service of the system has no terminal, and does not load the packages that draw on one.
    """
    if not sys.stdout.isatty():
        yield
        return
    from controller.cli.terminal.live_view import LiveView

    with LiveView(screen(), title, clock=service.clock, in_words=service.sessions.in_words) as view:
        service.listen(view.on_event)
        yield


async def begin_first(service: TableService, game: str | None) -> None:
    """Begin a session of the game that the command line names, as a person would.

    If an earlier start left a session, that session is continued instead. The event is on disk
    before the session begins; a log that cannot be written is a fault already, and then none
    begins.
    """
    if game is None or service.book is not None or service.state.out_of_play is not None:
        return
    choice = GameChoice(game=game)
    arguments = {"choice": choice.model_dump(mode="json")}
    facts = {"command": "start_session", "arguments": arguments}
    with suppress(AuditError):
        await service.audit.record_first("command", facts, who="", role="", source=COMMAND_LINE)
        service.runs.begin_session(service.run.plan(choice), {})


def _on_floor(
    job: ServeJob, port: ClientPort, report: Callable[[str], None]
) -> AbstractAsyncContextManager[None]:
    """Publish the table to its floor while the context is open, if it belongs to one."""
    if job.floor is None:
        return nullcontext()
    from controller.cli.runs.floor_link import published

    return published(job.floor, port, job.pace, report)


def _start_checks(service: TableService, pace: float) -> Iterator[asyncio.Task[None]]:
    """Check the program at intervals, if it is signed; a changed file locks the table."""
    folder = trust_folder()
    if folder is None:
        return
    check = periodic_check(folder, software_identity(folder), service.lock_table, pace)
    yield asyncio.get_running_loop().create_task(check.run())


def _start_gat(service: TableService, job: ServeJob) -> Iterator[asyncio.Task[None]]:
    """Answer a Game Authentication Terminal, if the job has a port for it.

    Each calculation is recorded in the audit log. Raises BadInputError if the port is not there.
    """
    if job.gat is None:
        return
    from controller.cli.runs.gat_session import gat_port

    def record(what: str, facts: dict[str, object]) -> None:
        service.audit.record(f"gat_{what}", facts, source=str(job.gat))

    try:
        port = gat_port(job.gat, require_signed_program(), record, job.pace)
    except GatPortError as error:
        raise BadInputError(as_sentence(error)) from error
    yield asyncio.get_running_loop().create_task(port.run())


class FirstRound:
    """Prints the page of the first round when it is ready; without a terminal the service stops."""

    def __init__(self, service: TableService, console: Console) -> None:
        self._service = service
        self._console = console
        self._begun = time.perf_counter()
        self._is_shown = False

    def on_event(self, event: Event) -> None:
        """Take an event of the table."""
        daemon = self._service.daemon
        if event["event"] != EventName.READY or self._is_shown or daemon is None:
            return
        from controller.cli.output.result_pages import summary_page

        self._is_shown = True
        summary = daemon.summary(time.perf_counter() - self._begun)
        # The round counts as played, as with `run --until ready`.
        summary_page(self._console, daemon, {**summary, "rounds": 1})
        if not sys.stdout.isatty():
            self._service.stop()


def _announce(job: ServeJob, served: ServedApi, notices: ServiceNotices) -> None:
    """Print the address of the panel; requests are not answered before that.

    The garbage collector leaves out all objects of the start from here on. With them, a full
    collection in any thread stopped the event loop for up to 48 ms, and so the renewal of leases.
    """
    gc.freeze()
    notices.send("READY=1")
    print(f"The panel of the table {job.table.name}: {served}", flush=True)
    if served.first_start is not None:
        print(f"First start; set a name and a password here: {served.first_start}", flush=True)


@contextmanager
def _data_folder(data: Path | None) -> Iterator[Path]:
    """The data folder, which no other service may use; a temporary one if none is given."""
    if data is not None:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked_data_folder(data):
            yield data
        return
    with tempfile.TemporaryDirectory(prefix="wallwright-") as folder:
        yield Path(folder)


@asynccontextmanager
async def open_service(job: ServeJob, folder: Path) -> AsyncIterator[TableService]:
    """The service on its store; closed at the end."""
    loop = asyncio.get_running_loop()
    store = EveningStore(folder / "evening.db")
    worker = StoreWorker(store, job.pace)

    def storage() -> Storage:
        return WriterThreads(loop) if job.ports else SlowDisk()

    def recorder(clock: Callable[[], float], changed: Callable[[], None]) -> AuditRecorder:
        from controller.records.audit.log.recorder import AuditRecorder, RecorderClocks

        place = LogFolder(folder / AUDIT_FOLDER)
        name = job.table.name
        return AuditRecorder(
            place,
            name,
            RecorderClocks(clock, job.pace),
            WriterThreads(loop, 1),
            changed=changed,
            # A session that begins at once waits for the log.
            open_after=OPEN_AUDIT_AFTER if job.game is None else 0.0,
            journal=(folder / "table.journal", job.journal_copy),
        )

    opener = (
        TableOnLines(job.table, job.ports, job.keys)
        if job.ports
        else SimulatedTable(job.table, job.seed, job.injected_faults)
    )
    facts = TableFacts(
        name=job.table.name,
        seats=SEATS,
        simulated=not job.ports,
        software=metadata.version("wallwright"),
        identity=software_identity(),
    )
    with closing(worker):
        service = TableService(
            job.table,
            facts,
            opener,
            store,
            worker,
            ServiceSettings(
                storage=storage,
                journal=folder / "table.journal" if job.ports or job.data else None,
                journal_copy=job.journal_copy,
                ports=job.ports,
                seed=job.seed,
                automatic=job.automatic,
                table_file=job.table_file,
                pace=job.pace,
                recorder=recorder,
                nameplate=job.nameplate,
            ),
        )
        with closing(service):
            yield service
