"""The interface of a connection to a broker, its address, and the files that prove an identity."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rules.errors import WallwrightError

PORT, TLS_PORT = 1883, 8883
"""The usual ports without TLS and with it."""


class BrokerError(WallwrightError):
    """An address or a certificate that cannot be used, or a broker that does not answer."""


@dataclass(frozen=True)
class TlsFiles:
    """PEM files: the certificate of the authority, and the client's own certificate and key."""

    ca: Path
    cert: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """Read the files. They are read for each connection, so that renewed ones take effect.

        Raises BrokerError.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        file = self.ca
        try:
            context.load_verify_locations(file)
            file = self.cert
            context.load_cert_chain(file, self.key)
        except (OSError, ssl.SSLError) as error:
            raise BrokerError(
                f"The certificate {file} cannot be used ({error}); issue it with `wallwright floor"
                " ca`, and let the service's user read it."
            ) from error
        return context


@dataclass(frozen=True)
class Broker:
    """Where the broker is. `keepalive` is in seconds: a silent client is lost after 1.5 of them."""

    host: str
    port: int
    tls: TlsFiles | None = None
    keepalive: int = 15

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def broker_of(text: str, tls: TlsFiles | None) -> Broker:
    """The broker at HOST or HOST:PORT. Raises BrokerError."""
    host, _, port = text.rpartition(":") if ":" in text else (text, "", "")
    if not port:
        return Broker(host or text, TLS_PORT if tls else PORT, tls)
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise BrokerError(f"A broker is HOST or HOST:PORT, such as broker.club:8883; got '{text}'.")
    return Broker(host.strip("[]"), int(port), tls)


class ConnectionLostError(BrokerError):
    """The connection is lost, or the broker refused something; connect again."""


@dataclass(frozen=True)
class Message:
    """A received message. `is_retained` is true for one that the broker had kept."""

    topic: str
    payload: bytes
    is_retained: bool = False


@dataclass(frozen=True)
class Will:
    """The message that the broker publishes, retained, when the connection is lost."""

    topic: str
    payload: bytes


class BrokerConnection(Protocol):
    """A connection. Every method raises ConnectionLostError when it is lost."""

    async def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, expiry: int | None = None
    ) -> None:
        """Publish with QoS 1; returns after the broker has acknowledged the message.

        After `expiry` seconds the broker no longer passes the message on.
        """

    async def subscribe(self, topic: str) -> None:
        """Receive messages of these topics with QoS 1."""

    def messages(self) -> AsyncIterator[Message]:
        """The received messages; ends only by ConnectionLostError."""
