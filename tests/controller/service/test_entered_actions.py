"""People enter a hand of Wenzhou mahjong: claims, a correction, a false win, a robbed kong."""

from __future__ import annotations

from collections import Counter

import pytest

from config.validation.game_parameters import parameters_of
from controller.service.status import OpenPrompt, Status
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide
from rules.records.record import evening
from rules.tiles import Face
from tests.controller.service.arranged_hands import Hands, arrange
from tests.controller.service.service_at_a_table import Guests, at_a_table


def suits(indicator: Face) -> list[str]:
    """Two suits without the tile that was turned up, whose copies are caishen."""
    return [suit for suit in "mps" if suit != indicator[-1]][:2]


def robbed_kong(indicator: Face) -> tuple[Hands, tuple[Face, ...]]:
    """Hands in which East wins on the tile that West adds to a pong; no hand has an honour."""
    a, b = suits(indicator)
    hands: dict[int, tuple[Face, ...]] = {
        0: (*(f"{rank}{a}" for rank in range(1, 10)), *(f"{rank}{b}" for rank in (6, 7, 8) * 2)),
        1: (f"9{b}",) * 3,
        2: (f"1{a}", f"1{a}", f"3{b}"),
        3: (f"4{b}", f"5{b}", f"9{b}"),
    }
    hands[0] += (f"2{b}", f"2{b}")
    draws = (f"1{a}",)
    free = Counter({f"{rank}{suit}": 4 for rank in range(1, 10) for suit in "mps"})
    del free[indicator]
    free.subtract([*draws, *(face for hand in hands.values() for face in hand)])
    others = sorted(free.elements())
    for seat in (1, 2, 3):
        missing = 16 - len(hands[seat])
        hands[seat] += tuple(others[:missing])
        del others[:missing]
    return hands, draws


class Entry:
    """Enters actions as people do at the panel; every other seat that is asked passes or draws."""

    def __init__(self, guests: Guests, people: SimulatedGuide) -> None:
        self._guests = guests
        self._people = people

    async def prompt(self) -> OpenPrompt:
        """The open prompt for an action."""
        await self._guests.until(lambda s: any(each.kind == "act" for each in s.prompts))
        return next(each for each in self._guests.status.prompts if each.kind == "act")

    async def answer(self, prompt: OpenPrompt, value: str) -> None:
        """Answer a prompt, and wait for what follows."""
        reply = await self._guests.give("answer", prompt=prompt.id, value=value)
        assert reply.state == "done", f"{value}: {reply.sentence}"
        await self._guests.until(lambda s: prompt.id not in [each.id for each in s.prompts])

    async def enter(self, wanted: str) -> None:
        """Enter an action when it is offered; `1 discard` is any legal discard of that seat."""
        seat, _, do = wanted.partition(" ")
        while True:
            prompt = await self.prompt()
            offered = [each.value for each in prompt.choices]
            declared = do.startswith(prompt.declarations) and int(seat) in prompt.seats
            if do == "discard" and any(each.startswith(wanted) for each in offered):
                truth = self._people.hand_players.truth
                legal = [str(each) for each in truth.legal_actions]
                wanted = f"{seat} {next(each for each in legal if each.startswith('discard'))}"
                assert wanted in offered
            if wanted in offered or declared or do == "false win":
                await self.answer(prompt, wanted)
                return
            others = [each for each in offered if each.endswith((" pass", " draw"))]
            assert others, f"{wanted} is not offered: {offered}"
            await self.answer(prompt, others[0])


@pytest.mark.slow
def test_people_enter_claims_a_correction_a_false_win_and_a_robbed_kong() -> None:
    async def scenario(guests: Guests) -> None:
        choice = {"game": "wenzhou", "follow_play": True}
        await guests.give("start_session", choice=choice)
        await guests.until(lambda status: status.round is not None)
        people = guests.service.guide._hands
        assert isinstance(people, SimulatedGuide)
        arrange(people.hand_players, robbed_kong)
        entry = Entry(guests, people)
        await entry.prompt()
        present = guests.status.round
        assert present is not None and present.indicator_face is not None
        a, b = suits(present.indicator_face)
        for action in (f"0 discard 1{a}", "2 pong", f"2 discard 3{b}", f"3 chow 4{b} 5{b}"):
            await entry.enter(action)
        before = await entry.prompt()
        reply = await guests.give("correct", acts=1, reason="another chow")
        assert reply.sentence == "The last action is taken back."
        await guests.until(lambda s: any(3 in each.seats for each in s.prompts))
        for action in (f"3 chow 4{b} 5{b}", f"3 discard 9{b}", "3 false win", "1 kong"):
            await entry.enter(action)
        for action in ("1 discard", f"2 kong 1{a}"):
            await entry.enter(action)
        hand = [f"{rank}{a}" for rank in range(2, 10)]
        hand += [f"{rank}{b}" for rank in (6, 7, 8, 6, 7, 8, 2, 2)]
        await entry.enter("0 win " + " ".join(hand))
        assert before.declarations == ("win", "false win")

        def is_settled(status: Status) -> bool:
            return bool(status.session and status.session.results)

        while not is_settled(guests.status):  # every player shows the caishen in hand
            await guests.until(lambda s: is_settled(s) or bool(s.prompts))
            for prompt in guests.status.prompts:
                await entry.answer(prompt, "simulated player")
        session = guests.status.session
        assert session is not None
        (result,) = session.results
        assert result.winner == 0
        assert any("false win" in each.why for each in result.payments), result.payments
        record = await guests.port.record(session.id, 1)
        assert record is not None
        (replayed,) = evening(record.lines, parameters_of)
        assert tuple(replayed.match.scores) == result.scores
        kinds = ("pong", "chow", "kong", "win")
        assert all(any(f'"{kind}' in line for line in record.lines) for kind in kinds)

    at_a_table(scenario, automatic=False)


def test_not_more_actions_are_taken_back_than_were_entered() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.have("start_session", choice={"game": "block", "follow_play": True})
        await guests.until(lambda s: any(each.kind == "act" for each in s.prompts))
        reply = await guests.give("correct", acts=1, reason="wrong tile")
        assert reply.state == "refused"
        assert reply.sentence == "1 actions cannot be taken back; 0 were taken in this hand."
        (prompt,) = guests.status.prompts
        await guests.have("answer", prompt=prompt.id, value="simulated player")
        await guests.until(lambda s: any(each.id != prompt.id for each in s.prompts))
        reply = await guests.give("correct", acts=2, reason="wrong tile")
        assert reply.sentence == "2 actions cannot be taken back; 1 were taken in this hand."

    at_a_table(scenario, automatic=False)
