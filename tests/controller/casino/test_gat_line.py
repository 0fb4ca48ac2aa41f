"""Both sides of GAT on a serial line: a terminal checks a signed program."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from controller.casino.gat import port as gat_port
from controller.casino.gat.frames import (
    SPECIAL_FUNCTIONS,
    GatCommand,
    GatError,
    GatFrame,
    GatPortError,
    GatStart,
    GatState,
)
from controller.casino.gat.functions import GatRequest, answers_in
from controller.casino.gat.port import GatPort, calculated, components, open_port
from controller.casino.gat.terminal import GatTerminal
from controller.cli import main
from controller.cli.runs import gat_session
from controller.records.identity.boot import VARIABLE
from controller.records.identity.manifest import ALL_FILES, answer
from tests.controller.casino.serial_line import SerialLine, serial_line
from tests.controller.records.identity.signed_program import (
    ROOTS,
    SignedProgram,
    command_of,
    installed_program,
    small_program,
    wallwright,
)

pytestmark = pytest.mark.timeout(2400)  # a calculation runs at the lowest priority
CALCULATES = 1200.0
"""Seconds in which a calculation has to end."""
SEED = bytes(range(20))
ALL = GatRequest(SPECIAL_FUNCTIONS, SEED)
Records = list[tuple[str, dict[str, object]]]
Use = Callable[[GatTerminal], Awaitable[None]]


@pytest.fixture
def line() -> Iterator[SerialLine]:
    with serial_line() as found:
        yield found


@pytest.fixture(autouse=True)
def _for_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Terminals ask for the status more often, and wait for the replies of a busy computer."""
    monkeypatch.setattr("controller.casino.gat.terminal.POLL", 0.05)
    monkeypatch.setattr("controller.casino.gat.terminal.REPLY_LIMIT", 30.0)


@pytest.fixture
def signed(tmp_path: Path) -> SignedProgram:
    program = small_program(tmp_path)
    program.sign({"program": "controller", "table": "table.yaml"})
    return program


def check(line: SerialLine, use: Use, calculate: gat_port.Calculate) -> Records:
    """Use a terminal while a responder answers; returns the recorded calculations."""
    records: Records = []

    async def both() -> None:
        names = (ALL_FILES, "program", "table")
        opener = partial(open_port, line.machine)
        machine = GatPort(names, calculate, lambda *facts: records.append(facts), print, opener)
        answering = asyncio.ensure_future(machine.run())
        transport = open_port(line.terminal)
        try:
            async with asyncio.timeout(1200.0):
                await use(GatTerminal(transport))
        finally:
            transport.close()
            answering.cancel()
            await asyncio.wait((answering,))

    asyncio.run(both())
    return records


def of_program(signed: SignedProgram) -> gat_port.Calculate:
    async def calculate(seed: bytes, component: str | None) -> dict[str, str]:
        return await calculated(signed.trust, seed, component, signed.program)

    return calculate


def test_a_terminal_gets_the_answers_that_identity_challenge_gives(
    line: SerialLine, signed: SignedProgram
) -> None:
    found: dict[str, str] = {}

    async def use(terminal: GatTerminal) -> None:
        found.update(answers_in(await terminal.calculated(ALL, CALCULATES)))
        one = GatRequest(SPECIAL_FUNCTIONS, SEED, "table")
        assert answers_in(await terminal.calculated(one, CALCULATES)) == {"table": found["table"]}
        assert (await terminal.last_status()).level == SPECIAL_FUNCTIONS

    assert components(signed.trust, signed.program) == (ALL_FILES, "program", "table")
    records = check(line, use, of_program(signed))
    roots = {"program": "controller", "table": "table.yaml"}
    assert found[ALL_FILES] == answer(SEED, roots, signed.program)
    assert found["table"] == answer(SEED, {"table": "table.yaml"}, signed.program)
    assert [what for what, _ in records] == ["started", "complete", "started", "complete"]
    assert records[1][1]["seed"] == SEED.hex()
    assert records[1][1]["answers"] == found


def test_a_changed_file_changes_the_answers_of_its_component_only(
    line: SerialLine, signed: SignedProgram
) -> None:
    async def use(terminal: GatTerminal) -> None:
        before = answers_in(await terminal.calculated(ALL, CALCULATES))
        (signed.program / "table.yaml").write_text("name: other\n")
        after = answers_in(await terminal.calculated(ALL, CALCULATES))
        assert {name for name in before if before[name] != after[name]} == {ALL_FILES, "table"}

    check(line, use, of_program(signed))


