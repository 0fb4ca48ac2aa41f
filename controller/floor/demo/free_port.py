"""A TCP port for a server that gets its port before it starts and keeps it over restarts."""

from __future__ import annotations

import socket
from pathlib import Path
from random import SystemRandom

from controller.floor.demo.folder import HOST

FIRST = 10_000
"""The lowest port that is tried; services with well-known ports are mostly below it."""
LINUX_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
"""Linux's file with the first and last port of the range for the system's own choice."""
USUAL = 32_768
"""The begin of that range, if the file does not say it."""
TRIALS = 100
"""Ports that are tried before the system chooses."""


def free_port() -> int:
    """Return a port of 127.0.0.1 that is free now, below the range for the system's own choice.

    The system gives the ports of that range to connections. While a server restarts, a connection
    could take its port, or a client that tries to reach it could even be connected to itself. A
    port of that range is returned only if no port below it is free. Raises OSError if none is free.
    """
    end = _first_of_systems_choice()
    candidates = range(FIRST, end)
    random = SystemRandom()
    for port in random.sample(candidates, min(TRIALS, len(candidates))):
        try:
            return _bound(port)
        except OSError:
            continue
    return _bound(0)


def _bound(port: int) -> int:
    """The port that a socket could be bound to; for 0 the system chooses it."""
    with socket.socket() as listener:
        listener.bind((HOST, port))
        bound: int = listener.getsockname()[1]
        return bound


def _first_of_systems_choice() -> int:
    try:
        return int(LINUX_RANGE.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return USUAL
