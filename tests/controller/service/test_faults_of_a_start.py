"""A board that does not answer or a bad file at the start: a sentence, and the service stays."""

from __future__ import annotations

import asyncio
from pathlib import Path

from config.loader import load_table
from config.schema import Table
from controller.run.assembly import Hardware
from controller.run.journal import JournalLockedError
from controller.service.evening.game_choices import PlannedGame
from controller.service.prompts.service_guide import ServiceGuide
from controller.service.runs.openers import SimulatedTable
from controller.service.user_roles import UserRole
from firmware_bridge.wire.errors import BoardSilentError
from rules.errors import WallwrightError
from tests.controller.service.service_at_a_table import Guests, at_a_table


class UnpluggedTwice(SimulatedTable):
    """A simulated table whose cable is plugged in before the third start."""

    starts = 0

    def __call__(self, game: PlannedGame, guide: ServiceGuide) -> Hardware:
        self.starts += 1
        if self.starts < 3:
            raise BoardSilentError("board base: its port cannot be opened.")
        return super().__call__(game, guide)


def test_a_board_that_does_not_answer_is_a_fault_and_the_service_stays() -> None:
    async def scenario(guests: Guests) -> None:
        guests.service.runs.opener = UnpluggedTwice(load_table("robotic"), 1)
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.service.state == "fault")
        assert guests.status.service.sentence == "board base: its port cannot be opened."
        assert (await guests.give("clear_fault", UserRole.PLAYER)).code == "role"
        await guests.give("clear_fault")
        await asyncio.sleep(1)
        assert guests.status.service.state == "fault"
        await guests.give("clear_fault")
        await guests.until(lambda s: s.machine.top == "playing")
        assert guests.status.service.state == "session"

    at_a_table(scenario)


def test_a_journal_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "table.journal"
    file.write_text("no journal\n")

    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.service.state == "fault")
        assert "journal" in guests.status.service.sentence

    assert issubclass(JournalLockedError, WallwrightError)
    at_a_table(scenario, journal=file)


def test_the_file_of_the_table_is_read_again_when_nobody_plays() -> None:
    async def scenario(guests: Guests) -> None:
        def broken() -> Table:
            raise WallwrightError("robotic.yaml:3: `boards` must be a mapping.")

        guests.service.reload(lambda: load_table("auto_deal"))
        await guests.until(lambda s: "arm" not in s.boards)
        guests.service.reload(broken)
        await guests.until(lambda s: "boards" in s.recent[-1].text)
        assert "arm" not in guests.status.boards
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.machine.top == "playing")
        guests.service.reload(lambda: load_table("robotic"))
        await guests.until(lambda s: "in use" in s.recent[-1].text)
        assert "arm" not in guests.status.boards

    at_a_table(scenario)


def test_a_table_that_is_locked_is_not_started_by_clearing_its_fault() -> None:
    """A changed program locks the table. Clearing the fault would run it on people's hands."""

    async def scenario(guests: Guests) -> None:
        guests.service.runs.opener = UnpluggedTwice(load_table("robotic"), 1)
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.service.state == "fault")
        guests.service.lock_table("The program was changed.")
        refused = await guests.give("clear_fault")
        assert (refused.state, refused.code) == ("refused", "locked")
        assert guests.status.service.state == "fault"

    at_a_table(scenario)
