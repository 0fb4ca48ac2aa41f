"""People tap the lid's key on the panel at any time; no set is mixed with another."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from config.layout.mixing import with_drum
from config.loader import load_table
from config.schema import Table
from firmware_bridge.sim.people.simulated_guide import SimulatedGuide
from tests.controller.service import service_at_a_table
from tests.controller.service.service_at_a_table import Guests, at_a_table
from tests.quick import tries

SEEDS = range(tries(0, quick=0, evidence=40)) or (0, 3)
"""With seed 0 a key is pressed 7 ms before the lid is open. With seed 3 it is tapped while the
drum is proven to be empty, in which people would push the other set in."""


def quick_table(name: str) -> Table:
    """Return a table whose drum mixes for 8 s, less than the mean time between two taps."""
    return with_drum(load_table(name), mix=8.0)


@pytest.mark.slow
@pytest.mark.evidence
def test_taps_while_a_set_is_prepared_only_open_the_lid_and_close_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without this rule, the simulated people pushed in tiles while the table built a wall."""
    # Each tap restarts the mixing, so a drum that mixes for 60 s would seldom build between taps.
    monkeypatch.setattr(service_at_a_table, "long_leased", quick_table)
    for seed in SEEDS:
        chance, rounds = Random(seed), set[int]()

        async def scenario(
            guests: Guests, chance: Random = chance, seen: set[int] = rounds
        ) -> None:
            await guests.give("start_session", choice={"game": "pai_gow"})
            while len(seen) < 3:
                status = guests.status
                assert status.fault is None, (status.fault, asyncio.get_running_loop().time())
                assert not [each for each in status.prompts if each.kind == "fault"]
                for prompt in status.prompts:
                    value = chance.choice(prompt.choices).value
                    await guests.give("answer", prompt=prompt.id, value=value)
                if status.machine.top == "playing" and status.session:
                    seen.add(status.session.rounds)
                await guests.give("press_lid_key")
                await asyncio.sleep(chance.uniform(0, 20))

        at_a_table(scenario, automatic=False, seed=seed)


def test_the_status_says_that_the_lid_is_open_for_a_forgotten_tile() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "block"})
        await guests.until(lambda status: status.machine.under == "shuffling")
        assert not guests.status.scene.lid_open
        await guests.give("press_lid_key")
        await guests.until(lambda status: status.scene.lid_open)
        await asyncio.sleep(3)
        people = guests.service.guide._hands
        assert isinstance(people, SimulatedGuide) and people._people._lid_is_open()
        await guests.until(lambda status: not status.scene.lid_open)
        assert not people._people._lid_is_open()
        assert guests.status.machine.under in ("shuffling", "building")

    at_a_table(scenario, automatic=False)