def test_the_status_is_answered_while_a_calculation_runs(line: SerialLine) -> None:
    async def use(terminal: GatTerminal) -> None:
        assert await terminal.start(ALL) & GatStart.STARTED
        for _ in range(5):
            assert (await terminal.status()).state is GatState.CALCULATING
        with pytest.raises(GatError, match="busy with another calculation"):
            await terminal.calculated(ALL, CALCULATES)

    async def endless(_: bytes, __: str | None) -> dict[str, str]:
        await asyncio.sleep(3600.0)
        return {}

    assert [what for what, _ in check(line, use, endless)] == ["started"]


def test_a_lost_reply_to_a_request_does_not_fail_the_calculation(
    line: SerialLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The terminal sends the request again, and the machine is busy with it."""
    monkeypatch.setattr("controller.casino.gat.terminal.REPLY_LIMIT", 0.2)
    monkeypatch.setattr("controller.casino.gat.terminal.ATTEMPTS", 1000)
    replies: list[GatStart] = []
    was_seen = asyncio.Event()

    async def use(terminal: GatTerminal) -> None:
        feed = terminal._reader.feed

        def without_the_first(data: bytes, at: float) -> Iterator[GatFrame]:
            for frame in feed(data, at):
                if frame.command is GatCommand.START_REPLY:
                    replies.append(GatStart(frame.data[0]))
                    if len(replies) == 1:
                        continue
                elif len(replies) > 1:
                    was_seen.set()
                yield frame

        monkeypatch.setattr(terminal._reader, "feed", without_the_first)
        assert answers_in(await terminal.calculated(ALL, CALCULATES)) == {"table": "12"}

    async def calculate(_: bytes, __: str | None) -> dict[str, str]:
        await was_seen.wait()
        return {"table": "12"}

    assert [what for what, _ in check(line, use, calculate)] == ["started", "complete"]
    assert replies[:2] == [GatStart.ACKNOWLEDGED | GatStart.STARTED, GatStart(0)]


def test_noise_on_the_line_delays_a_terminal_and_does_not_stop_the_machine(
    line: SerialLine,
) -> None:
    async def use(terminal: GatTerminal) -> None:
        terminal.transport.write(bytes(range(256)) * 8)
        await asyncio.sleep(0.2)
        assert (await terminal.status()).state is GatState.IDLE

    async def none(_: bytes, __: str | None) -> dict[str, str]:
        return {}

    assert check(line, use, none) == []


def test_a_calculation_that_fails_is_reported_to_terminal_and_record(
    line: SerialLine, signed: SignedProgram
) -> None:
    signed.manifest.write_bytes(b"{}")

    async def use(terminal: GatTerminal) -> None:
        with pytest.raises(GatError, match="calculation failed"):
            await terminal.calculated(ALL, CALCULATES)

    (_, (what, facts)) = check(line, use, of_program(signed))
    assert what == "failed"
    assert "is damaged" in str(facts["reason"])


def test_a_calculation_has_a_limit(signed: SignedProgram) -> None:
    with pytest.raises(GatError, match="did not end within 0 s"):
        asyncio.run(calculated(signed.trust, SEED, None, signed.program, limit=0.0))


def test_a_silent_machine_is_named_after_three_attempts(
    line: SerialLine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.casino.gat.terminal.REPLY_LIMIT", 0.05)
    assert main(["casino", "gat-query", "--port", line.terminal]) == 1
    assert "The machine did not answer 3 times" in capsys.readouterr().err


def test_a_port_that_disappears_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gat_port, "REOPEN", 0.01)
    sentences: list[str] = []
    again = asyncio.Event()

    def lost(sentence: str) -> None:
        sentences.append(sentence)
        if len(sentences) == 2:
            again.set()

    async def none(_: bytes, __: str | None) -> dict[str, str]:
        return {}

    async def run() -> None:
        lines = [serial_line(), serial_line()]
        first, second = (each.__enter__() for each in lines)
        names = iter([first.machine, "/nowhere", second.machine])
        machine = GatPort((), none, lambda *_: None, lost, lambda: open_port(next(names)))
        answering = asyncio.ensure_future(machine.run())
        await asyncio.sleep(0)
        lines[0].__exit__(None, None, None)
        transport = open_port(second.terminal)
        async with asyncio.timeout(60.0):
            await again.wait()
            assert (await GatTerminal(transport).status()).state is GatState.IDLE
        transport.close()
        answering.cancel()
        await asyncio.wait((answering,))
        lines[1].__exit__(None, None, None)

    asyncio.run(run())
    assert "has disappeared" in sentences[0]
    assert sentences[1] == "The GAT port is there again."


def test_a_port_that_does_not_exist_is_refused() -> None:
    with pytest.raises(GatPortError, match="port /nowhere cannot be opened"):
        open_port("/nowhere")


def test_an_unsigned_program_answers_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert main(["casino", "gat", "--port", "/dev/null"]) == 2
    assert "This program is not signed" in capsys.readouterr().err


def test_a_stop_signal_ends_the_command_as_soon_as_it_has_printed_its_line(
    line: SerialLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def printed(text: str, *, flush: bool) -> None:
        assert flush and text.startswith("Answering GAT queries on ")
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(gat_session, "components", lambda _: ("table",))
    monkeypatch.setattr(gat_session, "print", printed, raising=False)
    assert gat_session.answer_terminals(line.machine, tmp_path) == 128 + signal.SIGTERM


@pytest.mark.slow
def test_the_two_commands_check_an_installed_program(line: SerialLine, tmp_path: Path) -> None:
    installed = installed_program(tmp_path)
    machine = subprocess.Popen(
        command_of(installed, "casino", "gat", "--port", line.machine),
        env={VARIABLE: str(installed.trust)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert machine.stdout is not None
    try:
        assert machine.stdout.readline().startswith("Answering GAT queries on ")
        query = ("casino", "gat-query", "--port", line.terminal)
        listed = wallwright(installed, *query, "--functions")
        assert re.findall(r"^Component  ([\w ]+?)  ", listed.stdout, re.MULTILINE) == [
            ALL_FILES,
            *sorted(ROOTS),
        ]
        answered = wallwright(installed, *query, "--seed", SEED.hex(), "--json")
        answers = json.loads(answered.stdout)["components"]
        own = wallwright(installed, "identity", "challenge", SEED.hex(), "--json")
        assert answers == json.loads(own.stdout)["components"]
        unknown = wallwright(installed, *query, "--component", "daemon")
        assert unknown.returncode == 1
        assert "refused the request" in unknown.stderr
    finally:
        machine.send_signal(signal.SIGINT)
        out, _ = machine.communicate(timeout=120)
    assert machine.returncode == 130
    calculations = [json.loads(text) for text in out.splitlines()]
    assert [each["calculation"] for each in calculations] == ["started", "complete"]
    assert calculations[1]["answers"] == answers


@pytest.mark.slow
def test_a_service_answers_a_terminal_and_records_the_check_in_its_audit_log(
    line: SerialLine, tmp_path: Path
) -> None:
    installed = installed_program(tmp_path)
    options = ("--sim", "20", "--listen", "127.0.0.1:0", "--data", str(tmp_path / "data"))
    service = subprocess.Popen(
        command_of(installed, "serve", *options, "--gat", line.machine),
        env={VARIABLE: str(installed.trust)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert service.stdout is not None
    try:
        assert service.stdout.readline().startswith("The panel of the table robotic")
        query = ("casino", "gat-query", "--port", line.terminal, "--component", "rules")
        answered = wallwright(installed, *query, "--seed", SEED.hex())
        own = wallwright(installed, "identity", "challenge", SEED.hex(), "--json")
        answer_of_rules = json.loads(own.stdout)["components"]["rules"]
        assert answered.stdout == f"seed  {SEED.hex()}\nrules  {answer_of_rules}\n"
    finally:
        service.send_signal(signal.SIGTERM)
        service.communicate(timeout=120)
    assert service.returncode == 0
    text = (tmp_path / "data" / "audit" / "events.jsonl").read_text("utf-8")
    events = [json.loads(each) for each in text.splitlines()]
    checks = [each for each in events if each["what"].startswith("gat_")]
    assert [each["what"] for each in checks] == ["gat_started", "gat_complete"]
    assert checks[1]["details"]["answers"] == {"rules": answer_of_rules}
    assert checks[1]["from"] == line.machine
