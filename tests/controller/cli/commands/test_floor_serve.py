"""`wallwright floor serve`: starts without a broker, stores events, and stops by a signal."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import stat
import subprocess
from pathlib import Path

import httpx
import pytest

from controller.floor.store.floor_store import FloorStore
from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from tests.controller.cli.conftest import Start, Wallwright
from tests.controller.floor.mosquitto_process import MosquittoProcess
from tests.controller.floor.server.served_floor import table
from tests.controller.floor.store.conftest import stored_lines
from tests.controller.floor.table.fake_source import FakeSource
from tests.controller.web.api.served import PASSWORD

pytestmark = pytest.mark.slow


def _metrics(process: subprocess.Popen[str]) -> str:
    """Set up the first technician of a new floor by the printed link, and read the metrics."""
    assert process.stdout is not None
    page = re.search(r"http://[^ ]+/", process.stdout.readline())
    link = re.search(r"#first-start=(\S+)", process.stdout.readline())
    assert page is not None and link is not None
    assert "signed with the key floor-club+" in process.stdout.readline()
    with httpx.Client(base_url=page[0], timeout=60) as browser:
        assert browser.get("metrics").status_code == 401
        person = {"token": link[1], "name": "Tom", "password": PASSWORD}
        assert browser.post("api/v1/first-start", json=person).status_code == 200
        assert browser.get("api/v1/floor").json()["floor"] == "club"
        return browser.get("metrics").text


def _first_warning(process: subprocess.Popen[str], words: str) -> str:
    """Wait for a line of standard error with these words; returns its sentence."""
    assert process.stderr is not None
    while words not in (line := process.stderr.readline()):
        assert line, f"the service ended without '{words}'"
    return line[line.index("The broker") :].strip()


def test_a_floor_is_served_and_a_stop_signal_loses_no_event(start: Start, tmp_path: Path) -> None:
    broker = MosquittoProcess(tmp_path)
    data = tmp_path / "club"
    process = start(
        f"floor serve --floor club --broker 127.0.0.1:{broker.port} --data {data}"
        " --listen 127.0.0.1:0"
    )
    assert "wallwright_floor_broker_connected 0.0" in _metrics(process)
    assert stat.S_IMODE((data / "requests.key").stat().st_mode) == 0o600
    refused = _first_warning(process, "cannot be reached")
    broker.start()
    source = FakeSource(5)

    async def play() -> None:
        async with table(broker.port, "a1", source) as publisher, asyncio.timeout(60):
            while publisher.outbox.stored < 5:  # noqa: ASYNC110 - sets no event
                await asyncio.sleep(0.05)

    try:
        asyncio.run(play())
        process.send_signal(signal.SIGTERM)
        # `communicate` would leave out what the warning's line was read together with.
        assert process.stderr is not None
        later = process.stderr.read()
        process.communicate(timeout=120)
    finally:
        broker.kill()
    assert process.returncode == 0
    assert refused not in later, "the same warning is given once"
    store = FloorStore(f"sqlite:///{data / 'floor.db'}")
    assert stored_lines(store) == source.lines
    store.close()
    log = checked_log(LogFolder(data / "audit"))
    recorded = [(event.what, event.who, event.source) for event in log.events(1)]
    assert recorded == [
        ("power_up", "", "floor"),
        ("first_start", "Tom", "127.0.0.1"),
        ("service_stopped", "", "floor"),
    ]


def test_the_supervisor_gets_ready_and_stopping(start: Start, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(str(tmp_path / "notify"))
        supervisor.settimeout(60)
        os.environ["NOTIFY_SOCKET"] = str(tmp_path / "notify")
        try:
            process = start(
                f"floor serve --floor club --broker 127.0.0.1:1 --data {tmp_path / 'club'}"
                " --listen 127.0.0.1:0"
            )
        finally:
            del os.environ["NOTIFY_SOCKET"]
        assert supervisor.recv(300) == b"READY=1"
        process.send_signal(signal.SIGTERM)
        assert supervisor.recv(300) == b"STOPPING=1"
        process.communicate(timeout=120)
        assert process.returncode == 0


def test_a_data_folder_belongs_to_one_service(
    start: Start, wallwright: Wallwright, tmp_path: Path
) -> None:
    line = f"floor serve --floor club --broker 127.0.0.1:1 --data {tmp_path} --listen 127.0.0.1:0"
    process = start(line)
    _metrics(process)
    second = wallwright(line)
    assert (second.code, "Another service" in second.err) == (2, True)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=120)
    (tmp_path / "requests.key").write_text("no key")
    damaged = wallwright(line)
    assert (damaged.code, "does not hold an intact key" in damaged.err) == (2, True)
