"""What a sensor that lied excuses: its own mechanism and those after it, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.loader import load_table
from controller.daemon import Daemon
from controller.events import Event
from controller.faults.table_fault import Fault, TableFault
from controller.soak.evening import play_evening
from controller.soak.scenarios import evening_of, pairs_of
from controller.soak.tolerated_refusals import may_refuse

ROBOTIC = load_table("robotic").modules


def excused(kind: str, part: str) -> frozenset[str]:
    return may_refuse(ROBOTIC, [(kind, part)])


def test_a_counter_that_lied_excuses_its_head_its_tray_and_the_gantry() -> None:
    channels = excused("dirty_sensor", "head3_counter")
    assert {"head3_pusher", "lift3", "gantry_z", "grip"} <= channels
    assert not {"head2_pusher", "lift2", "lid", "drum", "dice"} & channels


def test_a_tile_too_many_in_the_drum_excuses_every_head() -> None:
    assert {"head0_pusher", "head3_pusher", "lift1"} <= excused("extra_tile", "drum")


def test_a_gripper_that_lied_excuses_no_head() -> None:
    channels = excused("stuck_sensor", "loaded")
    assert {"gantry_z", "lift0"} <= channels
    assert "head0_pusher" not in channels


def test_a_jam_excuses_nothing() -> None:
    assert excused("jam", "head3") == frozenset()


@pytest.mark.parametrize("refuses", ["head3_pusher", "lid"])
def test_a_refusal_that_no_lie_explains_is_a_failure(
    refuses: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emitted: list[str] = []

    def hears(self: object, daemon: Daemon, event: Event) -> None:
        if event["event"] == "ready" and not emitted:
            emitted.append(refuses)
            daemon.run_state.events.emit("paused", why="IMPOSSIBLE", board="base", channel=refuses)

    monkeypatch.setattr("controller.soak.witness.Witness.hear", hears)
    monkeypatch.setattr(
        "controller.soak.evening.may_refuse", lambda *_: frozenset({"head3_pusher"})
    )
    played = play_evening(evening_of(0, 1, pairs_of(["block"], ["robotic"])), tmp_path, 1)
    wrong = [each for each in played.wrong if "was ordered what cannot be" in each]
    assert bool(wrong) is (refuses == "lid")


def test_an_order_that_a_board_refused_is_a_failure_whatever_has_lied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(self: object, daemon: Daemon, event: Event) -> None:
        raise TableFault(Fault.REFUSED, "board", "planted")

    monkeypatch.setattr("controller.soak.witness.Witness.hear", refuses)
    played = play_evening(evening_of(0, 1, pairs_of(["block"], ["robotic"])), tmp_path, 1)
    assert "planted" in played.wrong[0]
