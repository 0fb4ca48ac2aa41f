"""Hours at a real table: games change, people come and go, the host is killed and stopped.

The simulated table stands for a real one: its tiles and its boards outlast the host.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import pytest

from config.validation.game_parameters import accepted
from controller.service.status import HandResult
from firmware_bridge.sim.clock import run
from rules.play import HOUSE, plain
from rules.records.record import Replayed, evening
from tests.controller.service.service_at_a_table import Guests
from tests.controller.service.surviving_service import SurvivingTable
from tests.quick import EVIDENCE_ONLY

LENGTH = 5
"""Factor of the durations; with 5 the evening takes more than eight hours."""
HOURS = 8
"""The evening takes at least this long."""
GAMES = ("wenzhou", "pai_gow", "filipino", "draw")


async def _sit_down(guests: Guests, game: str) -> None:
    reply = await guests.give(
        "start_session",
        choice={"game": game, "follow_play": True},
        names={0: "Ann", 1: "Bo"},
    )
    assert reply.state == "done", reply.sentence


def _playing_for(seconds: float) -> Callable[[Guests], Awaitable[None]]:
    async def scenario(guests: Guests) -> None:
        await asyncio.sleep(seconds)
        tiles = guests.status.tiles
        assert tiles.expected == tiles.accounted

    return scenario


async def _scores_equal_the_records(guests: Guests) -> int:
    """Replay the record of every session; returns how many hands were settled."""
    settled = 0
    for session in await guests.port.sessions(None, 100):
        results = await guests.port.results(session.id, 0, 1000)
        assert [result.number for result in results] == list(range(1, len(results) + 1))
        lines: list[str] = []
        played: list[HandResult] = []
        for result in results:
            record = await guests.port.record(session.id, result.number)
            assert record is not None
            lines += record.lines
            played += [result] if record.lines else []
        hands = list(evening(lines, lambda name, changed: accepted(name, changed)[0]))
        assert len(hands) == len(played)
        for hand, result in zip(hands, played, strict=True):
            settled += _same(hand, result)
    return settled


def _same(hand: Replayed, result: HandResult) -> bool:
    """Whether the replayed hand has a settlement, which must be that of the result."""
    settlement = hand.play.settlement
    assert hand.game == result.game
    if settlement is None:
        assert result.abandoned
        return False
    replayed = [
        (None if payment.source == HOUSE else payment.source, plain(payment.amount))
        for payment in settlement.payments
    ]
    assert replayed == [(payment.payer, payment.amount) for payment in result.payments]
    return True


@pytest.mark.slow
@pytest.mark.parametrize("killed_after", [6.0, pytest.param(40.0, marks=EVIDENCE_ONLY)])
def test_a_killed_host_continues_the_hand_and_a_stopped_one_gathers_nothing(
    tmp_path: Path, killed_after: float
) -> None:
    async def nights() -> None:
        table = SurvivingTable("robotic", tmp_path, seed=3)

        async def evening_begins(guests: Guests) -> None:
            await _sit_down(guests, "wenzhou")
            await guests.until(lambda s: bool(s.session and s.session.rounds == 1))
            await asyncio.sleep(152)  # after 150 s the arm brings a tile, and no action is awaited
            assert (await guests.give("correct", acts=3)).state == "done"
            await asyncio.sleep(killed_after)

        await table.host(evening_begins, kill=True)
        await table.host(_playing_for(400), kill=True)
        await table.host(_playing_for(300))
        await asyncio.sleep(9 * 3600)

        async def morning_after(guests: Guests) -> None:
            session = guests.status.session
            assert session is None or session.rounds >= 1
            await guests.until(lambda s: bool(s.session and s.session.rounds >= 5))
            session = guests.status.session
            assert session is not None
            assert [seat.name for seat in session.seats][:2] == ["Ann", "Bo"]
            assert await _scores_equal_the_records(guests) >= 4
            assert sum(seat.score for seat in session.seats) == 0

        await table.host(morning_after)
        names = [event["event"] for event in table.events]
        assert names.count("run_resumed") == 3
        assert "put_away_requested" not in names
        assert "fault" not in names
        assert table.tables == 1

    run(nights())


@pytest.mark.slow
@pytest.mark.parametrize(("channel", "moves_tiles"), [("drum", False), ("lift1", True)])
def test_after_service_mode_the_tiles_stay_unless_a_part_moved_them(
    tmp_path: Path, channel: str, moves_tiles: bool
) -> None:
    async def night() -> None:
        table = SurvivingTable("robotic", tmp_path, seed=3)

        async def service(guests: Guests) -> None:
            await _sit_down(guests, "wenzhou")
            await guests.until(lambda s: bool(s.session and s.session.rounds == 1))
            await guests.give("end_session")
            await guests.until(lambda s: s.session is None, limit=7200)
            await asyncio.sleep(200)
            assert (await guests.give("enter_service_mode")).state == "done"
            jog = {"channel": channel, "direction": "forward", "speed": 1000, "press": "1"}
            reply = await guests.give("jog", **jog)
            assert reply.state == "done", reply.sentence
            await asyncio.sleep(1.0)
            assert (await guests.give("leave_service_mode")).state == "done"
            await _sit_down(guests, "wenzhou")
            await guests.until(lambda s: bool(s.session and s.session.rounds == 1), limit=7200)
            assert guests.status.tiles.expected == guests.status.tiles.accounted

        await table.host(service)
        names = [event["event"] for event in table.events]
        assert names.count("put_away_requested") == moves_tiles
        assert names.count("run_resumed") == (not moves_tiles)

    run(night())


async def _games(guests: Guests) -> set[str]:
    """The games of all hands that were settled."""
    sessions = await guests.port.sessions(None, 100)
    return {hand.game for each in sessions for hand in await guests.port.results(each.id, 0, 1000)}


@pytest.mark.slow
@EVIDENCE_ONLY
def test_hours_with_four_games_and_five_restarts(tmp_path: Path) -> None:
    chance = Random(20261123)

    async def night() -> None:
        table = SurvivingTable("robotic", tmp_path, seed=5)
        kills = [True, False, True, False, True]
        chance.shuffle(kills)

        async def begin(guests: Guests) -> None:
            await _sit_down(guests, GAMES[0])
            await asyncio.sleep(chance.uniform(250, 600) * LENGTH)

        await table.host(begin, kill=kills[0])
        for number, kill in enumerate([*kills[1:], False]):

            async def change(guests: Guests, number: int = number) -> None:
                await asyncio.sleep(chance.uniform(250, 600) * LENGTH)
                if guests.status.session is None:
                    await _sit_down(guests, GAMES[(number + 1) % 4])
                else:
                    choice = {"game": GAMES[(number + 1) % 4], "follow_play": True}
                    await guests.have("choose_next", choice=choice)
                await guests.have("name_players", names={chance.randrange(2): f"guest {number}"})
                await asyncio.sleep(chance.uniform(700, 1200) * LENGTH)
                tiles = guests.status.tiles
                assert tiles.expected == tiles.accounted

            await table.host(change, kill=kill)

        async def end(guests: Guests) -> None:
            await guests.have("end_session")
            await guests.until(lambda s: s.session is None, limit=7200)
            assert await _scores_equal_the_records(guests) > 20
            assert await _games(guests) == set(GAMES)

        await table.host(end)
        names = [event["event"] for event in table.events]
        assert names.count("put_away_requested") == table.tables - 1 >= len(GAMES)
        assert "fault" not in names
        assert asyncio.get_running_loop().time() > HOURS * 3600

    run(night())
