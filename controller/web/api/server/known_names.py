"""Admits requests that name this table as their host, and finds the address of each client.

A browser sends the name of the site whose page makes a request in the header `Host`. A page of the
site evil.example can resolve its own name to the table's address (DNS rebinding): its requests are
then of the same origin for the browser, and come from a computer that the table trusts. Such a
request still names evil.example, so names that do not belong to this table are refused. An IP
address as the name is always accepted, because an IP address cannot be resolved to another one.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from cryptography import x509
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from controller.web.api.problems import ProblemError
from controller.web.api.request_guard import refuse_handshake

UNKNOWN = "unknown"
"""The address of a client that a proxy states in a form that is no IP address."""
LONGEST_NAME = 253
"""Most characters of a name in the domain name system."""
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\[\]:@/\s]+)(:\d{1,5})?")
_SCHEMES = {"http", "https", "ws", "wss"}


class KnownNames:
    """The names of this computer: its host name, in mDNS too, and those that are configured.

    `configured` may contain names such as `*.club.example`, which stand for one label more.
    """

    def __init__(
        self, configured: Iterable[str] = (), host_name: Callable[[], str] = socket.gethostname
    ) -> None:
        self._configured = frozenset(map(_plain, configured))
        self._host_name = host_name

    def knows(self, host: str) -> bool:
        """Whether a `Host` header, such as `table.local:8443`, names this computer."""
        found = _HOST.fullmatch(host)
        if found is None or len(host) > LONGEST_NAME + 6:
            return False
        name = _plain(found[1])
        if _address(name) is not None:
            return True
        if name == "localhost" or name in self._configured:
            return True
        _, dot, parent = name.partition(".")
        return self._is_own(name) or bool(dot and f"*.{parent}" in self._configured)

    def _is_own(self, name: str) -> bool:
        """Whether it is the host name. Read each time, because people can change it meanwhile.

        mDNS appends a number to the name if another computer in the network has it already.
        """
        own = _plain(self._host_name())
        first = own.partition(".")[0]
        in_mdns = re.fullmatch(rf"{re.escape(first)}(-\d{{1,3}})?\.local", name)
        return bool(first) and (name in (own, first) or in_mdns is not None)


def names_of_certificate(certificate: Path | None) -> frozenset[str]:
    """The names for which a PEM certificate is valid; none without a readable certificate."""
    if certificate is None:
        return frozenset()
    with suppress(OSError, ValueError, x509.ExtensionNotFound, x509.DuplicateExtension):
        read = x509.load_pem_x509_certificate(certificate.read_bytes())
        names = read.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        return frozenset(names.get_values_for_type(x509.DNSName))
    return frozenset()


class NamedRequests:
    """An ASGI application that passes requests to `app` if they name a known host.

    It also replaces the address of a proxy in `proxies` by the client's that the proxy states.
    """

    def __init__(self, app: ASGIApp, names: KnownNames, proxies: frozenset[str]) -> None:
        self._app = app
        self._names = names
        self._proxies = frozenset(_normal(each) for each in proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._names.knows(hosts[0]):
            problem = _unknown_name(hosts[0] if hosts else "")
            if scope["type"] == "websocket":
                await refuse_handshake(problem, scope, receive, send)
            else:
                await problem.response()(scope, receive, send)
            return
        peer, port = scope["client"] or ("", 0)
        peer = _normal(peer)
        if peer in self._proxies:
            scheme = headers.get("x-forwarded-proto", "").strip()
            if scheme in _SCHEMES:
                is_socket = scope["type"] == "websocket"
                scope["scheme"] = scheme.replace("http", "ws") if is_socket else scheme
            peer = forwarded_address(peer, headers.getlist("x-forwarded-for"), self._proxies)
        scope["client"] = (peer, port)
        await self._app(scope, receive, send)


def forwarded_address(peer: str, stated: list[str], proxies: frozenset[str]) -> str:
    """The client's address behind the proxy `peer`, by the headers `X-Forwarded-For`.

    Each proxy appends the address that it sees, so the last address that is not a proxy's is the
    client's. A text that is not an address is `UNKNOWN`; so is an address of this computer that a
    proxy on another computer states, because the client would get the rights of the touchscreen.
    """
    texts = [each for line in stated for each in line.split(",") if each.strip()]
    if not texts:
        return peer
    for text in reversed(texts):
        address = _forwarded(text.strip())
        if address not in proxies:
            break
    if address == UNKNOWN or _is_loopback(peer) or not _is_loopback(address):
        return address
    return UNKNOWN


def _forwarded(text: str) -> str:
    """An address in one of the forms of proxies: 1.2.3.4, 1.2.3.4:5, ::1, [::1], [::1]:5."""
    if len(text) > 64:
        return UNKNOWN
    found = _address(text)
    if found is None and (parts := re.fullmatch(r"(\[[^\]]*\]|[\d.]+)(:\d{1,5})?", text)):
        found = _address(parts[1])
    return UNKNOWN if found is None else str(found)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """An IP address, in brackets or without; an IPv4 address that is mapped to IPv6 as IPv4."""
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    try:
        found = ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def _normal(address: str) -> str:
    """The one form of an address; any other text as it is."""
    found = _address(address)
    return address if found is None else str(found)


def _is_loopback(address: str) -> bool:
    found = _address(address)
    return found is not None and found.is_loopback


def _plain(name: str) -> str:
    return name.lower().removesuffix(".")


def _unknown_name(host: str) -> ProblemError:
    shown = "".join(each if each.isprintable() else "?" for each in host[:60])
    return ProblemError(
        421,
        "unknown_host",
        f"'{shown}' is not a host name of this service.",
        "Open it by its IP address or its host name. If people open it by this name, add"
        " `--host-name NAME` to the options of the service.",
        {"Connection": "close"},
    )
