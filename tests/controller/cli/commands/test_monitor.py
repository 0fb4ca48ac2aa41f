"""`wallwright monitor` in a terminal of 80 columns and 24 rows."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controller.cli.conftest import Start, Wallwright
from tests.controller.cli.monitor.fake_stream import TOKEN, FakeStream
from tests.controller.cli.monitor.statuses import JAM, PLAYING, as_json
from tests.controller.cli.terminal.terminal_session import TerminalSession


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy computer `--once` waits longer than 5 s for the first status, in this process."""
    monkeypatch.setattr("controller.cli.monitor.watching.FIRST", 60.0)


@pytest.fixture
def fake() -> Iterator[FakeStream]:
    with FakeStream(as_json(PLAYING)) as fake:
        yield fake


@pytest.fixture
def token(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n", "utf-8")
    return file


def until_shown(terminal: TerminalSession, *texts: str, without: str = "") -> str:
    """Wait until all texts are visible (not scrolled off) and `without` is not; returns the screen.

    On a busy computer a screen arrives in parts and may show one text and not yet another.
    """
    end = time.monotonic() + 120.0
    while True:
        shown = terminal.for_a_while(0.2)
        missing = [text for text in texts if text not in shown]
        if not missing and not (without and without in shown):
            return shown
        assert time.monotonic() < end, f"no {missing}, or '{without}', on the screen:\n{shown}"


@pytest.mark.slow
@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}], ids=["colour", "no colour"])
def test_the_terminal_shows_the_table_and_follows_its_changes(
    fake: FakeStream, token: Path, environment: dict[str, str]
) -> None:
    line = f"monitor {fake.address} --token-file {token}"
    with TerminalSession(line, columns=80, height=24, environment=environment) as terminal:
        until_shown(
            terminal, "Wenzhou mahjong, 3 rounds played", "0     East   Ann", "272 of 272 tiles"
        )
        fake.publish(prompts=[JAM.model_dump(mode="json")])
        shown = until_shown(
            terminal, "for the attendant (JAM: head 2)", "Wenzhou mahjong, 3 rounds"
        )
        assert shown.count("Wenzhou mahjong") == 1, "the page is drawn over itself"
        fake.publish(prompts=[])
        until_shown(terminal, "Wenzhou mahjong", without="WAITING")
        terminal.types("\x03")
        assert terminal.ends() == 130


@pytest.mark.slow
def test_a_stopped_service_is_shown_and_the_monitor_connects_again_by_itself(
    fake: FakeStream, token: Path
) -> None:
    with TerminalSession(
        f"monitor {fake.address} --token-file {token}", columns=80, height=24
    ) as terminal:
        until_shown(terminal, "3 rounds played")
        fake.stop()
        until_shown(terminal, "CONNECTION LOST", "3 rounds played")
        fake.status["session"]["rounds"] = 4
        fake.run = "run2"
        fake.start()
        until_shown(terminal, "4 rounds played", without="CONNECTION LOST")
        terminal.types("\x03")
        assert terminal.ends() == 130


@pytest.mark.slow
def test_without_a_service_the_monitor_waits_for_one(token: Path) -> None:
    with TerminalSession(
        f"monitor 127.0.0.1:9 --token-file {token}", columns=80, height=24
    ) as terminal:
        until_shown(terminal, "CONNECTION LOST for", "s: no service listens there.")
        # Each attempt is shown for a second or more; a busy computer can miss one.
        end = time.monotonic() + 120.0
        while not re.search(r"attempt ([2-9]|\d\d)", shown := terminal.for_a_while(0.2)):
            assert time.monotonic() < end, shown


def test_a_refused_token_ends_the_command_with_a_sentence(
    fake: FakeStream, wallwright: Wallwright
) -> None:
    result = wallwright(f"monitor {fake.address} --once")
    assert (result.code, result.out) == (2, "")
    assert "refuses a client without a token" in result.err
    assert result.err.endswith("Give its file with --token-file.\n")


def test_one_status_is_printed_for_people_and_for_programs(
    fake: FakeStream, token: Path, wallwright: Wallwright
) -> None:
    result = wallwright(f"monitor {fake.address} --once --token-file {token}")
    assert (result.code, result.err) == (0, "")
    assert "Wenzhou mahjong, 3 rounds played" in result.out
    assert "event number 0" in result.out
    found = wallwright(f"monitor {fake.address} --json --token-file {token}").json
    assert found == json.loads(json.dumps(fake.status))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("monitor http://a/b", "is not the address of a service"),
        ("monitor --token-file /nonexistent/token", "cannot be read; check its path"),
        ("monitor 192.0.2.7 --token-file {token}", "would send the token to http://192"),
        ("monitor https://192.0.2.7 --ca-file {token}", "is not a certificate file"),
    ],
)
def test_bad_options_are_refused_before_a_connection(
    line: str, sentence: str, token: Path, wallwright: Wallwright
) -> None:
    result = wallwright(line.format(token=token))
    assert (result.code, result.out) == (2, "")
    assert sentence in result.err


@pytest.mark.slow
def test_without_a_service_one_status_is_exit_code_1(start: Start) -> None:
    for _ in range(5):
        process = start("monitor 127.0.0.1:9 --once")
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out) == (1, "")
        if "no answer" not in err:  # a busy computer may refuse nothing within 5 s
            break
    assert err == "No status from http://127.0.0.1:9: no service listens there.\n"
