"""Measures how late the leases of a board are renewed under a stranger's and a player's worst load.

A table is served in real time: its virtual board is in a process of its own on a pseudo-terminal.
Clients in a third process ask for the OpenAPI description, send bodies of 4 and 64 KB without a
login, guess passwords, hold 1,000 idle sockets, and give commands that are refused. A player, whose
token they have, asks for judgements and lists, watches the table ten times, and gives commands that
are accepted. All of it is without a pause. `python -m benchmarks.stranger SECONDS` measures for as
long as is wanted.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from benchmarks import Row
from benchmarks.slow_storage import _board

SECONDS, QUIET = 60.0, 20.0
"""Real seconds of the load, and of a quiet time before it."""
LATEST_MS = 50.0
SOCKETS, BODIES = 1000, 48
PASSWORD = "benchmark password"  # noqa: S105 - of a service that lives for a minute

HOST = """
import asyncio, json, sys, time
from controller.cli import main
from controller.web.metrics.table_metrics import LoopLag
from firmware_bridge.boards.lease import Lease

renew, late, lags = Lease._renew, [], []

def timed_renewal(lease):
    if lease._renewal is not None:
        late.append((time.time(), lease._loop.time() - lease._renewal.when()))
    renew(lease)

async def measure(self):
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + 0.01
        await asyncio.sleep(0.01)
        lags.append((time.time(), loop.time() - due))

