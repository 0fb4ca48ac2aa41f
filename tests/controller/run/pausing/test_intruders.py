"""Tests rounds with a device on the line that changes frames or makes some without the key."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.executor.virtual_board import VirtualBoard
from firmware_bridge.wire import messages as wire
from firmware_bridge.wire.codec import Decoder, Frame, encode, framed, plain
from firmware_bridge.wire.session_security import NOISE
from tests.controller.played_round import Round, play
from tests.controller.run.pausing.test_pauses import DEALING, check_same_deal, prompts, undisturbed


def transport(played: Round) -> Any:
    """The host's end of the line."""
    return played.hardware.serial[0]._link._line._transport


def changes_frames(played: Round) -> None:
    """Change the tag of more frames of the boards than noise can explain."""
    end, decoder, left = transport(played), Decoder(), NOISE + 1
    arrive = end.arrive

    def altered(frame: Frame) -> bytes:
        nonlocal left
        left -= 1
        if left == 0:
            end.arrive = arrive
        return framed(plain(*frame[:3]) + bytes(4 if frame.tag else 0))

    end.arrive = lambda data: arrive(b"".join(altered(frame) for frame in decoder.feed(data)))


@pytest.mark.slow
def test_a_table_whose_frames_are_changed_pauses_asks_and_completes_the_same_deal() -> None:
    played = play(happens={DEALING: changes_frames})
    assert prompts(played) == ["PROTOCOL"]
    (broken,) = played.events_named("protocol_broken")
    assert "a frame that another device has changed, repeated or made" in str(broken["message"])
    assert played.daemon.summary(0.0)["breaches"] == {"FORGED": 1}
    check_same_deal(played, undisturbed())


@pytest.mark.slow
def test_a_forged_notice_of_a_start_pauses_the_table_and_loses_neither_homes_nor_tiles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    homed: list[wire.Message] = []
    execute = VirtualBoard.execute

    def noting(board: VirtualBoard, message: wire.Message, sequence: int) -> wire.Message:
        if isinstance(message, wire.Home):
            homed.append(message)
        return execute(board, message, sequence)

    monkeypatch.setattr(VirtualBoard, "execute", noting)

    def forge(played: Round) -> None:
        assert homed
        homed.clear()
        transport(played).arrive(b"\0" + encode(1, 0, wire.Started(77, 1)))

    played = play(happens={DEALING + 10.0: forge})  # the arm moves
    assert prompts(played) == ["PROTOCOL"]
    (broken,) = played.events_named("protocol_broken")
    assert "board arm sent Started(boots=77, reset_cause=1): a notice without a start" in str(
        broken["message"]
    )
    assert played.events_named("board_reset") == []
    assert homed == [], "no axis was homed again"
    check_same_deal(played, undisturbed())
