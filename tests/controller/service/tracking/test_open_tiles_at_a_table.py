"""A client that joins during a hand reads from the status what lies open on the table."""

from __future__ import annotations

from collections import Counter

from controller.service.status import Status
from tests.controller.service.service_at_a_table import Guests, at_a_table


def _played(status: Status) -> int:
    assert status.round is not None and status.round.open_tiles is not None
    return len(status.round.open_tiles.played)


def test_the_status_has_the_discards_in_order_and_the_sets_of_a_wenzhou_hand() -> None:
    async def scenario(guests: Guests) -> None:
        discards: list[tuple[object, str]] = []
        claims = Counter[str]()

        def hear(event: dict[str, object]) -> None:
            if event["event"] != "action_taken":
                return
            verb, *faces = str(event["do"]).split()
            if verb == "discard":
                discards.append((event["seat"], faces[0]))
            elif verb in ("pong", "chow"):
                claims[verb] += 1

        guests.service.listen(hear)
        await guests.give("start_session", choice={"game": "wenzhou", "follow_play": True})

        def has_sets(status: Status) -> bool:
            now = status.round and status.round.open_tiles
            return bool(now and len(now.sets) >= 2 and len(now.played) >= 10)

        await guests.until(has_sets, limit=7200)
        now = guests.status.round
        assert now is not None and now.open_tiles is not None
        assert len(now.to_act) >= 1
        played = [(tile.seat, tile.face) for tile in now.open_tiles.played]
        claimed = [
            (each.source, each.faces[each.claimed])
            for each in now.open_tiles.sets
            if each.claimed is not None
        ]
        assert Counter(played) + Counter(claimed) == Counter(discards)
        rest = iter(discards)
        assert all(tile in rest for tile in played), "the discards are in order"
        assert {each.name for each in now.open_tiles.sets} <= {"pong", "chow", "kong"}

    at_a_table(scenario)


def test_a_correction_takes_the_tiles_back_from_the_status() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "block", "follow_play": True})
        await guests.until(lambda s: bool(s.round and s.round.open_tiles), limit=7200)
        await guests.give("automatic", on=False)
        await guests.until(lambda s: any(prompt.kind == "act" for prompt in s.prompts))
        before = guests.status
        assert before.round is not None and before.round.open_tiles is not None
        first, acts = len(before.round.open_tiles.played), 0
        while _played(guests.status) == first:
            prompt = next(each for each in guests.status.prompts if each.kind == "act")
            assert guests.status.round is not None
            assert guests.status.round.to_act == prompt.seats
            await guests.give("answer", prompt=prompt.id, value="simulated player")
            acts += 1
            done = before.round.acts + acts
            await guests.until(
                lambda s, done=done: bool(s.round and s.round.acts == done and s.prompts)
            )
        assert _played(guests.status) == first + 1
        await guests.give("correct", acts=acts)
        await guests.until(lambda s: bool(s.round and s.round.acts == before.round.acts))
        assert guests.status.round is not None
        assert guests.status.round.open_tiles == before.round.open_tiles

    at_a_table(scenario)


def test_a_hand_that_the_table_does_not_follow_has_no_open_tiles() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice={"game": "wenzhou"})
        await guests.until(lambda s: s.machine.top == "playing")
        assert guests.status.round is not None
        assert guests.status.round.open_tiles is None

    at_a_table(scenario)
