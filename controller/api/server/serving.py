"""Serves the API in the running event loop, for as long as a block runs."""

from __future__ import annotations

import asyncio
import socket
import ssl
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from config.schema import Table
from controller.api.accounts.accounts import open_accounts, utc_seconds
from controller.api.accounts.passwords import Passwords
from controller.api.app import create_app
from controller.api.server.listen_address import (
    ListenAddress,
    ListenError,
    bound_socket,
    listen_address,
    require_tls,
)
from controller.api.server.starting_answer import StartingAnswer
from controller.api.server.stream_protocol import StreamProtocol
from controller.api.stream.hub import StreamHub
from controller.api.worker_thread import WorkerThread
from controller.metrics.table_metrics import TableMetrics
from controller.service.port import ServicePort

CONNECTIONS = 512
"""Connections at the same time; a further request is answered with 503."""
LARGEST_MESSAGE = 4096
"""Largest WebSocket message from a client, bytes."""
SWITCH = 0.0005
"""Seconds after which a worker thread gives the interpreter to the event loop. Python's own value
is 0.005, and the loop can wait for two threads in a row."""
ACCEPTING = 5
"""Rounds of the event loop in which a connection is accepted; asyncio needs three."""
SHUTDOWN = 2.0
"""Real seconds in which connections can end when the service stops."""


@dataclass(frozen=True)
class ServedApi:
    """Where the API is served. Its text is the address for a browser.

    `first_start` is the one-time link with which the first technician sets a name and a password;
    None if a technician exists.
    """

    url: str
    first_start: str | None

    def __str__(self) -> str:
        return self.url


class ApiServer(uvicorn.Server):
    """uvicorn's server without signal handlers: the service decides when it ends."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ending = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the service."""
        yield

    async def main_loop(self) -> None:
        """Wait for the end; uvicorn's own loop would wake up ten times a second."""
        await self.ending.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more, end as uvicorn does, and drop the connections that are left then.

        uvicorn asks the connections to end that it has at the beginning. One that is accepted at
        that moment must be among them: a page connects again as soon as its stream ends.
        """
        loop = asyncio.get_running_loop()
        for server in self.servers:
            for each in server.sockets:
                loop.remove_reader(each.fileno())
        for _ in range(ACCEPTING):
            await asyncio.sleep(0)
        await super().shutdown(sockets)
        for connection in tuple(self.server_state.connections):
            connection.transport.abort()


@asynccontextmanager
async def serve_api(
    service: ServicePort,
    data_dir: Path,
    listen: str = "127.0.0.1:8080",
    cert: Path | None = None,
    key: Path | None = None,
    panel: ASGIApp | None = None,
    *,
    table: Table | None = None,
    pace: float = 1.0,
    now: Callable[[], float] = utc_seconds,
    passwords: Passwords | None = None,
    is_open: Callable[[], bool] = lambda: True,
) -> AsyncIterator[ServedApi]:
    """Serve the API, and the panel at `/`, until the block ends.

    `table` adds to `GET games` which games this table can set up. `pace` is the number of seconds
    of the event loop's clock in a real second. Until `is_open` is true, every request gets the
    answer `503 starting`. Raises ListenError, and AccountsFileError for a data directory that
    cannot be used.
    """
    require_tls(listen_address(listen), cert, key)
    accounts = await open_accounts(data_dir, now, passwords or Passwords())
    hub = StreamHub(service, accounts, pace)
    switch = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    judge = WorkerThread("judge")
    metrics = TableMetrics(service, data_dir, pace)
    try:
        api = create_app(
            service, accounts, hub, judge=judge, metrics=metrics, table=table, panel=panel
        )
        async with listening(StartingAnswer(api, is_open), listen, cert, key, pace) as url:
            hub.start()
            metrics.start()
            try:
                token = accounts.issue_first_start()
                yield ServedApi(url, f"{url}#first-start={token}" if token else None)
            finally:
                await hub.close()
                await metrics.close()
    finally:
        sys.setswitchinterval(switch)
        judge.close()
        await accounts.close()


@asynccontextmanager
async def listening(
    app: ASGIApp,
    listen: str,
    cert: Path | None = None,
    key: Path | None = None,
    pace: float = 1.0,
) -> AsyncIterator[str]:
    """Serve an application until the block ends; returns its address for a browser.

    Raises ListenError.
    """
    address = listen_address(listen)
    require_tls(address, cert, key)
    tls = _tls(cert, key) if cert is not None and key is not None else None
    with bound_socket(address) as bound:
        server = ApiServer(_config(app, tls, pace))
        serving = asyncio.get_running_loop().create_task(server.serve([bound]))
        try:
            yield _url(ListenAddress(address.host, bound.getsockname()[1]), tls is not None)
        finally:
            server.ending.set()
            await serving


def _config(app: ASGIApp, tls: ssl.SSLContext | None, pace: float) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="h11",
        ws=StreamProtocol,
        # Compressing every message for every client costs more of the processor than it saves.
        ws_per_message_deflate=False,
        ws_max_size=LARGEST_MESSAGE,
        ws_ping_interval=20.0 * pace,
        ws_ping_timeout=20.0 * pace,
        lifespan="off",
        interface="asgi3",
        log_config=None,
        # Malformed messages would fill the log; errors of the API are logged by the API.
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=max(1, round(15 * pace)),
        timeout_graceful_shutdown=max(1, round(SHUTDOWN * pace)),
        ssl_context_factory=None if tls is None else (lambda _config, _default: tls),
    )


def _tls(certificate: Path, key: Path) -> ssl.SSLContext:
    """A context for TLS 1.2 and later. Raises ListenError for files that are no such pair."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise ListenError(
            f"{certificate} and {key} are not a certificate and its key ({error}). Give PEM files"
            " of the same pair."
        ) from None
    return context


def _url(address: ListenAddress, secure: bool) -> str:
    return f"{'https' if secure else 'http'}://{address}/"
