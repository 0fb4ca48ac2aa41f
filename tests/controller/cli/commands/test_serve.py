"""`wallwright serve`: starts with its addresses, stops safely by a signal, refuses bad options."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import urllib.request
from pathlib import Path

import pytest

from controller.records.audit.log.log_folder import LogFolder
from controller.records.audit.log.log_reader import checked_log
from controller.service.evening.evening_store import EveningStore
from controller.web.api.accounts.store import TOUCHSCREEN_FILE, touchscreen_token
from tests.controller.cli.conftest import Start, Wallwright
from tests.controller.upkeep.update.test_power_cuts import cut
from tests.quick import slow_except


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    found = re.search(r"http://[^ ]+/", process.stdout.readline())
    assert found is not None
    return found[0]


def test_a_round_is_dealt_and_without_a_terminal_the_service_ends(
    start: Start, tmp_path: Path
) -> None:
    process = start(
        f"serve --sim 100 --game wenzhou --automatic --until ready --listen 127.0.0.1:0"
        f" --data {tmp_path / 'data'}"
    )
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "#first-start=" in out
    assert "71 tiles left" in out
    with EveningStore(tmp_path / "data" / "evening.db") as store:
        assert store.fact("session")["id"] == "s1"


@pytest.mark.parametrize("number", slow_except([signal.SIGTERM], [signal.SIGTERM, signal.SIGINT]))
def test_a_stop_signal_ends_the_service_with_exit_code_0(start: Start, number: int) -> None:
    process = start("serve --sim 20 --game pai_gow --table pai_gow --listen 127.0.0.1:0")
    address = _address(process)
    with urllib.request.urlopen(address, timeout=60) as page:  # noqa: S310 an http address
        assert page.status == 200
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")


@pytest.mark.slow
def test_a_hangup_under_a_supervisor_reads_the_file_and_the_service_stays(start: Start) -> None:
    process = start("serve --listen 127.0.0.1:0")
    assert process.stdout is not None
    address = process.stdout.readline().split()[-1]
    process.send_signal(signal.SIGHUP)
    with urllib.request.urlopen(address, timeout=60) as page:  # noqa: S310 an http address
        assert page.status == 200
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")


@pytest.mark.slow
def test_the_supervisor_gets_ready_watchdog_and_stopping(start: Start, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(str(tmp_path / "notify"))
        supervisor.settimeout(60)
        os.environ["NOTIFY_SOCKET"] = str(tmp_path / "notify")
        os.environ["WATCHDOG_USEC"] = "4000000"
        try:
            process = start("serve --listen 127.0.0.1:0")
        finally:
            del os.environ["NOTIFY_SOCKET"], os.environ["WATCHDOG_USEC"]
        # A slow computer sends several signs of life before the service is ready.
        notices: set[bytes] = set()
        for _ in range(200):
            notices.add(supervisor.recv(300))
            if {b"READY=1", b"WATCHDOG=1"} <= notices:
                break
        assert {b"READY=1", b"WATCHDOG=1"} <= notices
        process.send_signal(signal.SIGTERM)
        while (notice := supervisor.recv(300)) != b"STOPPING=1":
            assert notice in (b"WATCHDOG=1", b"READY=1") or notice.startswith(b"STATUS=")
        process.communicate(timeout=120)
        assert process.returncode == 0


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("serve --until never", "`--until` must be ready; got 'never'."),
        ("serve --until ready", "`--until ready` needs a game; add --game NAME."),
        ("serve --sim virtual", "`--sim` must be real or a factor such as 10"),
        ("serve --sim 0", "must be"),
        ("serve --game chess", "There is no game 'chess'"),
        ("serve --port /dev/null --sim 10", "are for a simulated table"),
        ("serve --port /dev/null", "add --data DIR"),
        ("serve --listen 0.0.0.0:8080", "needs TLS"),
        ("serve --listen nowhere", "is not an address and a port"),
        ("serve --data /dev/null/x", "Not a directory"),
    ],
)
def test_a_bad_option_is_refused_with_a_sentence(
    wallwright: Wallwright, line: str, sentence: str
) -> None:
    result = wallwright(line)
    assert result.code == 2
    assert sentence in result.err
    assert "Traceback" not in result.err


def test_a_used_port_and_a_damaged_store_are_refused(
    wallwright: Wallwright, tmp_path: Path
) -> None:
    with socket.socket() as used:
        used.bind(("127.0.0.1", 0))
        used.listen()
        port = used.getsockname()[1]
        result = wallwright(f"serve --listen 127.0.0.1:{port} --data {tmp_path}")
    assert (result.code, f"127.0.0.1:{port}" in result.err) == (2, True)
    log = checked_log(LogFolder(tmp_path / "audit"))
    assert [event.what for event in log.events()] == ["log_begun", "power_up", "service_stopped"]
    (tmp_path / "evening.db").write_bytes(b"not a database" * 100)
    result = wallwright(f"serve --listen 127.0.0.1:0 --data {tmp_path}")
    assert (result.code, "evening.db" in result.err) == (2, True)


def test_after_a_start_that_was_killed_while_it_wrote_the_touchscreens_token_the_next_one_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fdatasync", lambda file: os.fsync(file))  # noqa: PLW0108 cut() sets it
    steps = cut(tmp_path, 0, lambda: touchscreen_token(tmp_path))
    assert steps > 2
    for step in range(1, steps + 1):
        (tmp_path / TOUCHSCREEN_FILE).unlink(missing_ok=True)
        assert cut(tmp_path, step, lambda: touchscreen_token(tmp_path)) == 0, step
        token = touchscreen_token(tmp_path)
        assert token == touchscreen_token(tmp_path)
        assert (tmp_path / TOUCHSCREEN_FILE).stat().st_mode & 0o777 == 0o600
