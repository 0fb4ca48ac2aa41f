"""Sentences for people have names or winds instead of the numbers of seats."""

from __future__ import annotations

import json
import re

import pytest

from controller.service.evening.session_book import with_names
from tests.controller.service.service_at_a_table import Guests, at_a_table

NAMES = {0: "Mei (East)", 1: "South"}
NUMBERED = re.compile(r"\b[Ss]eat \d")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Seat 0 threw 3 4.", "Mei (East) threw 3 4."),
        ("Tiles are dealt to seat 1", "Tiles are dealt to South"),
        ("To act: seat 0 or 1.", "To act: Mei (East) or South."),
        ("It is the turn of seat 0, 1.", "It is the turn of Mei (East), South."),
        ("To act: seat 1 or 2.", "To act: South or seat 2."),
        ("Seat 0, 2 tiles are left.", "Mei (East), 2 tiles are left."),
        ("There is no seat 9; seats are 0 to 3.", "There is no seat 9; seats are 0 to 3."),
        ("The walls are on the table.", "The walls are on the table."),
    ],
)
def test_a_seat_is_replaced_by_its_player(sentence: str, expected: str) -> None:
    assert with_names(sentence, lambda seat: NAMES.get(seat, "")) == expected


@pytest.mark.slow
def test_no_sentence_of_a_session_with_names_has_the_number_of_a_seat() -> None:
    async def scenario(guests: Guests) -> None:
        sentences: list[str] = []

        def read() -> None:
            status = guests.status
            sentences.extend(prompt.text for prompt in status.prompts)
            sentences.extend(event.text for event in status.recent)
            if status.round is not None:
                sentences.append(status.round.step)
            for result in status.session.results if status.session else ():
                sentences.extend([result.sentence, *result.reasons])
                sentences.extend(payment.why for payment in result.payments)

        guests.service.feed.follow(lambda delta: read())
        names = {"0": "Mei", "1": "Ben"}
        await guests.give(
            "start_session", choice={"game": "wenzhou", "follow_play": True}, names=names
        )
        await guests.until(lambda s: bool(s.round and s.round.acts))
        await guests.give("automatic", on=False)
        await guests.until(lambda s: any(prompt.kind == "act" for prompt in s.prompts))
        prompt = next(each for each in guests.status.prompts if each.kind == "act")
        other = (prompt.seats[0] + 1) % 4
        refused = await guests.give("answer", prompt=prompt.id, value=f"{other} win 1m")
        assert refused.state == "refused"
        sentences.append(refused.sentence)
        await guests.give("answer", prompt=prompt.id, value="simulated player")
        await guests.give("automatic", on=True)
        await guests.until(lambda s: bool(s.session and s.session.results), limit=7200)
        read()
        assert any("Mei (East)" in sentence for sentence in sentences)
        assert not [sentence for sentence in sentences if NUMBERED.search(sentence)]
        assert not NUMBERED.search(json.dumps(guests.status.model_dump(mode="json")["recent"]))

    at_a_table(scenario)
