"""The address at which the API listens: loopback, or any other address with TLS."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from pathlib import Path

from rules.errors import WallwrightError

BACKLOG = 128
"""Connections that wait to be accepted."""


class ListenError(WallwrightError):
    """The API cannot listen at an address."""


@dataclass(frozen=True)
class ListenAddress:
    """A host's address and a port; port 0 is a free one that the system chooses."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this computer can connect."""
        return ip_address(self.host).is_loopback

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def listen_address(text: str) -> ListenAddress:
    """The address in a text such as `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.

    Raises ListenError for any other text. Names other than `localhost` are refused, because the
    system could resolve them to another network's address.
    """
    host, colon, port = text.rpartition(":")
    host = "127.0.0.1" if host == "localhost" else host
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        address = ip_address(bare)
    except ValueError:
        address = None
    right = address is not None and (bare != host) == isinstance(address, IPv6Address)
    if not (right and colon and port.isascii() and port.isdigit() and int(port) < 2**16):
        raise ListenError(
            f"`--listen` is not an address and a port ({text!r}). Give one such as 127.0.0.1:8080,"
            " [::1]:8080 or 0.0.0.0:8443."
        )
    return ListenAddress(bare, int(port))


def require_tls(address: ListenAddress, certificate: Path | None, key: Path | None) -> None:
    """Raises ListenError for an address beyond this computer without TLS, or half of TLS."""
    if (certificate is None) != (key is None):
        missing = "key" if key is None else "certificate"
        raise ListenError(f"TLS needs a certificate and a key. Give the {missing} too.")
    if certificate is None and not address.is_loopback:
        raise ListenError(
            f"`--listen {address}` accepts connections from other computers, which needs TLS. Give"
            " `--cert FILE` and `--key FILE`, or listen on 127.0.0.1 behind a proxy."
        )


def bound_socket(address: ListenAddress) -> socket.socket:
    """A socket that is bound to the address. Raises ListenError, for example for a used port."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((address.host, address.port))
        bound.listen(BACKLOG)
        bound.setblocking(False)
    except OSError as error:
        bound.close()
        raise ListenError(
            f"The API cannot listen on {address} ({error.strerror}). End the program that uses the"
            " port, or give another port with `--listen`."
        ) from None
    return bound
