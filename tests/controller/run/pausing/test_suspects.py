"""Tests which parts back off after an over-current, by the motors that the board measures alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from config.loader import load_table
from config.schema import AnalogChannel, MotorChannel, Table
from controller.run.pausing.fault_clearing import BackingOff
from controller.run.pausing.pause_gate import PauseCause
from controller.run.pausing.resumable_board import ResumableBoard
from firmware_bridge.board import FaultCode
from firmware_bridge.sim import clock


class MovingBoard:
    """A board on which a pause has interrupted the drives of these motors."""

    def __init__(self, *moving: str) -> None:
        self._moving = moving

    async def interrupted(self, motor: str) -> int | None:
        return 1000 if motor in self._moving else None

    async def back_off(self, seconds: Mapping[str, float]) -> tuple[str, ...]:
        return tuple(seconds)


def with_own_input(table: Table) -> Table:
    """The table with an analogue input for the current of the drum, and a limit for it."""
    board, module = table.boards["base"], table.modules.drum
    assert module is not None
    drum = board.channels["drum"]
    assert isinstance(drum, MotorChannel)
    channels = {
        **board.channels,
        "drum_current": AnalogChannel(kind="analog", pin=68),
        "drum": drum.model_copy(update={"current_limit": 1.5}),
    }
    measured = module.model_copy(update={"current": "drum_current"})
    return table.model_copy(
        update={
            "boards": {**table.boards, "base": board.model_copy(update={"channels": channels})},
            "modules": table.modules.model_copy(update={"drum": measured}),
        }
    )


def backed_off(table: Table, named: str, *moving: str) -> tuple[tuple[str, ...], list[str]]:
    """The names for the prompt, and the motors that back off, if the board names this motor."""

    async def main() -> tuple[tuple[str, ...], list[str]]:
        moved: list[str] = []
        boards = {name: cast(ResumableBoard, MovingBoard(*moving)) for name in table.boards}
        backing_off = BackingOff(table, boards, lambda motor, _: moved.append(motor))
        cause = PauseCause(FaultCode.OVER_CURRENT.name, "base", named)
        await backing_off.answer((cause,))
        again = PauseCause(FaultCode.OVER_CURRENT.name, "base", "lift0")
        await backing_off.answer((again,))
        return await backing_off.obstructed(cause), moved

    return clock.run(main())


def test_all_moving_parts_of_a_shared_shunt_back_off_once_in_a_pause() -> None:
    names, moved = backed_off(load_table("robotic"), "lift3", "drum", "lift0", "lift1", "lift3")
    assert names == ("lift 0", "lift 1", "lift 3")
    assert moved == ["lift0", "lift1", "lift3"]


def test_if_no_part_within_reach_was_moving_nothing_backs_off() -> None:
    assert backed_off(load_table("robotic"), "drum", "drum", "head0_belt") == ((), [])


def test_a_drum_with_a_current_input_of_its_own_moves_no_lid() -> None:
    table = load_table("robotic")
    assert backed_off(table, "drum", "drum", "lid")[0] == ("lid",)
    assert backed_off(with_own_input(table), "drum", "drum", "lid")[0] == ()
