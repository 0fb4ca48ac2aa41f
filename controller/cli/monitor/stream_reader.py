"""Reads the stream of a table's service: a snapshot, then changes; connects again by itself.

The address of the service is accepted as a person types it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlencode, urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from controller.service.status.feed import patched
from rules.errors import WallwrightError

DEFAULT = "http://127.0.0.1:8080"
PORT = 8080


class BadAddressError(WallwrightError, ValueError):
    """An address that is not that of a service: the value, the rule and a next step."""


@dataclass(frozen=True)
class ServiceAddress:
    """Where a service listens."""

    host: str
    port: int
    encrypted: bool

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.encrypted else 'http'}://{host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether the service is on this computer, so that no other computer sees the token."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def stream(self, run: str, sequence: int | None) -> str:
        """The address of the stream; a client that resumes names its run and its last sequence."""
        base = str(self).replace("http", "ws", 1)
        asked = {"client": "monitor"}
        if run and sequence is not None:
            asked |= {"run": run, "since": str(sequence)}
        return f"{base}/api/v1/stream?{urlencode(asked)}"


def parse_address(text: str) -> ServiceAddress:
    """Read an address such as `tablehost`, `127.0.0.1:8080` or `https://table.example`.

    Raises BadAddressError.
    """
    wrong = BadAddressError(
        f"'{text}' is not the address of a service; give one such as {DEFAULT} or"
        " https://table.example:8443."
    )
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not host or parts.path not in ("", "/"):
        raise wrong
    encrypted = parts.scheme == "https"
    usual = (443 if encrypted else 80) if "://" in text else PORT
    return ServiceAddress(host, port or usual, encrypted)


SILENCE = 2.0
"""Seconds without a message after which the connection counts as lost; the service sends one each
second."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 5.0
"""Seconds before the first and before each later attempt to connect again; the wait doubles."""
LARGEST = 4 * 1024 * 1024
"""Largest message, bytes; a snapshot is much smaller."""
_NOT_LOGGED_IN = 4401
_REFUSED = (401, 403)

Json = dict[str, Any]


class MonitorRefusedError(WallwrightError):
    """The service does not let the monitor read its status: the reason and the next step."""


@dataclass
class MonitoredTable:
    """What the monitor has received: the status, when, and the state of the connection."""

    connection: Literal["connecting", "connected", "lost"] = "connecting"
    why: str = ""
    """Why the connection was lost; empty while there is one."""
    since: float = 0.0
    """When the connection got this state, on this computer's clock, seconds."""
    status: Json | None = None
    run: str = ""
    sequence: int = 0
    at: float = 0.0
    """The table's clock in the last message, seconds."""
    received: float = 0.0
    """When the last message arrived, on this computer's clock, seconds."""
    attempts: int = field(default=0)
    """Attempts to connect since the connection was lost."""

    def table_time(self, now: float) -> float:
        """The table's clock now, as far as it is known."""
        return (
            self.at + max(0.0, now - self.received) if self.connection == "connected" else self.at
        )


class StreamReader:
    """Keeps `view` up to date; `changed` is called at every change of it."""

    def __init__(
        self,
        address: ServiceAddress,
        token: str,
        changed: Callable[[], None],
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.view = MonitoredTable()
        self._address = address
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._changed = changed
        self._tls = tls
        self._clock = asyncio.get_running_loop().time

    async def run(self) -> None:
        """Read until cancelled. Raises MonitorRefusedError if the service refuses the token."""
        wait = FIRST_WAIT
        while True:
            try:
                await self._read()
                why = "the service ended the connection"
            except InvalidStatus as error:
                if error.response.status_code in _REFUSED:
                    raise self._refused(f"status {error.response.status_code}") from None
                why = f"the service answers with status {error.response.status_code}"
            except ConnectionClosed as error:
                if error.rcvd is not None and error.rcvd.code == _NOT_LOGGED_IN:
                    raise self._refused("its login has ended") from None
                why = "the connection was closed"
            except TimeoutError:
                why = f"nothing was received for {SILENCE:g} s"
            except (OSError, WebSocketException, ssl.SSLError) as error:
                why = _reason(error)
            except (ValueError, KeyError, TypeError):
                why = "the service sent a message that is not understood"
            if self.view.connection == "connected":
                wait = FIRST_WAIT
            self._lost(why)
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)

    # Helpers

    async def _read(self) -> None:
        """Connect and take messages until the connection ends or is silent."""
        view = self.view
        resumes = view.sequence if view.status is not None else None
        async with connect(
            self._address.stream(view.run, resumes),
            additional_headers=self._headers,
            ssl=self._tls if self._address.encrypted else None,
            open_timeout=LONGEST_WAIT,
            close_timeout=1.0,
            ping_interval=None,
            max_size=LARGEST,
            proxy=None,
        ) as socket:
            while True:
                self._take(await self._message(socket))

    @staticmethod
    async def _message(socket: ClientConnection) -> Json:
        async with asyncio.timeout(SILENCE):
            text = await socket.recv()
        message = json.loads(text)
        if not isinstance(message, dict):
            raise TypeError("a message of the stream must be a JSON object")
        return message

    def _take(self, message: Json) -> None:
        """Take one message. Raises ValueError for a delta that does not follow the last one."""
        view = self.view
        match message["type"]:
            case "snapshot":
                view.status, view.run = dict(message["status"]), str(message.get("run", ""))
                view.sequence = int(message["sequence"])
            case "delta":
                sequence = int(message["sequence"])
                if view.status is None or sequence != view.sequence + 1:
                    view.status, view.run = None, ""
                    raise ValueError("a change is missing; the next connection gets a snapshot")
                view.status, view.sequence = patched(view.status, message["patch"]), sequence
        view.at = float(message.get("at", view.at))
        view.received = self._clock()
        if view.connection != "connected":
            view.connection, view.why, view.since = "connected", "", view.received
            view.attempts = 0
        self._changed()

    def _lost(self, why: str) -> None:
        view = self.view
        if view.connection != "lost":
            view.connection, view.since = "lost", self._clock()
        view.why = why
        view.attempts += 1
        self._changed()

    def _refused(self, why: str) -> MonitorRefusedError:
        given = "the token" if self._headers else "a client without a token"
        return MonitorRefusedError(
            f"The service at {self._address} refuses {given} ({why}); a technician makes a token"
            " with the role auditor or player. Give its file with --token-file."
        )


def _reason(error: Exception) -> str:
    """Why a connection failed, in words."""
    match error:
        case ssl.SSLCertVerificationError():
            return f"the certificate is not trusted ({error.verify_message})"
        case ConnectionRefusedError():
            return "no service listens there"
        case OSError() if error.strerror:
            return error.strerror
    return str(error) or type(error).__name__
