"""Serves the API of a table in a thread with an event loop of its own, while a block runs.

The loop of the table renews the leases of boards. The thread can delay it by the change of threads
only, which the interpreter makes every 0.5 ms. Until the table has recovered and tested itself,
every request is answered with `503 starting`.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from config.schema import Table
from controller.service.port import TablePort
from controller.web.api.accounts.accounts import open_accounts, utc_seconds
from controller.web.api.accounts.login_secrets import Passwords
from controller.web.api.app import create_app
from controller.web.api.problems import ProblemError
from controller.web.api.server.connections import (
    ConnectionLimits,
    Connections,
    StreamProtocol,
    connection_limits,
)
from controller.web.api.server.known_names import KnownNames, NamedRequests, names_of_certificate
from controller.web.api.server.listen_address import (
    ListenAddress,
    ListenError,
    bound_socket,
    listen_address,
    require_tls,
)
from controller.web.api.server.service_mirror import MirroredMetrics, ServiceMirror
from controller.web.api.stream import StreamHub
from controller.web.api.worker_thread import WorkerThread
from controller.web.metrics.table_metrics import TableMetrics

ENDING = 10.0
"""Real seconds in which the other loop has to end; then its thread is left alone."""
Entered = TypeVar("Entered")


@asynccontextmanager
async def on_own_loop(
    loop: asyncio.AbstractEventLoop,
    context: Callable[[], AbstractAsyncContextManager[Entered]],
    name: str,
    pace: float = 1.0,
) -> AsyncGenerator[Entered, None]:
    """Enter `context` on `loop` in a new thread, and leave it when the block ends.

    Returns what the context returns. `pace` is the number of seconds of the caller's clock in a
    real second. Raises what the context raises.
    """
    entered: Future[Entered] = Future()
    ended: Future[None] = Future()
    ending = asyncio.Event()

    async def stay() -> None:
        async with context() as value:
            entered.set_result(value)
            await ending.wait()

    def work() -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(stay())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            (ended if entered.done() else entered).set_exception(error)
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()
            if not ended.done():
                ended.set_result(None)

    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    try:
        yield await asyncio.wrap_future(entered)
    finally:
        with suppress(RuntimeError):  # The loop has ended by itself.
            loop.call_soon_threadsafe(ending.set)
        # The caller's loop must run meanwhile, because requests in progress wait for it.
        left = asyncio.wrap_future(ended)
        await asyncio.wait([left], timeout=ENDING * pace)
        if left.done():
            left.result()
            thread.join()


RETRY_AFTER = "1"
"""Seconds after which a client should ask again."""


class StartingAnswer:
    """Passes requests to the application `app` once `is_open` is true; refuses them before."""

    def __init__(self, app: ASGIApp, is_open: Callable[[], bool]) -> None:
        self._app = app
        self._is_open = is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse a stream."""
        if self._is_open():
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1013, "reason": "The table starts."})
        else:
            problem = ProblemError(
                503,
                "starting",
                "The table starts: its recovery and its self-tests have not ended.",
                "Ask again in a second.",
                {"Retry-After": RETRY_AFTER, "Refresh": RETRY_AFTER},
            )
            await problem.response()(scope, receive, send)