Lease._renew, LoopLag.run = timed_renewal, measure
code = main(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    json.dump({"late": late, "lags": lags}, file)
"""


def main(seconds: float = SECONDS) -> Iterator[Row]:
    """Measure the latest renewal and the latest callback, in quiet and under load."""
    with tempfile.TemporaryDirectory() as folder:
        found = _measured(Path(folder), seconds)
    for when in ("quiet", "load"):
        late, lags = found[f"late_{when}"], found[f"lags_{when}"]
        yield Row(
            f"a lease's latest renewal, {when}, of {len(late)} in {found[when]:.0f} s",
            f"{max(late, default=0.0) * 1000:.1f} ms late; a callback {max(lags) * 1000:.1f} ms",
            f"at most {LATEST_MS:.0f} ms" if when == "load" else "",
            max(late, default=1.0) * 1000 <= LATEST_MS if when == "load" else None,
        )
    yield Row("requests of the clients in that time", found["requests"])


def _measured(folder: Path, seconds: float) -> dict[str, Any]:
    measured = folder / "measured"
    with _board() as port, _host(folder, measured, port) as (host, url, token):
        begun = time.time()
        time.sleep(QUIET)
        command = (sys.executable, "-m", "benchmarks.stranger", url, token, str(seconds))
        loaded = time.time()
        counted = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
        ended = time.time()
        host.terminate()
        host.wait(60)
    raw = json.loads(measured.read_text("utf-8"))
    result: dict[str, Any] = {"quiet": loaded - begun, "load": ended - loaded}
    for key in ("late", "lags"):
        result[f"{key}_quiet"] = [late for at, late in raw[key] if begun < at <= loaded]
        result[f"{key}_load"] = [late for at, late in raw[key] if loaded < at <= ended]
    return {**result, "requests": counted.stdout.strip()}


@contextmanager
def _host(
    folder: Path, measured: Path, port: str
) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Serve the table; yields the process, the address, and the token of a player."""
    command = (
        *(sys.executable, "-c", HOST, str(measured), "serve", "--port", port, "--allow-simulated"),
        *("--data", str(folder / "data"), "--listen", "127.0.0.1:0", "--game", "wenzhou"),
    )
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(  # noqa: S603 - the project's own program
        command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=environment
    ) as host:
        assert host.stdout is not None
        text = ""
        while (found := re.search(r"(http://[\d.:]+/)#first-start=(\S+)", text)) is None:
            text += host.stdout.readline()
        url = found[1]
        first = {"token": found[2], "name": "bench", "password": PASSWORD}
        made, cookie = _post(f"{url}api/v1/first-start", first, {})
        headers = {"Cookie": cookie, "X-CSRF-Token": made["csrf"]}
        token, _ = _post(f"{url}api/v1/tokens", {"name": "player", "role": "player"}, headers)
        try:
            yield host, url, token["token"]
        finally:
            host.kill()


def _post(url: str, body: dict[str, str], headers: dict[str, str]) -> tuple[Any, str]:
    """The answer to a request, and its cookie."""
    content = json.dumps(body).encode()
    request = Request(url, content, {"Content-Type": "application/json", **headers})  # noqa: S310
    with urlopen(request, timeout=60) as answer:  # noqa: S310 - the address of this computer
        cookie = str(answer.headers.get("set-cookie", "")).partition(";")[0]
        return json.loads(answer.read()), cookie


# The clients' process


async def _clients(url: str, token: str, seconds: float) -> None:
    """Load the service for a time, then print what was sent."""
    host, port = url.removeprefix("http://").rstrip("/").split(":")
    sent: dict[str, int] = {}

    async def ask(what: str, head: str, body: bytes = b"") -> None:
        with suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
            async with asyncio.timeout(20):
                reader, writer = await asyncio.open_connection(host, int(port))
                lines = f"{head}\r\nHost: {host}:{port}\r\nConnection: close\r\n"
                lines += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                writer.write(lines.encode() + body)
                await reader.read(-1)
                writer.close()
        sent[what] = sent.get(what, 0) + 1

    async def again(what: str, head: str, body: bytes = b"") -> None:
        while True:
            await ask(what, head, body)

    async def idle() -> None:
        while True:
            opened = []
            with suppress(OSError):
                for _ in range(SOCKETS // 10):
                    opened.append(await asyncio.open_connection(host, int(port)))
                    sent["sockets"] = sent.get("sockets", 0) + 1
            await asyncio.sleep(1.0)
            for _, writer in opened:
                writer.transport.abort()

    async def watch() -> None:
        """Open the stream of a player again as soon as it has sent the status."""
        address = f"ws://{host}:{port}/api/v1/stream?events=1"
        headers = {"Authorization": f"Bearer {token}"}
        while True:
            with suppress(OSError, WebSocketException, TimeoutError):
                stream = connect(address, additional_headers=headers, proxy=None, open_timeout=20)
                async with stream as messages:
                    await messages.recv()
                    await asyncio.sleep(1.0)
            sent["streams"] = sent.get("streams", 0) + 1

    async def command(name: str, arguments: dict[str, object]) -> None:
        """Give a command that the table accepts, each time with another id."""
        for number in count():
            given = {"id": f"{name}-{number}", "name": name, "arguments": arguments}
            head = f"POST /api/v1/commands HTTP/1.1{player}"
            await ask(f"{name} commands", head, json.dumps(given).encode())

    login, player = "POST /api/v1/login HTTP/1.1", f"\r\nAuthorization: Bearer {token}"
    deep = b'{"name": "bench", "password": "' + b"[" * 3900 + b'"}'
    refused = {"id": "c", "name": "correct", "arguments": {"acts": 1, "reason": "x" * 200}}
    guess = json.dumps({"name": "bench", "password": "a guess of it"}).encode()
    jobs = [
        again("schemas", f"GET /api/v1/openapi.json HTTP/1.1{player}"),
        *(again("bodies of 64 KB", login, b"[" * 64_000) for _ in range(BODIES // 2)),
        *(again("bodies of 4 KB", login, deep) for _ in range(BODIES // 2)),
        *(again("guesses", login, guess) for _ in range(4)),
        *(
            again(
                "commands", f"POST /api/v1/commands HTTP/1.1{player}", json.dumps(refused).encode()
            )
            for _ in range(8)
        ),
        *(idle() for _ in range(10)),
        *(watch() for _ in range(10)),
        command("name_players", {"names": {"0": "Ana", "1": "Ben"}}),
        command("add_share", {"seat": 1, "share": "rain on Tuesday"}),
        again("judgements", f"POST /api/v1/judge/wenzhou HTTP/1.1{player}", _case()),
        *(
            again(what, f"GET /api/v1/{path} HTTP/1.1{player}")
            for what, path in (("lists", "sessions"), ("lists", "games"), ("lists", "geometry"))
        ),
    ]
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.gather(*jobs)
    print(", ".join(f"{count} {what}" for what, count in sorted(sent.items())))


def _case() -> bytes:
    from config.judge_cases import example_case  # noqa: PLC0415 - for the clients only
    from config.strict_yaml import parse  # noqa: PLC0415

    return json.dumps(parse(example_case("wenzhou"), "case").value).encode()


if __name__ == "__main__":
    if len(sys.argv) == 4:
        asyncio.run(_clients(sys.argv[1], sys.argv[2], float(sys.argv[3])))
    else:
        for row in main(*map(float, sys.argv[1:])):
            print(row.claim, row.goal, row.measured, sep=" | ")
