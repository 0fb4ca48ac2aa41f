"""The records of a session, one after another, replay to the session's own results."""

from __future__ import annotations

import json

from config.validation.game_parameters import parameters_of
from rules.records.record import evening
from tests.controller.service.service_at_a_table import Guests, at_a_table

BLOCK = {"game": "block", "follow_play": True}


def test_records_mark_the_match_that_begins_with_changed_house_rules() -> None:
    async def scenario(guests: Guests) -> None:
        await guests.give("start_session", choice=BLOCK)
        await guests.until(lambda s: bool(s.session and s.session.rounds == 1), limit=7200)
        rules = {"target": 60}
        await guests.give("choose_next", choice={**BLOCK, "house_rules": rules})
        await guests.until(lambda s: bool(s.session and s.session.rounds == 4), limit=7200)
        records = [await guests.port.record("s1", number) for number in range(1, 5)]
        lines = [line for record in records if record for line in record.lines]
        headings = [json.loads(line) for line in lines if "outcomes" in line]
        changed = [bool(each["parameters"]) for each in headings]
        assert changed[0] is False and changed[-2:] == [True, True]
        begins = [now != before for before, now in zip([None, *changed], [*changed], strict=False)]
        assert [each.get("new_match", False) for each in headings] == begins
        scores = [0.0] * 4
        hands = list(evening(lines, parameters_of))
        assert len(hands) == 4
        for hand, new in zip(hands, begins, strict=True):
            scores = [0.0] * 4 if new else scores
            for seat, gain in hand.play.settlement.balance().items():
                scores[seat] += gain if seat >= 0 else 0
            assert list(hand.match.scores) == scores

    at_a_table(scenario)
