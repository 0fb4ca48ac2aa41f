"""The address of a broker, and the files with which a client proves its identity."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

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
