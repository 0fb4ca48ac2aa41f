"""Recent events are sentences without the notation of the files."""

from __future__ import annotations

import pytest

from controller.events import Event
from controller.service.tracking.event_words import in_words


@pytest.mark.parametrize(
    ("tile", "sentence"),
    [
        ("2z", "South wind was turned up: wall of seat 1, the upper tile of stack 6"),
        ("9s", "9 bamboo was turned up: wall of seat 1, the upper tile of stack 6"),
        ("4f", "4 flowers was turned up: wall of seat 1, the upper tile of stack 6"),
        (None, "A tile of unknown face was turned up: wall of seat 1, the upper tile of stack 6"),
    ],
)
def test_what_was_turned_up_is_named_with_its_tile_and_its_place(
    tile: str | None, sentence: str
) -> None:
    event: Event = {"event": "tile_turned_up", "t": 1.0, "at": "w1.6u", "tile": tile}
    found = in_words(event)
    assert found is not None
    assert found.text == f"{sentence} from its right end."


def test_a_choice_is_named_in_ordinary_letters() -> None:
    event: Event = {"event": "choice_made", "t": 1.0, "by": 0, "what": "cut", "answer": "chee_yee"}
    found = in_words(event)
    assert found is not None
    assert found.text == "Seat 0 chose chee yee as cut."


def test_a_correction_names_its_hand_and_who_has_made_it() -> None:
    report: Event = {
        "t": 1.0,
        "event": "result_reported",
        "hand": "s1/3",
        "by": "Mei",
        "name": "soft",
        "winner": 2,
    }
    first, corrected = in_words(report), in_words({**report, "reason": "a slip"})
    assert first is not None and corrected is not None
    assert first.text == "The hand is over: seat 2 wins, soft."
    assert corrected.text == "Mei has corrected hand 3: seat 2 wins, soft."
