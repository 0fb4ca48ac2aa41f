"""What clients see contains no tile that players cannot see (R17)."""

from __future__ import annotations

import json
import re

import pytest

from controller.run.assembly import Hardware
from controller.service.evening.game_choices import PlannedGame
from controller.service.prompts.service_guide import ServiceGuide
from controller.service.runs.openers import SimulatedTable
from controller.service.status.feed import Delta
from firmware_bridge.sim.plant.machine import Plant
from tests.controller.service.service_at_a_table import Guests, at_a_table

FACE = re.compile(r"(?<![\w.])([1-9][mpsz])(?![\w.])")
ANY_FACE = re.compile(r"(?<![\w.])([1-9][mpszf]|[0-6]-[0-6])(?![\w.])")


class OpenTable(SimulatedTable):
    """A simulated table whose plant the test can read."""

    plant: Plant

    def __call__(self, game: PlannedGame, guide: ServiceGuide) -> Hardware:
        hardware = super().__call__(game, guide)
        assert hardware.plant is not None
        self.plant = hardware.plant
        return hardware


def secrets_of(guests: Guests) -> list[str]:
    """The machine's shares that are not revealed, and what was drawn from them, as texts."""
    assert guests.service.daemon is not None
    chances = guests.service.daemon.chances
    assert chances._next is not None
    cycles = [chances._next, *chances._drawn.values()]
    assert len(cycles) > 1
    secrets = [cycle.draw.share.hex() for cycle in cycles]
    for cycle in chances._drawn.values():
        for choice in cycle.choices:
            secrets += [bytes(choice.value).hex(), ", ".join(map(str, choice.value))]
    return secrets


@pytest.mark.parametrize("follow_play", [False, True])
@pytest.mark.slow
def test_only_tiles_that_were_turned_up_or_laid_open_appear(follow_play: bool) -> None:
    async def scenario(guests: Guests) -> None:
        table = guests.service.runs.opener = OpenTable(guests.service.run.table, 7)
        messages: list[str] = []
        shown: set[str] = set()

        def hear(event: dict[str, object]) -> None:
            messages.append(json.dumps(event))
            if event["event"] == "tile_turned_up":
                shown.add(str(event["tile"]))

        guests.service.listen(hear)
        guests.service.feed.follow(lambda delta: messages.append(json.dumps(delta.patch)))
        await guests.give("start_session", choice={"game": "wenzhou", "follow_play": follow_play})
        await guests.until(lambda s: s.machine.top == "playing")
        hidden = {tile.face for hand in table.plant.hands().values() for tile in hand} - shown
        assert len(hidden) > 10
        # No share and no choice of a cycle that is not revealed yet (docs/regulate/CHANCE.md).
        assert not [secret for secret in secrets_of(guests) if secret in " ".join(messages)]
        # Until the first action nothing but the indicator is known to the players together.
        assert set(FACE.findall(" ".join(messages))) == shown
        if follow_play:
            await guests.until(lambda s: bool(s.session and s.session.rounds == 1), limit=7200)
            record = await guests.port.record("s1", 1)
            assert record is not None
            acts = " ".join(json.loads(line).get("do", "") for line in record.lines)
            found = set(FACE.findall(" ".join(messages)))
            settled = json.dumps([e for e in record.events if e["event"] == "settled"])
            assert found <= shown | set(FACE.findall(acts)) | set(FACE.findall(settled))

    at_a_table(scenario)


@pytest.mark.parametrize("game", ["wenzhou", "filipino", "block"])
def test_open_tiles_are_tiles_that_actions_have_named_before(game: str) -> None:
    async def scenario(guests: Guests) -> None:
        table = guests.service.runs.opener = OpenTable(guests.service.run.table, 7)
        named: set[str] = set()
        open_faces: list[int] = []

        def hear(event: dict[str, object]) -> None:
            if event["event"] in ("action_taken", "tile_turned_up", "choice_made"):
                named.update(ANY_FACE.findall(json.dumps(event)))

        def look(delta: Delta) -> None:
            found = set(ANY_FACE.findall(json.dumps(delta.patch.get("round") or {})))
            assert found <= named, f"{found - named} appears before a player has named it"
            open_faces.append(len(found))

        guests.service.listen(hear)
        guests.service.feed.follow(look)
        await guests.give("start_session", choice={"game": game, "follow_play": True})
        await guests.until(lambda s: s.machine.top == "playing")
        truth = {tile.face for hand in table.plant.hands().values() for tile in hand}
        await guests.until(lambda s: bool(s.round and s.round.acts >= 12), limit=7200)
        assert truth - named, "most tiles of the hands are still hidden"
        await guests.until(lambda s: bool(s.session and s.session.rounds), limit=7200)
        assert max(open_faces) >= 7

    at_a_table(scenario)
