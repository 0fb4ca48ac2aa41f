"""`wallwright backup`: from the terminal, beside a running service, and with bad options."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.controller.cli.conftest import COMMAND, Start, Wallwright
from tests.controller.records.backup.table_folder import table_folder

WORDS = "correct horse battery"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    return table_folder(tmp_path / "data")


def typed(line: str, *answers: str) -> tuple[int, str]:
    """Run a command at a terminal and type the answers; returns its exit code and its screen."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [*COMMAND, *line.split()])  # noqa: S606
    screen = ""
    left = list(answers)
    end = time.monotonic() + 120
    try:
        while True:
            if not select.select([terminal], [], [], max(0.0, end - time.monotonic()))[0]:
                os.kill(child, signal.SIGKILL)
                raise AssertionError(f"the command has not ended:\n{screen}")
            if not (piece := os.read(terminal, 4096).decode()):
                break
            screen += piece
            if left and screen.count("assphrase") > len(answers) - len(left):
                os.write(terminal, left.pop(0).encode() + b"\n")
    except OSError:
        pass  # the command has ended
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), screen


@pytest.mark.slow
def test_a_passphrase_is_typed_twice_and_never_shown(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "table.backup"
    code, screen = typed(f"backup create {file} --data {data}", WORDS, WORDS + "!")
    assert (code, file.exists()) == (2, False)
    assert "The two passphrases are different" in screen
    code, screen = typed(f"backup create {file} --data {data}", WORDS, WORDS)
    assert (code, WORDS in screen) == (0, False)
    assert "audit log 6 events, without its private key" in screen
    code, screen = typed(f"backup restore {file} --data {tmp_path / 'to'}", "a wrong passphrase")
    assert (code, (tmp_path / "to").exists()) == (2, False)
    assert "the passphrase is wrong" in screen
    code, screen = typed(f"backup restore {file} --data {tmp_path / 'to'}", WORDS)
    assert (code, WORDS in screen) == (0, False)
    assert "A new audit log begins" in screen


@pytest.mark.slow
def test_a_backup_is_made_beside_a_running_service_and_not_restored_onto_it(
    start: Start, wallwright: Wallwright, tmp_path: Path
) -> None:
    data, file = tmp_path / "data", tmp_path / "backup"
    process = start(
        f"serve --table pai_gow --sim 40 --game pai_gow --automatic --listen 127.0.0.1:0"
        f" --data {data}"
    )
    assert process.stdout is not None
    process.stdout.readline()
    for number in range(5):
        made = wallwright(f"backup create {file}{number} --data {data} --plain")
        assert made.code == 0, made.err
        assert "plain" in made.out
    refused = wallwright(f"backup restore {file}4 --data {data} --replace")
    assert refused.code == 2
    assert "Stop the service first" in refused.err
    second = subprocess.run(
        [*COMMAND, "serve", "--data", str(data), "--listen", "127.0.0.1:0"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert second.returncode == 2
    assert "Another service or a restore uses the folder" in second.stderr
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=120)
    for number in range(5):
        done = wallwright(f"backup restore {file}{number} --data {data} --replace")
        assert done.code == 0, done.err
    shown = wallwright(f"doctor --data {data} --json").out
    assert re.search(r'"state": "(intact|missing)"', shown)
    process = start(
        f"serve --table pai_gow --sim 40 --automatic --listen 127.0.0.1:0 --data {data}"
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("The panel of the table")
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")


def test_a_backup_for_a_key_is_made_shown_and_restored(
    data: Path, tmp_path: Path, wallwright: Wallwright
) -> None:
    public = wallwright(f"backup make-key {tmp_path / 'key'}").out.strip()
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    file = tmp_path / "backup"
    made = wallwright(f"backup create {file} --data {data} --recipient {public} --with-log-key")
    assert (made.code, made.err) == (0, "")
    assert "audit log 6 events, with its private key" in made.out
    shown = wallwright(f"backup show {file} --identity {tmp_path / 'key'}")
    assert shown == made
    found = wallwright(f"backup show {file} --identity {tmp_path / 'key'} --json").json
    assert found["format"] == "wallwright-backup/1"
    done = wallwright(
        f"backup restore {file} --data {tmp_path / 'to'} --identity {tmp_path / 'key'}"
        f" --continue-log --configuration {tmp_path / 'etc'}"
    )
    assert (done.code, done.err) == (0, "")
    assert "The journal has an unfinished run: the next start goes on with it." in done.out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("", "no terminal is attached to enter it: give --passphrase-file FILE"),
        ("--plain --recipient age1x", "Give one of --passphrase-file, --recipient and --plain."),
        ("--recipient age1x", "is not a public key"),
        ("--passphrase-file /no/such/file", "/no/such/file cannot be read"),
        ("--plain --configuration /no/such", "There is no file or folder /no/such"),
        ("--plain --keys /no/such", "There is no key file /no/such"),
        ("--plain --with-log-key", "A plain backup holds no private key"),
    ],
)
def test_a_bad_option_is_refused_and_nothing_is_written(
    data: Path, tmp_path: Path, wallwright: Wallwright, options: str, sentence: str
) -> None:
    file = tmp_path / "backup"
    result = wallwright(f"backup create {file} --data {data} {options}")
    assert (result.code, result.out) == (2, "")
    assert sentence in result.err
    assert not file.exists()
    missing = wallwright(f"backup show {file}")
    assert (missing.code, "cannot be read" in missing.err) == (2, True)
