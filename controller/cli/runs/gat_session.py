"""Runs of both sides of the GAT protocol on a serial port."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from controller.casino.gat.functions import GatRequest
from controller.casino.gat.port import LIMIT, GatPort, GatRecord, calculated, components, open_port
from controller.casino.gat.terminal import GatTerminal
from controller.cli.errors import print_error
from controller.cli.runs.stop_signals import StopSignals


def answer_terminals(port: str, folder: Path) -> int:
    """Answer until a stop signal; returns the exit code. Raises GatPortError and IdentityError.

    `folder` has the signers of the program. Each calculation is printed as a line of JSON.
    """
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        return runner.run(_answer(port, folder))


def result_of(port: str, request: GatRequest, limit: float) -> bytes:
    """The result of a calculation of the machine on a port. `limit` in seconds. Raises GatError."""
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        return runner.run(_ask(port, request, limit))


def gat_port(port: str, folder: Path, record: GatRecord, pace: float = 1.0) -> GatPort:
    """The responder of this program on a port, which is open then.

    `folder` has the signers of the program; `pace` is loop seconds in a real second. Raises
    GatPortError and IdentityError.
    """
    return GatPort(
        components(folder),
        partial(calculated, folder, limit=LIMIT * pace),
        record,
        print_error,
        partial(open_port, port),
        pace,
    )


async def _answer(port: str, folder: Path) -> int:
    responder = gat_port(port, folder, _print_calculation)
    answering = asyncio.ensure_future(responder.run())

    def stop() -> None:
        answering.cancel()

    # Before the line is printed: who reads it may send a signal at once.
    signals = StopSignals(asyncio.get_running_loop(), stop)
    print(f"Answering GAT queries on {port}; Ctrl-C ends it.", flush=True)
    await asyncio.wait((answering,))
    if not answering.cancelled():
        answering.result()
    return signals.exit_code or 0


async def _ask(port: str, request: GatRequest, limit: float) -> bytes:
    transport = open_port(port)
    try:
        return await GatTerminal(transport).calculated(request, limit)
    finally:
        transport.close()


def _print_calculation(what: str, facts: dict[str, object]) -> None:
    time = datetime.now(UTC).isoformat(timespec="seconds")
    print(json.dumps({"time": time, "calculation": what, **facts}), flush=True)
