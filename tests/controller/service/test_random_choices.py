"""Players see the commitment before the shuffle, add shares, and get the reveal after it."""

from __future__ import annotations

import json

import pytest

from controller.run.chance.source import EntropyFailureError
from controller.run.chance.verification import verify_chance
from controller.service.user_roles import UserRole
from firmware_bridge.sim.host_computer import SeededChance
from tests.controller.service.service_at_a_table import Guests, at_a_table


def test_players_add_a_share_and_verify_the_choices_after_the_round() -> None:
    async def scenario(guests: Guests) -> None:
        events: list[dict[str, object]] = []
        guests.service.listen(events.append)
        refused = await guests.give("add_share", UserRole.PLAYER, seat=0, share="early")
        assert refused.state == "refused"
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.chance.next is not None)
        before = guests.status.chance.next
        assert before is not None
        reply = await guests.give("add_share", UserRole.PLAYER, seat=2, share="rain")
        await guests.until(lambda s: s.machine.top == "playing")
        playing = guests.status.chance.playing
        assert playing is not None
        assert (playing.cycle, playing.commitment) == (before.cycle, before.commitment)
        code = playing.player_shares[0].code
        sentence = f"The share is number 1 of cycle {before.cycle}; its code is {code}."
        assert reply.sentence == sentence
        assert [(each.seat, each.share) for each in playing.player_shares] == [(2, "rain")]
        assert guests.status.chance.next != before
        await guests.until(lambda s: bool(s.session and s.session.rounds), limit=7200)
        session = guests.status.session
        assert session is not None
        reveal = session.results[0].chance
        assert reveal is not None
        assert reveal.commitment == before.commitment
        record = await guests.port.record("s1", 1)
        assert record is not None
        (revealed,) = [each for each in record.events if each["event"] == "chance_revealed"]
        assert verify_chance(revealed["record"]).is_verified
        names = [event["event"] for event in events]
        shown = json.dumps(events[: names.index("chance_revealed")])
        assert reveal.reveal not in shown

    at_a_table(scenario)


def test_a_share_that_breaks_a_rule_is_refused_with_the_rule() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.chance.next is not None)
        for seat, share, code in (
            (4, "x", "seat"),
            (0, "", "arguments"),
            (0, "x" * 65, "arguments"),
            (0, "a\nb", "not_permitted"),
        ):
            reply = await guests.give("add_share", UserRole.PLAYER, seat=seat, share=share)
            assert (reply.state, reply.code) == ("refused", code), share
        reply = await guests.give("add_share", UserRole.AUDITOR, seat=0, share="x")
        assert reply.code == "role"
        cycle = guests.status.chance.next
        assert cycle is not None
        assert cycle.player_shares == ()

    at_a_table(scenario)


def test_only_a_technician_clears_a_random_source_that_has_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(self: SeededChance, context: str) -> bytes:
        raise EntropyFailureError("repetition count: the byte 0 came 6 times in a row")

    async def scenario(guests: Guests) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(SeededChance, "share", fail)
            await guests.give("start_session", choice={"game": "wenzhou"})
            await guests.until(lambda s: s.service.state == "fault")
        fault = guests.status.fault
        assert fault is not None
        assert (fault.code, fault.role) == ("CHANCE", UserRole.TECHNICIAN)
        assert "repetition count" in fault.evidence
        refused = await guests.give("clear_fault", UserRole.ATTENDANT)
        assert (refused.state, refused.code) == ("refused", "role")
        await guests.give("clear_fault", UserRole.TECHNICIAN)
        await guests.until(lambda s: s.chance.next is not None)

    at_a_table(scenario)


@pytest.mark.parametrize("ends", [False, True], ids=["goes on", "ends"])
def test_a_hand_that_the_table_followed_shows_the_reveal_in_its_result(ends: bool) -> None:
    async def scenario(guests: Guests) -> None:
        choice = {"game": "pai_gow", "follow_play": True}
        await guests.give("start_session", choice=choice)
        await guests.until(lambda s: s.chance.playing is not None, limit=7200)
        playing = guests.status.chance.playing
        assert playing is not None
        if ends:
            await guests.give("end_session")
        await guests.until(lambda s: s.counts.rounds == 1, limit=7200)
        if ends:
            await guests.until(
                lambda s: s.session is None and s.chance.playing != playing, limit=7200
            )
        else:
            await guests.until(
                lambda s: bool(s.session and s.session.results and s.session.results[0].chance),
                limit=600,
            )
        (result, *_) = await guests.port.results("s1", 0, 5)
        assert result.chance is not None
        assert (result.chance.cycle, result.chance.commitment) == (
            playing.cycle,
            playing.commitment,
        )
        assert len(result.chance.reveal) == 64

    at_a_table(scenario, "pai_gow")
