"""After a restart the status has the same round as before it, and the match continues."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from controller.service.status import RoundStatus, SessionStatus, Status
from firmware_bridge.sim.clock import run
from rules.games.pai_gow.match import PaiGowMatch
from tests.controller.service.service_at_a_table import Guests, at_a_table
from tests.controller.service.surviving_service import SurvivingTable


def test_the_round_its_dealer_and_its_open_tiles_are_shown_after_a_restart(tmp_path: Path) -> None:
    seen: list[tuple[RoundStatus, SessionStatus]] = []

    async def play(guests: Guests) -> None:
        choice = {"game": "wenzhou", "follow_play": True, "dealer": 2}
        await guests.give("start_session", choice=choice)
        await guests.until(lambda s: bool(s.round and s.round.acts >= 30), limit=7200)
        await guests.give("automatic", on=False)
        await guests.until(lambda s: any(prompt.kind == "act" for prompt in s.prompts))
        await note(guests)

    async def restart(guests: Guests) -> None:
        guests.service.guide.automatic = False
        await guests.until(lambda s: any(prompt.kind == "act" for prompt in s.prompts))
        await note(guests)

    async def note(guests: Guests) -> None:
        assert guests.status.round is not None and guests.status.session is not None
        seen.append((guests.status.round, guests.status.session))

    async def evening() -> None:
        table = SurvivingTable("robotic", tmp_path, 3)
        await table.host(play, kill=True)
        await table.host(restart)

    run(evening())
    (before, session), (after, again) = seen
    assert after == before
    assert after.dealer == 2 and after.indicator_face
    assert after.open_tiles is not None and after.open_tiles.played
    assert [seat.wind for seat in again.seats] == ["West", "North", "East", "South"]
    assert again.seats == session.seats


def rotation(status: Status) -> tuple[int, int]:
    """Return the number of rounds that are over, and the seat of the bank."""
    assert status.session is not None
    return status.session.rounds, [seat.dealer for seat in status.session.seats].index(True)


@pytest.mark.parametrize("follow_play", [False, True])
def test_the_bank_goes_round_the_table_although_its_simulated_table_begins_anew_twice(
    follow_play: bool, tmp_path: Path
) -> None:
    """After each restart all tiles are in their boxes, and the session and its match continue."""
    banks: list[tuple[int, int]] = []

    def until_dealt(rounds: int) -> Callable[[Guests], Awaitable[None]]:
        async def play(guests: Guests) -> None:
            if not banks:
                rules = {"bank_may_be_declined": False}
                choice = {"game": "pai_gow", "follow_play": follow_play, "house_rules": rules}
                await guests.have("start_session", choice=choice)
            await guests.until(lambda s: s.machine.top == "dealing", limit=40_000)
            banks.append(rotation(guests.status))
            await guests.until(
                lambda s: rotation(s)[0] == rounds and s.machine.top == "dealing", limit=40_000
            )
            banks.append(rotation(guests.status))
            session, daemon = guests.status.session, guests.service.daemon
            assert session is not None and daemon is not None
            if follow_play:
                match = daemon.match
                assert isinstance(match, PaiGowMatch)
                scores = tuple(map(float, match.scores))
                assert scores == pytest.approx(tuple(seat.score for seat in session.seats))

        return play

    for rounds in (1, 2, 2):
        at_a_table(until_dealt(rounds), "pai_gow", store=tmp_path / "evening.db")
    assert banks == [(0, 0), (1, 1), (1, 1), (2, 2), (2, 2), (2, 2)]


def test_the_bank_goes_on_after_an_abandoned_round_and_a_kill_in_the_next_one(
    tmp_path: Path,
) -> None:
    """The run after the abandoned round continues the match; the one after the kill resumes it."""
    banks: list[tuple[int, int]] = []

    async def abandon(guests: Guests) -> None:
        rules = {"bank_may_be_declined": False}
        choice = {"game": "pai_gow", "follow_play": True, "house_rules": rules}
        await guests.have("start_session", choice=choice)
        await guests.until(
            lambda s: bool(s.session and rotation(s)[0] == 1) and s.machine.top == "dealing",
            limit=40_000,
        )
        guests.service.runs.fail("A part is broken.")
        await guests.until(lambda s: s.service.state == "fault")
        await guests.until(lambda s: guests.service.daemon is None)
        await guests.have("clear_fault", abandon=True)
        await guests.until(lambda s: s.machine.top == "dealing", limit=40_000)
        banks.append(rotation(guests.status))

    async def resume(guests: Guests) -> None:
        await guests.until(lambda s: s.machine.top == "playing", limit=40_000)
        banks.append(rotation(guests.status))
        await guests.until(
            lambda s: rotation(s)[0] == 2 and s.machine.top == "dealing", limit=40_000
        )
        banks.append(rotation(guests.status))

    async def evening() -> None:
        table = SurvivingTable("pai_gow", tmp_path, 3)
        await table.host(abandon, kill=True)
        await table.host(resume)

    run(evening())
    assert banks == [(1, 1), (1, 1), (2, 2)]
