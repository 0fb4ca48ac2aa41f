"""The lead of a recovery: one client answers fault prompts; the lead passes on and lapses."""

from __future__ import annotations

import asyncio

from controller.service.port import Actor
from controller.service.prompts.recovery_lead import LAPSE, RecoveryLead
from controller.service.user_roles import UserRole
from tests.controller.service.service_at_a_table import Guests, at_a_table

ANN = Actor("Ann", UserRole.ATTENDANT, "phone")
BEN = Actor("Ben", UserRole.TECHNICIAN, "laptop")


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_lead_excludes_every_other_client_until_it_is_released() -> None:
    lead = RecoveryLead(Clock())
    assert lead.other_leader("phone") is None
    lead.take(ANN)
    assert lead.other_leader("phone") is None
    other = lead.other_leader("laptop")
    assert other is not None
    assert (other.name, other.client, other.since) == ("Ann", "phone", 100.0)
    assert not lead.release("laptop")
    assert lead.other_leader("laptop") is not None
    assert lead.release("phone")
    assert lead.other_leader("laptop") is None


def test_another_client_takes_the_lead_over() -> None:
    lead = RecoveryLead(Clock())
    assert lead.take(ANN) is None
    before = lead.take(BEN)
    assert before is not None
    assert before.name == "Ann"
    assert lead.status is not None
    assert lead.status.name == "Ben"
    assert lead.take(BEN) is None


def test_the_lead_lapses_30_s_after_the_clients_last_stream_ended() -> None:
    clock = Clock()
    lead = RecoveryLead(clock)
    lead.presence("phone", connected=True)
    lead.take(ANN)
    clock.now += 1000
    assert not lead.lapse()
    lead.presence("phone", connected=False)
    assert lead.lapses_at == clock.now + LAPSE
    clock.now += LAPSE - 0.01
    lead.presence("laptop", connected=False)
    assert lead.other_leader("laptop") is not None
    lead.presence("phone", connected=True)
    clock.now += 1000
    assert lead.other_leader("laptop") is not None
    lead.presence("phone", connected=False)
    clock.now += LAPSE
    assert lead.other_leader("laptop") is None
    assert lead.status is None


def test_a_client_without_a_stream_keeps_the_lead_for_30_s_and_longer_if_it_takes_it_again() -> (
    None
):
    clock = Clock()
    lead = RecoveryLead(clock)
    lead.take(ANN)
    clock.now += LAPSE - 1
    lead.take(ANN)
    clock.now += LAPSE - 1
    assert not lead.lapse()
    assert lead.status is not None
    assert lead.status.since == 100.0
    clock.now += 1
    assert lead.lapse()


def test_the_lead_lapses_after_30_s_of_the_people_at_a_simulated_table_that_runs_faster() -> None:
    clock = Clock()
    lead = RecoveryLead(clock, pace=25.0)
    lead.take(ANN)
    clock.now += 25 * LAPSE - 0.01
    assert not lead.lapse()
    clock.now += 0.01
    assert lead.lapse()


def test_the_status_shows_the_lead_and_its_end_at_a_table() -> None:
    async def scenario(guests: Guests) -> None:
        guests.port.presence("phone", connected=True)
        await guests.give("take_lead", UserRole.ATTENDANT, client="phone")
        await guests.until(lambda status: status.lead is not None)
        guests.port.presence("phone", connected=False)
        lost = asyncio.get_running_loop().time()
        await guests.until(lambda status: status.lead is None)
        assert LAPSE <= asyncio.get_running_loop().time() - lost < LAPSE + 1
        reply = await guests.give("take_lead", UserRole.ATTENDANT, client="phone")
        assert reply.sentence == "Ann takes the lead of the recovery."
        reply = await guests.give("take_lead", UserRole.ATTENDANT, client="laptop")
        assert reply.sentence == "Ann takes the lead of the recovery from Ann."

    at_a_table(scenario)


def test_players_answer_their_own_prompts_while_somebody_leads_a_recovery() -> None:
    """The lead is about faults. A player who throws the dice needs nobody's permission."""

    async def scenario(guests: Guests) -> None:
        await guests.have("start_session", choice={"game": "block", "follow_play": False})
        await guests.until(lambda status: bool(status.prompts))
        (prompt,) = guests.status.prompts
        assert prompt.kind != "fault"
        await guests.give("take_lead", UserRole.ATTENDANT, client="phone")
        value = prompt.choices[0].value
        given = {"prompt": prompt.id, "value": value}
        reply = await guests.give("answer", UserRole.PLAYER, client="laptop", **given)
        assert (reply.state, reply.sentence) == ("done", "The answer is taken.")

    at_a_table(scenario, "bench", automatic=False)


def test_only_the_leader_answers_the_prompt_about_a_fault() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.have("start_session", choice={"game": "block", "follow_play": False})
        await guests.until(lambda status: any(each.kind == "fault" for each in status.prompts))
        (prompt,) = [each for each in guests.status.prompts if each.kind == "fault"]
        await guests.give("take_lead", UserRole.ATTENDANT, client="phone")
        given = {"prompt": prompt.id, "value": prompt.choices[0].value}
        other = await guests.give("answer", client="laptop", **given)
        assert (other.state, other.code) == ("refused", "lead")
        assert (await guests.give("answer", client="phone", **given)).state == "done"

    at_a_table(scenario, automatic=False, injected_faults=("jam:head2#3~99",))
