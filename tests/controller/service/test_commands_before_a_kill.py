"""A command whose reply is `done` has its effect also if the host is killed right after it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from controller.service.commands import Actor, CommandRequest
from controller.service.desk import known_replies
from controller.service.user_roles import UserRole
from firmware_bridge.sim.clock import run
from tests.controller.service.service_at_a_table import Guests, at_a_table
from tests.controller.service.surviving_service import SurvivingTable

WENZHOU = {"game": "wenzhou"}


async def playing(guests: Guests) -> None:
    """Begin a session and wait until its first round is ready."""
    await guests.give("start_session", choice=WENZHOU)
    await guests.until(lambda s: s.machine.top == "playing" and s.machine.under == "staged")


def test_a_game_chosen_for_the_next_shuffle_is_still_chosen_after_a_kill(tmp_path: Path) -> None:
    rules = {"reserve": 20}

    async def choose(guests: Guests) -> None:
        await playing(guests)
        reply = await guests.give("choose_next", choice={**WENZHOU, "house_rules": rules})
        assert reply.state == "done", reply.sentence

    async def go_on(guests: Guests) -> None:
        await guests.until(lambda s: s.machine.top == "playing")
        chosen = guests.status.programme.next
        assert chosen is not None and chosen.house_rules == rules
        await guests.until(
            lambda s: bool(s.programme.now and s.programme.now.house_rules == rules), limit=7200
        )
        await guests.until(lambda s: s.programme.next is None)
        assert guests.service.book is not None and guests.service.book.chosen is None

    async def evening() -> None:
        table = SurvivingTable("robotic", tmp_path, 3)
        await table.host(choose, kill=True)
        await table.host(go_on)

    run(evening())


def test_a_session_that_ends_after_the_round_ends_after_it_also_after_a_kill(
    tmp_path: Path,
) -> None:
    async def end(guests: Guests) -> None:
        await playing(guests)
        reply = await guests.give("end_session")
        assert reply.sentence == "The session ends after this round."

    async def go_on(guests: Guests) -> None:
        await guests.until(lambda s: s.machine.top == "playing")
        assert guests.status.session is not None and guests.status.session.ending
        await guests.until(lambda s: s.session is None)

    async def evening() -> None:
        table = SurvivingTable("robotic", tmp_path, 3)
        await table.host(end, kill=True)
        await table.host(go_on)

    run(evening())


def test_a_table_that_a_person_has_paused_stays_paused_after_a_kill(tmp_path: Path) -> None:
    async def pause(guests: Guests) -> None:
        await playing(guests)
        reply = await guests.give("pause")
        assert reply.state == "done"

    async def go_on(guests: Guests) -> None:
        await guests.until(lambda s: any(cause.why == "COMMAND" for cause in s.pause))
        await asyncio.sleep(600)
        assert any(cause.why == "COMMAND" for cause in guests.status.pause)
        reply = await guests.give("resume")
        assert reply.state == "done", reply.sentence
        await guests.until(lambda s: s.machine.top == "playing" and not s.pause)

    async def restart(guests: Guests) -> None:
        await guests.until(lambda s: s.machine.top == "playing")
        assert not guests.status.pause

    async def evening() -> None:
        table = SurvivingTable("robotic", tmp_path, 3)
        await table.host(pause, kill=True)
        await table.host(go_on, kill=True)
        await table.host(restart)

    run(evening())


@pytest.mark.parametrize("correction_first", [False, True])
def test_of_an_action_and_a_correction_at_the_same_moment_the_second_is_refused(
    correction_first: bool,
) -> None:
    async def story(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "block", "follow_play": True})
        await guests.until(lambda s: bool(s.round and s.round.acts >= 4), limit=7200)
        await guests.give("automatic", on=False)
        await guests.until(lambda s: any(prompt.kind == "act" for prompt in s.prompts), limit=60)
        before = guests.status.round
        assert before is not None
        prompt = next(each for each in guests.status.prompts if each.kind == "act")
        answer = guests.give("answer", prompt=prompt.id, value="simulated player")
        correction = guests.give("correct", acts=1)
        pair = (correction, answer) if correction_first else (answer, correction)
        first, second = await asyncio.gather(*pair)
        assert (first.state, second.state) == ("done", "refused"), (first, second)
        assert second.code == ("correcting" if correction_first else "action_entered")
        due = before.acts + (-1 if correction_first else 1)
        await guests.until(lambda s: bool(s.round and s.round.acts == due), limit=60)

    at_a_table(story)


def test_a_long_evening_keeps_only_the_last_replies_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Older replies are in the store, so that a repeated command is still recognised."""
    monkeypatch.setattr(known_replies, "REPLIES", 5)

    async def story(guests: Guests) -> None:
        await guests.have("start_session", choice={"game": "block", "follow_play": False})
        await guests.until(lambda status: status.machine.top == "collecting")
        first = CommandRequest(id="first", name="automatic", arguments={"on": True})
        actor = Actor("Ann", UserRole.TECHNICIAN, "phone", "192.168.1.20")
        reply = await guests.port.submit(first, actor)
        for number in range(20):
            await guests.have("automatic", on=bool(number % 2))
        assert len(guests.port._desk._replies._latest) == 5
        assert "phone first" not in guests.port._desk._replies._latest
        again = await guests.port.submit(first, actor)
        assert (again.state, again.sentence) == (reply.state, reply.sentence)

    at_a_table(story)
