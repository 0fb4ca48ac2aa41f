"""One floor service with its page, from its start to its end."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from config.errors import ConfigErrors
from controller.cli.errors import BadInputError, as_sentence, print_error
from controller.cli.runs.stop_signals import StopSignals
from controller.floor.broker import Broker, BrokerError, TlsFiles, broker_of
from controller.floor.certificates.authority import watch_certificate
from controller.floor.messages import TopicError
from controller.floor.page.app import floor_app
from controller.floor.page.floor_audit import FloorAudit, record_table_changes
from controller.floor.page.room_feed import RoomPlan, load_plan
from controller.floor.server.floor_service import FloorOptions, FloorService
from controller.floor.store.engine import StoreSettingsError, StoreVersionError, database_url
from controller.floor.store.floor_store import FloorStore
from controller.records.audit.errors import AuditError
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.notes import COSIGNATURE, SigningKey, new_key, read_key
from controller.records.data_folder import AUDIT_FOLDER, DataFolderInUseError, locked_data_folder
from controller.run.journal.writer_threads import WriterThreads
from controller.service.runs.service_notices import ServiceNotices
from controller.web.api.accounts.accounts import Accounts, open_accounts
from controller.web.api.accounts.store import AccountsFileError
from controller.web.api.server.listen_address import ListenError, listen_address, require_tls
from controller.web.api.server.serving import SWITCH, listening

KEY_FILE = "requests.key"
"""The key that signs requests, in the data folder."""
WITNESS_FILE = "witness.key"
"""The key that cosigns the heads of the tables' audit logs, in the data folder."""


@dataclass(frozen=True)
class FloorJob:
    """The options of `wallwright floor serve`."""

    floor: str
    broker: Broker
    data: Path
    database: str | None
    listen: str
    page_cert: Path | None
    page_key: Path | None
    instances: str | None
    months: int | None
    plan: RoomPlan
    host_names: frozenset[str] = frozenset()

    @property
    def url(self) -> str:
        """The URL of the database."""
        return self.database or f"sqlite:///{self.data / 'floor.db'}"


def broker_named(text: str, ca: Path | None, cert: Path | None, key: Path | None) -> Broker:
    """The broker of `--broker`, with all three files of TLS or none. Raises BadInputError."""
    tls = None
    if ca is not None and cert is not None and key is not None:
        tls = TlsFiles(ca, cert, key)
    try:
        return broker_of(text, tls)
    except BrokerError as error:
        raise BadInputError(str(error)) from error


def room_in(plan: Path | None) -> RoomPlan:
    """The places of the tables in a file; none without a file. Raises BadInputError."""
    try:
        return RoomPlan() if plan is None else load_plan(plan)
    except ConfigErrors as error:
        raise BadInputError(str(error)) from error


def floor_job(job: FloorJob) -> int:
    """Serve until a stop signal; returns the exit code. Raises BadInputError."""
    switch = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        options = usable_options(job)
        with _data_folder(job.data), _printed_log():
            return asyncio.run(_serve(job, options))
    except (
        AccountsFileError,
        ListenError,
        TopicError,
        AuditError,
        BrokerError,
        DataFolderInUseError,
        StoreSettingsError,
        StoreVersionError,
        OSError,
    ) as error:
        raise BadInputError(as_sentence(error)) from error
    finally:
        sys.setswitchinterval(switch)


def usable_options(job: FloorJob) -> FloorOptions:
    """Check all options before anything is made. Raises the errors that `floor_job` reports."""
    options = FloorOptions(job.floor, job.broker, job.instances, job.months)
    database_url(job.url)
    require_tls(listen_address(job.listen), job.page_cert, job.page_key)
    if job.broker.tls is not None:
        job.broker.tls.context()
    return options


async def _serve(job: FloorJob, options: FloorOptions) -> int:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    signals = StopSignals(loop, stop.set)
    notices = ServiceNotices()
    key = floor_key(job.data, job.floor)
    witness_key = floor_witness_key(job.data, job.floor)
    service = FloorService(options, FloorStore(job.url), key, witness_key)
    stopped = loop.create_task(_wait(stop))
    async with (
        service.running() as ended,
        _accounts(job.data) as accounts,
        _audit(job) as audit,
        floor_app(service, accounts, job.plan, record=audit.take) as app,
        listening(app, job.listen, job.page_cert, job.page_key, names=job.host_names) as url,
    ):
        watchers = [
            loop.create_task(notices.keep_alive(1.0)),
            loop.create_task(record_table_changes(service, audit)),
        ]
        if job.broker.tls is not None:
            watchers.append(loop.create_task(watch_certificate(job.broker.tls.cert, print_error)))
        print(f"The page of the floor {job.floor}: {url}", flush=True)
        first_start = accounts.issue_first_start()
        if first_start is not None:
            print(f"Set up the first technician: {url}#first-start={first_start}", flush=True)
        print(f"Requests to tables are signed with the key {key.public}", flush=True)
        print(f"Audit logs of tables are witnessed with the key {witness_key.public}", flush=True)
        notices.send("READY=1")
        await asyncio.wait({stopped, ended}, return_when=asyncio.FIRST_COMPLETED)
        notices.send("STOPPING=1")
        for task in (*watchers, stopped):
            task.cancel()
        if ended.done():
            ended.result()
        ended.cancel()
    assert signals.exit_code is not None
    return 0


async def _wait(event: asyncio.Event) -> None:
    await event.wait()


@asynccontextmanager
async def _accounts(data: Path) -> AsyncIterator[Accounts]:
    accounts = await open_accounts(data)
    try:
        yield accounts
    finally:
        await accounts.close()


@asynccontextmanager
async def _audit(job: FloorJob) -> AsyncIterator[FloorAudit]:
    """The log of the people's requests, in the data folder. Raises AuditError."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    audit = FloorAudit(
        LogFolder(job.data / AUDIT_FOLDER),
        job.floor,
        lambda: loop.time() - begun,
        WriterThreads(loop, 1),
    )
    audit.begin(metadata.version("wallwright"))
    try:
        yield audit
    finally:
        audit.close()


def floor_key(data: Path, floor: str) -> SigningKey:
    """The key that signs requests; made at the first start. Raises AuditError."""
    path = data / KEY_FILE
    return read_key(path) if path.exists() else new_key(path, f"floor-{floor}")


def floor_witness_key(data: Path, floor: str) -> SigningKey:
    """The key that cosigns heads of audit logs; made at the first start. Raises AuditError."""
    path = data / WITNESS_FILE
    if path.exists():
        return read_key(path)
    return new_key(path, f"floor-{floor}/witness", COSIGNATURE)


@contextmanager
def _data_folder(data: Path) -> Iterator[None]:
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    with locked_data_folder(data):
        yield


class _Printed(logging.Handler):
    """Prints each record as one line of standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        print_error(record.getMessage())


@contextmanager
def _printed_log() -> Iterator[None]:
    """Print the records of the floor while the block runs."""
    logger, handler = logging.getLogger("wallwright.floor"), _Printed(logging.WARNING)
    is_passed_on, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = is_passed_on
