"""Whole rounds on the very firmware that is flashed, beside the same rounds on virtual boards."""

from __future__ import annotations

import pytest

from tests.firmware_bridge.firmware.emulated_rounds import Round, build, play

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]


@pytest.fixture(scope="session", autouse=True)
def firmware() -> None:
    build()


def _same(virtual: Round, emulated: Round) -> None:
    for event in ("raised", "thrown", "chosen", "delivered", "ready"):
        assert emulated.told(event) == virtual.told(event)
    assert virtual.told("ready")
    assert emulated.hands == virtual.hands
    assert emulated.seconds == pytest.approx(virtual.seconds, rel=0.02)


def test_the_firmware_cuts_dragon_head_phoenix_tail_and_deals_the_same_pai_gow_hands() -> None:
    answers: dict[str, int | str] = {"cut": "dragon_head"}
    virtual, emulated = (
        play("pai_gow", "pai_gow", seed=5, emulated=each, answers=answers) for each in (False, True)
    )
    _same(virtual, emulated)
    assert virtual.told("chosen")[0]["answer"] == "dragon_head"
    assert [len(hand) for hand in emulated.hands.values()] == [4] * 8


def test_two_boards_with_the_firmware_build_break_and_deal_the_same_wenzhou_walls() -> None:
    virtual, emulated = (
        play("robotic", "wenzhou", seed=5, emulated=each) for each in (False, True)
    )
    _same(virtual, emulated)
    assert [len(hand) for hand in emulated.hands.values()] == [17, 16, 16, 16]
