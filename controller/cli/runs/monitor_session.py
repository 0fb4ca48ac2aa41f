"""One run of `wallwright monitor`: the status of a table, once or until it is stopped."""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from pathlib import Path

from controller.cli.errors import BadInputError
from controller.cli.monitor.stream_reader import (
    BadAddressError,
    MonitorRefusedError,
    ServiceAddress,
    parse_address,
)
from controller.cli.monitor.watching import page, read_once, watch
from controller.cli.runs.stop_signals import StopSignals
from controller.cli.terminal.screen import screen

ROWS = 200
"""Largest number of lines without a terminal."""


def monitor_table(
    address: str, token_file: Path | None, ca_file: Path | None, *, once: bool, as_json: bool
) -> int:
    """Show the status until a stop signal, or print it once; returns the exit code.

    Raises BadInputError for an unusable address or file, and for a service that refuses.
    """
    try:
        where = parse_address(address)
    except BadAddressError as error:
        raise BadInputError(str(error)) from None
    token = _token(token_file)
    if token and not (where.encrypted or where.is_local):
        raise BadInputError(
            f"An http connection would send the token to {where} without encryption; give an "
            "address with https, or"
            " reach the service by an SSH tunnel."
        )
    tls = _tls(ca_file) if where.encrypted else None
    console = screen()
    watches = console.is_terminal and not (once or as_json)
    try:
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            if watches:
                return runner.run(_watch(where, token, tls))
            return runner.run(_print_once(where, token, tls, as_json=as_json))
    except MonitorRefusedError as error:
        raise BadInputError(str(error)) from None


async def _watch(where: ServiceAddress, token: str, tls: ssl.SSLContext | None) -> int:
    """Watch until a stop signal; returns the exit code."""
    watching = asyncio.ensure_future(watch(screen(), where, token, tls))

    def stop() -> None:
        watching.cancel()

    signals = StopSignals(asyncio.get_running_loop(), stop)
    await asyncio.wait((watching,))
    if not watching.cancelled():
        watching.result()
    return signals.exit_code or 0


async def _print_once(
    where: ServiceAddress, token: str, tls: ssl.SSLContext | None, *, as_json: bool
) -> int:
    view = await read_once(where, token, tls)
    if view.status is None:
        print(f"No status from {where}: {view.why or 'no answer'}.", file=sys.stderr)
        return 1
    if as_json:
        print(json.dumps(view.status, indent=2))
        return 0
    console, now = screen(), asyncio.get_running_loop().time()
    print(page(view, now, console.width, ROWS).plain)
    return 0


def _token(file: Path | None) -> str:
    """The token in a file; empty without a file. Raises BadInputError."""
    if file is None:
        return ""
    try:
        token = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise BadInputError(
            f"The token file {file} cannot be read; check its path and permissions."
        ) from None
    if not token or not token.isascii() or any(map(str.isspace, token)):
        raise BadInputError(
            f"The token file {file} contains no token; write the token alone into it."
        )
    return token


def _tls(ca_file: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))
    except (OSError, ssl.SSLError):
        raise BadInputError(
            f"{ca_file} is not a certificate file; give a file in the PEM format."
        ) from None
