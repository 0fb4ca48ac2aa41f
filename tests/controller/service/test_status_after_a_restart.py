"""After a restart during a hand the status has the same round as before it."""

from __future__ import annotations

from pathlib import Path

from controller.service.status import RoundStatus, SessionStatus
from firmware_bridge.sim.clock import run
from tests.controller.service.service_at_a_table import Guests
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
