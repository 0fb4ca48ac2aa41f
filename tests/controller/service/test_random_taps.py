"""Random legal taps: hands of five games from the deal to their scores, and the record's replay.

Each answer is drawn uniformly from everything that the panel offers, and from what people can
declare. The table does not see the hands: a player who does not hold the tiles of a tap is refused,
and another tap is drawn.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from random import Random

import pytest

from config.validation.game_parameters import parameters_of
from controller.service.status import OpenPrompt, Status
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide
from rules.records.record import evening
from tests.controller.service.service_at_a_table import Guests, at_a_table
from tests.quick import tries

GAMES = ("wenzhou", "filipino", "pai_gow", "da_san", "block")
ROUNDS = tries(1, quick=1, evidence=2)
SEEDS = tries(1, quick=1, evidence=12)
OTHER = "simulated player"
COVERED = {
    "wenzhou": {"act discard", "act draw", "act pass", "act pong", "act chow"},
    "filipino": {"choice wall", "act discard", "act draw", "act flores", "act chow"},
    "pai_gow": {"choice cut", "act set"},
    "da_san": {"choice cut", "act bid", "act play", "act pass"},
    "block": {"act tile", "act go"},
}
"""Taps that every session of a game contains."""


class Taps:
    """Random taps of one session; the counts are by game, kind of answer and first words."""

    def __init__(self, guests: Guests, game: str, chance: Random) -> None:
        self._guests = guests
        self._game = game
        self._chance = chance
        self.taken = Counter[str]()
        """Taps that the table took: `act discard`, `choice cut`, `dice`."""
        self.refused = 0
        """Taps of players who do not hold the tiles."""

    def _offered(self, prompt: OpenPrompt) -> list[str]:
        """Everything that people can tap, declared wins of complete hands included.

        One false win a session: its seat may claim nothing afterwards, so that four of them would
        leave only draws and discards.
        """
        offered = [each.value for each in prompt.choices if each.value != OTHER]
        people = self._guests.service.guide._hands
        if prompt.kind != "act" or not isinstance(people, SimulatedGuide):
            return offered
        truth = people.hand_players.truth
        for verb in prompt.declarations:
            if verb == "win":
                won = (each for each in truth.legal_actions if str(each).startswith("win"))
                offered += [f"{each.seat} {each}" for each in won]
            elif not self.taken[f"act {verb}"]:
                offered.append(f"{self._chance.choice(prompt.seats)} {verb}")
        return offered

    async def answer(self, prompt: OpenPrompt) -> None:
        """Tap until an answer is taken; a player who can do nothing listed acts alone."""
        offered = self._offered(prompt)
        self._chance.shuffle(offered)
        if prompt.kind == "dice":
            offered = [",".join(str(self._chance.randint(1, 6)) for _ in range(prompt.dice))]
        for value in (*offered, OTHER):
            reply = await self._guests.give("answer", prompt=prompt.id, value=value)
            if reply.state == "done":
                words = value.split()
                what = words[1] if prompt.kind == "act" and words[0].isdigit() else prompt.code
                what = "false win" if value.endswith("false win") else what
                what = "tile" if "-" in what else what
                self.taken[f"{prompt.kind} {OTHER if value == OTHER else what}".strip()] += 1
                break
            assert reply.code == "not_permitted" and reply.sentence, reply
            self.refused += 1
        else:
            raise AssertionError(f"No answer is taken: {prompt}")
        await self._guests.until(lambda s: prompt.id not in [each.id for each in s.prompts])

    async def play(self, rounds: int) -> None:
        """Play a session until this number of hands is settled."""
        choice = {"game": self._game, "follow_play": True}
        await self._guests.give("start_session", choice=choice)

        def is_played(status: Status) -> bool:
            return bool(status.session and len(status.session.results) >= rounds)

        def waits(status: Status) -> bool:
            over = bool(status.round and status.round.over)
            return is_played(status) or bool(status.prompts) or over

        while not is_played(self._guests.status):
            await self._guests.until(waits)
            status = self._guests.status
            assert status.fault is None, status.fault
            assert not [each for each in status.prompts if each.kind == "fault"], status.prompts
            for prompt in status.prompts[:1]:
                await self.answer(prompt)
            if not status.prompts and status.machine.top == "playing":
                await self._guests.give("press_lid_key")
                await asyncio.sleep(20)
            elif not status.prompts:
                await asyncio.sleep(1)


async def replayed(guests: Guests, rounds: int) -> tuple[object, object]:
    """The winners, classes and scores of the session's hands, and those of the record's replay."""
    session = guests.status.session
    assert session is not None
    lines: list[str] = []
    for number in range(1, rounds + 1):
        record = await guests.port.record(session.id, number)
        assert record is not None
        lines += record.lines
    settled = [
        (each.winner, each.sentence, pytest.approx(each.scores))
        for each in session.results[:rounds]
    ]
    again = []
    scores = [0.0] * len(session.seats)
    for each, (_, sentence, _) in zip(evening(lines, parameters_of), settled, strict=True):
        over = each.play.settlement
        assert over is not None and over.name in sentence, (over, sentence)
        for seat, gain in over.balance().items():
            if seat >= 0:  # the house has no seat
                scores[seat] += float(gain)
        again.append((over.winner, sentence, tuple(scores)))
    return settled, again


@pytest.mark.slow
@pytest.mark.evidence
@pytest.mark.parametrize("game", GAMES)
def test_hands_of_random_legal_taps_are_settled_and_replayed_with_the_same_scores(
    game: str,
) -> None:
    for seed in range(SEEDS):
        covered = Counter[str]()

        async def scenario(
            guests: Guests, seed: int = seed, covered: Counter[str] = covered
        ) -> None:
            taps = Taps(guests, game, Random(f"{game} {seed}"))
            await taps.play(ROUNDS)
            settled, again = await replayed(guests, ROUNDS)
            assert settled == again
            covered.update(taps.taken)
            covered["refused"] = taps.refused

        at_a_table(scenario, automatic=False, seed=seed)
        assert covered.keys() >= COVERED[game], covered
