"""Tests which mechanisms may refuse commands after an injected sensor fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.loader import load_table
from controller.events import Event
from controller.proof.chaos.evening import play_evening
from controller.proof.chaos.fault_schedule import may_refuse
from controller.proof.chaos.scenarios import evening_of, pairs_of
from controller.run.daemon import Daemon
from controller.run.faults.failures import Fault, TableFault
from tests.quick import slow_except

ROBOTIC = load_table("robotic").modules


def tolerated(kind: str, part: str) -> frozenset[str]:
    return may_refuse(ROBOTIC, [(kind, part)])


def test_after_a_wrong_counter_its_head_its_tray_and_the_gantry_may_refuse() -> None:
    channels = tolerated("dirty_sensor", "head3_counter")
    assert {"head3_pusher", "lift3", "gantry_z", "grip"} <= channels
    assert not {"head2_pusher", "lift2", "lid", "drum", "dice"} & channels


def test_after_a_surplus_tile_in_the_drum_every_head_may_refuse() -> None:
    assert {"head0_pusher", "head3_pusher", "lift1"} <= tolerated("extra_tile", "drum")


def test_after_a_wrong_sensor_in_the_jaws_no_head_may_refuse() -> None:
    channels = tolerated("stuck_sensor", "loaded")
    assert {"gantry_z", "lift0"} <= channels
    assert "head0_pusher" not in channels


def test_after_a_jam_no_mechanism_may_refuse() -> None:
    assert tolerated("jam", "head3") == frozenset()


@pytest.mark.parametrize("refuses", slow_except(["lid"], ["head3_pusher", "lid"]))
def test_a_refusal_without_a_sensor_fault_is_a_failure(
    refuses: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emitted: list[str] = []

    def emit_refusal(self: object, daemon: Daemon, event: Event) -> None:
        if event["event"] == "ready" and not emitted:
            emitted.append(refuses)
            daemon.run_state.events.emit("paused", why="IMPOSSIBLE", board="base", channel=refuses)

    monkeypatch.setattr("controller.proof.chaos.witness.Witness.hear", emit_refusal)
    monkeypatch.setattr(
        "controller.proof.chaos.fault_schedule.may_refuse", lambda *_: frozenset({"head3_pusher"})
    )
    played = play_evening(evening_of(0, 1, pairs_of(["block"], ["robotic"])), tmp_path, 1)
    wrong = [each for each in played.wrong if "refused an impossible command" in each]
    assert bool(wrong) is (refuses == "lid")


def test_a_fault_refused_is_always_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(self: object, daemon: Daemon, event: Event) -> None:
        raise TableFault(Fault.REFUSED, "board", "raised by the test")

    monkeypatch.setattr("controller.proof.chaos.witness.Witness.hear", refuses)
    played = play_evening(evening_of(0, 1, pairs_of(["block"], ["robotic"])), tmp_path, 1)
    assert "raised by the test" in played.wrong[0]
