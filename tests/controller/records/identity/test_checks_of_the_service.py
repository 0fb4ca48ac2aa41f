"""Checks at the start, at intervals and on demand, with a copy of the whole program."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from controller.records.identity.boot import software_identity
from controller.records.identity.periodic_check import LIMIT, PeriodicCheck, check_in_process
from controller.records.identity.signing import compile_roots
from tests.controller.records.identity.signed_program import (
    SignedProgram,
    installed_program,
    small_program,
    wallwright,
)
from tests.controller.service.service_at_a_table import Guests, at_a_table


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> SignedProgram:
    """A signed copy of this program."""
    return installed_program(tmp_path_factory.mktemp("installed"))


def test_R12_a_changed_program_does_not_start_and_names_the_file(installed: SignedProgram) -> None:
    whole = wallwright(installed, "version")
    assert whole.returncode == 0
    digest = json.loads(wallwright(installed, "identity", "check", "--json").stdout)["identity"]
    assert whole.stdout.endswith(f" ({digest})\n")
    file = installed.program / "controller" / "cli" / "commands" / "version.py"
    text = file.read_text("utf-8")
    file.write_text(text + "print('the changed program runs')\n", encoding="utf-8")
    for command in (["version"], ["serve"], ["--help"]):
        changed = wallwright(installed, *command)
        assert changed.returncode == 1
        assert changed.stdout == "", "nothing of the program has run"
        assert "controller/cli/commands/version.py was changed" in changed.stderr
    shown = wallwright(installed, "identity", "check")
    assert shown.returncode == 1
    assert "1 different" in shown.stdout
    assert "not signed" in wallwright(installed, "version", trust=False).stdout
    file.write_text(text, encoding="utf-8")
    assert wallwright(installed, "version").returncode == 0


def test_a_challenge_is_answered_by_the_command(installed: SignedProgram) -> None:
    seed = "00112233445566778899aabbccddeeff"
    one = wallwright(installed, "identity", "challenge", seed)
    assert one.returncode == 0
    assert len(one.stdout.strip()) == 64
    short = wallwright(installed, "identity", "challenge", "0011")
    assert short.returncode == 2
    assert "SEED must be 16 bytes or more" in short.stderr


@pytest.mark.timeout(2400)
def test_the_check_of_a_running_service_is_a_process_of_its_own(tmp_path: Path) -> None:
    signed = small_program(tmp_path)

    digest = software_identity(signed.trust)

    def check(expected: str = digest, limit: float = LIMIT) -> str | None:
        return asyncio.run(check_in_process(signed.trust, expected, signed.program, limit))

    assert check() is None
    assert "was exchanged while the service ran" in str(check("0" * 64))
    assert "did not end in time" in str(check(limit=0.0))
    (signed.program / "table.yaml").write_text("name: other\n")
    assert "program/table.yaml was changed" in str(check())


def test_R12_a_changed_file_locks_the_table_until_the_next_start() -> None:
    answers = iter([None, None, "The program is not the one that was signed: x was changed."])

    async def scenario(guests: Guests) -> None:
        async def check() -> str | None:
            return next(answers)

        service = guests.service
        watch = asyncio.ensure_future(PeriodicCheck(check, service.lock_table, 100.0).run())
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.machine.top == "playing")
        assert guests.status.service.state == "session"
        await watch
        await guests.until(lambda s: s.machine.top == "offline")
        assert guests.status.service.state == "fault"
        assert "x was changed" in guests.status.service.sentence
        for command, arguments in (
            ("clear_fault", {}),
            ("enter_service_mode", {}),
            ("start_session", {"choice": {"game": "wenzhou"}}),
        ):
            reply = await guests.give(command, **arguments)
            assert reply.state == "refused", command
        await asyncio.sleep(3600.0)
        assert guests.status.machine.top == "offline"

    at_a_table(scenario)


def test_compiled_modules_are_made_anew_before_signing(tmp_path: Path) -> None:
    source = tmp_path / "program" / "deal.py"
    source.parent.mkdir()
    source.write_text("deal = 13\n")
    compile_roots({"program": "program"}, tmp_path)
    (compiled,) = source.parent.rglob("*.pyc")
    right = compiled.read_bytes()
    compiled.write_bytes(b"\0poisoned")
    compile_roots({"program": "program"}, tmp_path)
    assert compiled.read_bytes() == right
