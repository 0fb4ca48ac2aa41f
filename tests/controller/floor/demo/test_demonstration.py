"""`wallwright floor demo`: a whole floor that agrees with its tables, and ends cleanly."""

from __future__ import annotations

import re
import signal
import stat
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.loader import load_game, load_table
from config.validation.checks import fit
from controller.floor.demo import demonstration, preparation
from controller.floor.demo.child import DemoError
from controller.floor.demo.preparation import KINDS, demo_tables
from rules.games import find_game
from tests.controller.cli.conftest import COMMAND
from tests.quick import EVIDENCE_ONLY
from tests.waiting import wait_until

JAM = ("--fault", "jam:head9")
"""A fault of a drop head that no table has."""
SHORT = ("--tables", "2", "--speed", "25", "--listen", "127.0.0.1:0")


def demo(*options: str) -> subprocess.Popen[str]:
    """Start the command."""
    return subprocess.Popen(
        [*COMMAND, "floor", "demo", *SHORT, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def events_in(folder: Path) -> list[int]:
    """Return the number of events in the audit log of each table of a demonstration."""
    logs = sorted(folder.glob("tables/*/audit/events.jsonl"))
    return [len(log.read_text().splitlines()) for log in logs]


def processes_in(folder: Path) -> list[str]:
    """Return the command lines of the processes that name a folder."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if str(folder) in words:
            found.append(words)
    return found


def read_until(running: subprocess.Popen[str], pattern: re.Pattern[str]) -> str:
    """Read what a process prints until the pattern is in it; after two minutes, kill it."""
    assert running.stdout is not None
    killer = threading.Timer(120, running.kill)
    killer.start()
    try:
        text = ""
        while not pattern.search(text) and (line := running.stdout.readline()):
            text += line
    finally:
        killer.cancel()
    assert pattern.search(text), text
    return text


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that the user `postgres` can reach; those of pytest are for root only."""
    with tempfile.TemporaryDirectory(prefix="wallwright-demo-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["postgresql", pytest.param("sqlite", marks=EVIDENCE_ONLY)])
def test_every_event_of_the_tables_is_in_the_database(open_folder: Path, kind: str) -> None:
    folder = open_folder / "floor"
    running = demo(
        *("--database", kind, "--check", "--folder", str(folder)), *("--fault", "jam:head0#3")
    )
    wait_until(
        lambda: running.poll() is not None or sum(each > 5 for each in events_in(folder)) > 1,
        lambda: events_in(folder),
        pause=lambda: time.sleep(0.2),  # the demonstration needs the processor
    )
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=200)
    assert (running.returncode, err) == (0, ""), out
    assert "The page of the floor demo: http://127.0.0.1:" in out
    assert "#first-start=" in out
    assert "with the key" not in out, "the tables of the demonstration have the keys"
    counts = re.findall(r"t0\d: (\d+) events, all in the database, once and in order", out)
    assert len(counts) == 2
    assert all(int(count) > 5 for count in counts)
    assert len(re.findall(r"t0\d: \d+ rounds, .* on the floor's page, as in its journal", out)) == 2
    assert processes_in(folder) == []


@pytest.mark.slow
def test_ctrl_c_ends_every_process_and_the_folder_can_be_used_again(tmp_path: Path) -> None:
    folder = tmp_path / "floor"
    for _ in range(2):
        running = demo("--tables", "1", "--database", "sqlite", "--folder", str(folder), "--check")
        read_until(running, re.compile("tables run"))
        assert len(processes_in(folder)) >= 3
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=150)
        assert (running.returncode, err) == (0, ""), out
        assert processes_in(folder) == []
    for file in (folder / "logs", folder / "floor", folder / "authority"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o700


@pytest.mark.slow
def test_a_fault_that_a_table_does_not_have_ends_the_demonstration(tmp_path: Path) -> None:
    folder = str(tmp_path / "f")
    running = demo(*("--tables", "1", "--database", "sqlite"), *("--folder", folder), *JAM)
    _, err = running.communicate(timeout=100)
    assert running.returncode == 2
    assert err.startswith("The table t01 refuses its options:")
    assert processes_in(tmp_path) == []


@pytest.mark.slow
def test_an_address_that_the_page_cannot_have_is_named_at_once(tmp_path: Path) -> None:
    one = ("--tables", "1", "--database", "sqlite", "--folder", str(tmp_path / "f"))
    running = demo(*one, "--listen", "0.0.0.0:0")
    _, err = running.communicate(timeout=100)
    assert running.returncode == 2
    assert err.startswith("The floor service refuses its options:")
    log = (tmp_path / "f" / "logs" / "floor-service.log").read_text()
    assert log.count("0.0.0.0") == 1, "it was not started again"  # noqa: S104 - in a text
    assert processes_in(tmp_path) == []


@pytest.mark.slow
def test_the_floor_service_serves_after_its_last_line(tmp_path: Path) -> None:
    serving = subprocess.Popen(
        [
            *(*COMMAND, "floor", "serve", "--floor", "demo", "--broker", "127.0.0.1:1"),
            *("--data", str(tmp_path), "--listen", "127.0.0.1:0"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    printed = read_until(serving, demonstration.SERVES)
    serving.send_signal(signal.SIGTERM)
    assert serving.communicate(timeout=120)[0] == "", "lines after the last one"
    shown = [line[0].partition(":")[0] for line in demonstration.PRINTED.finditer(printed)]
    assert shown == ["The page of the floor demo", "Set up the first technician"]


def test_a_missing_broker_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demonstration.shutil, "which", lambda *_, **__: None)
    with pytest.raises(DemoError, match="on Debian: sudo apt install mosquitto"):
        demonstration._mosquitto()


def test_without_postgresql_the_database_is_sqlite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "postgresql_programs", lambda: None)
    made = demonstration.asyncio.run(preparation.prepare_database(tmp_path, 5432, None))
    assert made.url == f"sqlite:///{tmp_path}/floor.db"
    assert "PostgreSQL is not installed" in made.sentence
    with pytest.raises(DemoError, match="apt install postgresql"):
        demonstration.asyncio.run(preparation.prepare_database(tmp_path, 5432, "postgresql"))


def test_the_newest_postgresql_is_taken(tmp_path: Path) -> None:
    for version in ("9.6", "15", "13"):
        (tmp_path / version / "bin").mkdir(parents=True)
        (tmp_path / version / "bin" / "initdb").touch()
    assert preparation.postgresql_programs(tmp_path) == tmp_path / "15" / "bin"


def test_each_game_of_the_demonstration_fits_on_its_table() -> None:
    assert len(set(KINDS)) == 12
    for kind in KINDS:
        assert fit(load_table(kind[0]), find_game(kind[1]), load_game(kind[1])).fits, kind
    names = [table.name for table in demo_tables(25)]
    assert names[:2] == ["t01", "t02"]
    assert len(set(names)) == 25
