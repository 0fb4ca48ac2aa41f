"""A table's client that floods the broker with messages: a process of its own, started by a test.

It writes whole packets, so that it sends 10,000 messages in a second with little work.
"""

from __future__ import annotations

import socket
import ssl
import sys
import time
from pathlib import Path
from threading import Thread

FROM = "127.0.0.2"
"""The address of the flooder; the other clients have 127.0.0.1."""
CONNECT = bytes.fromhex("100d 00044d515454 05 02 0000 00 0000")
PAYLOAD = b"x" * 200
MOST = 60_000
"""Bytes in one write."""


def flood(host: str, port: int, folder: Path, topic: str, rate: int, seconds: float) -> None:
    """Publish with QoS 1 at this rate, messages in a second."""
    context = ssl.create_default_context(cafile=str(folder / "ca.pem"))
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    plain = socket.create_connection((host, port), 10, source_address=(FROM, 0))
    sent, begin = 0, time.monotonic()
    with context.wrap_socket(plain, server_hostname=host) as connection:
        connection.settimeout(60)
        connection.sendall(CONNECT)
        assert connection.recv(1) == b"\x20"
        Thread(target=_read, args=(connection,), daemon=True).start()
        while (passed := time.monotonic() - begin) < seconds:
            packets = bytearray()
            while sent < passed * rate and len(packets) < MOST:
                sent += 1
                packets += _publish(topic.encode(), sent % 65535 + 1)
            connection.sendall(packets)
            time.sleep(0.002)


def _read(connection: ssl.SSLSocket) -> None:
    """Read the acknowledgements; a client that does not would be slowed down."""
    try:
        while connection.recv(65536):
            pass
    except OSError:
        return


def _publish(topic: bytes, identifier: int) -> bytes:
    body = len(topic).to_bytes(2, "big") + topic + identifier.to_bytes(2, "big") + b"\0" + PAYLOAD
    return bytes([0x32, len(body) % 128 | 128, len(body) // 128]) + body


if __name__ == "__main__":
    host, port, folder, topic, rate, seconds = sys.argv[1:]
    flood(host, int(port), Path(folder), topic, int(rate), float(seconds))
