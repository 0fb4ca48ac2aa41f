"""The address of a table's service, as a person types it, and the address of its stream."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

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