LARGEST_MESSAGE = 4096
"""Largest WebSocket message from a client, bytes."""
LARGEST_HEAD = 16 * 1024
"""Largest head of a request, bytes."""
SWITCH = 0.0005
"""Seconds after which a worker thread gives the interpreter to the event loop. Python's own value
is 0.005, and the loop can wait for two threads in a row."""
ACCEPTING = 5
"""Rounds of the event loop in which a connection is accepted; asyncio needs three."""
KEEP_ALIVE = 10
"""Seconds for which a connection without a request is kept."""
SHUTDOWN = 2
""" seconds in which connections can end when the service stops."""


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
    """uvicorn's server without signal handlers: the service decides when it ends.

    With `limits`, it accepts the connections of its socket itself.
    """

    def __init__(self, config: uvicorn.Config, limits: ConnectionLimits | None = None) -> None:
        super().__init__(config)
        self.ending = asyncio.Event()
        self.connections: Connections | None = None
        self._limits = limits

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the service."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections: through `Connections` if there are limits."""
        if self._limits is None or not sockets:
            await super().startup(sockets)
            return
        await self.lifespan.startup()
        make = self.config.http_protocol_class

        def protocol() -> asyncio.Protocol:
            made: asyncio.Protocol = make(  # type: ignore[call-arg]
                config=self.config, server_state=self.server_state, app_state=self.lifespan.state
            )
            return made

        self.servers = []
        self.connections = Connections(sockets[0], protocol, self.config.ssl, self._limits)
        self.connections.start()
        self.started = True

    async def main_loop(self) -> None:
        """Wait for the end; uvicorn's own loop would wake up ten times a second."""
        await self.ending.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more, end as uvicorn does, and drop the connections that are left then.

        uvicorn asks the connections to end that it has at the beginning. One that is accepted at
        that moment must be among them: a page connects again as soon as its stream ends.
        """
        loop = asyncio.get_running_loop()
        if self.connections is not None:
            await self.connections.stop()
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
    service: TablePort,
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
    proxies: frozenset[str] = frozenset(),
    names: frozenset[str] = frozenset(),
) -> AsyncIterator[ServedApi]:
    """Serve the API, and the panel at `/`, until the block ends. Called on the table's loop.

    `table` adds to `GET games` which games this table can set up. `pace` is the number of seconds
    of the event loop's clock in a real second. Until `is_open` is true, every request gets the
    answer `503 starting`. `proxies` are the addresses whose `X-Forwarded-For` counts. `names` are
    further names of the table: see `KnownNames`. Raises ListenError, and AccountsFileError for a
    data directory that cannot be used.
    """
    require_tls(listen_address(listen), cert, key)
    api = asyncio.SelectorEventLoop()
    mirror = ServiceMirror(service, api, pace)
    metrics = TableMetrics(service, data_dir, pace)
    metrics.start()
    switch = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)

    @asynccontextmanager
    async def served() -> AsyncIterator[ServedApi]:
        """The API on its own loop."""
        accounts = await open_accounts(data_dir, now, passwords or Passwords())
        hub = StreamHub(mirror, accounts)
        judge = WorkerThread("judge")
        try:
            app = create_app(
                mirror,
                accounts,
                hub,
                judge=judge,
                metrics=MirroredMetrics(mirror, metrics),
                table=table,
                panel=panel,
            )
            limits = connection_limits(proxies)
            starting = StartingAnswer(app, is_open)
            async with listening(starting, listen, cert, key, limits, names) as url:
                hub.start()
                try:
                    token = accounts.issue_first_start()
                    yield ServedApi(url, f"{url}#first-start={token}" if token else None)
                finally:
                    await hub.close()
        finally:
            judge.close()
            await accounts.close()

    try:
        async with on_own_loop(api, served, "api", pace) as found:
            yield found
    finally:
        mirror.close()
        sys.setswitchinterval(switch)
        await metrics.close()


@asynccontextmanager
async def listening(
    app: ASGIApp,
    listen: str,
    cert: Path | None = None,
    key: Path | None = None,
    limits: ConnectionLimits | None = None,
    names: frozenset[str] = frozenset(),
) -> AsyncIterator[str]:
    """Serve an application until the block ends; returns its address for a browser.

    `limits` are those of its connections, the usual ones if they are left out. A request must name
    this computer as its host, by a name of the certificate or by one of `names`. Raises
    ListenError.
    """
    address = listen_address(listen)
    require_tls(address, cert, key)
    tls = _tls(cert, key) if cert is not None and key is not None else None
    with bound_socket(address) as bound:
        limits = limits or connection_limits()
        known = KnownNames(names | names_of_certificate(cert))
        server = ApiServer(_config(NamedRequests(app, known, limits.proxies), tls), limits)
        serving = asyncio.get_running_loop().create_task(server.serve([bound]))
        try:
            yield _url(ListenAddress(address.host, bound.getsockname()[1]), tls is not None)
        finally:
            server.ending.set()
            await serving


def _config(app: ASGIApp, tls: ssl.SSLContext | None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http="h11",
        ws=StreamProtocol,
        # Compressing every message for every client costs more of the processor than it saves.
        ws_per_message_deflate=False,
        ws_max_size=LARGEST_MESSAGE,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        lifespan="off",
        interface="asgi3",
        log_config=None,
        # Malformed messages would fill the log; errors of the API are logged by the API.
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        # `NamedRequests` reads the headers of proxies, and of configured proxies only.
        proxy_headers=False,
        h11_max_incomplete_event_size=LARGEST_HEAD,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=SHUTDOWN,
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
