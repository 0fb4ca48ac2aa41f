"""Compares rounds on the emulated firmware with rounds on virtual boards.

`make test` compares the way from power-on to the raised walls; `make evidence` plays whole rounds.
"""

from __future__ import annotations

import pytest

from tests.firmware_bridge.firmware.emulated_rounds import Round, play
from tests.firmware_bridge.firmware.firmware_build import build
from tests.quick import EVIDENCE_ONLY

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]


@pytest.fixture(scope="session", autouse=True)
def firmware() -> None:
    build()


def _assert_same(virtual: Round, emulated: Round) -> None:
    for event in (
        "walls_raised",
        "dice_thrown",
        "choice_made",
        "delivered",
        "tile_turned_up",
        "ready",
    ):
        assert emulated.events_named(event) == virtual.events_named(event)
    assert emulated.hands == virtual.hands
    assert emulated.dice == virtual.dice
    assert emulated.census == virtual.census
    assert emulated.seconds == pytest.approx(virtual.seconds, rel=0.02)


def _assert_undisturbed(played: Round) -> None:
    """Assert that a round had no prompt, fault or pause, and that it reported the thrown dice."""
    assert len(played.events_named("ready")) == 1
    assert not [
        each for each in ("operator_prompted", "fault", "paused") if played.events_named(each)
    ]
    assert [event["dice"] for event in played.events_named("dice_thrown")] == [
        list(dice) for dice in played.dice
    ]


def test_a_table_raises_the_same_walls_on_the_firmware_at_the_same_time() -> None:
    virtual, emulated = (
        play("classic", "block", seed=5, emulated=each, until="walls_raised")
        for each in (False, True)
    )
    names = [event["event"] for event in emulated.events]
    assert names[-1] == "walls_raised"
    assert names == [event["event"] for event in virtual.events]
    assert emulated.events_named("walls_raised") == virtual.events_named("walls_raised")
    assert emulated.census == virtual.census == {"box 1": 28, "felt": 28}
    assert emulated.seconds == pytest.approx(virtual.seconds, rel=0.02)


@EVIDENCE_ONLY
def test_a_pai_gow_round_with_dragon_head_phoenix_tail_is_the_same_on_the_firmware() -> None:
    answers: dict[str, int | str] = {"cut": "dragon_head"}
    virtual, emulated = (
        play("pai_gow", "pai_gow", seed=5, emulated=each, answers=answers) for each in (False, True)
    )
    _assert_same(virtual, emulated)
    _assert_undisturbed(emulated)
    assert virtual.events_named("choice_made")[0]["answer"] == "dragon_head"
    assert [len(hand) for hand in emulated.hands.values()] == [4] * 8
    assert emulated.census == {"drum": 32}


@EVIDENCE_ONLY
def test_a_wenzhou_round_is_the_same_on_two_boards_with_the_firmware() -> None:
    virtual, emulated = (
        play("robotic", "wenzhou", seed=5, emulated=each) for each in (False, True)
    )
    _assert_same(virtual, emulated)
    _assert_undisturbed(emulated)
    assert [len(hand) for hand in emulated.hands.values()] == [17, 16, 16, 16]
    assert sum(emulated.census.values()) == 272
    assert emulated.census == {"drum": 136, **{f"tray {side}": 34 for side in range(4)}}
