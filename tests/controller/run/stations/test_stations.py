"""Tests stations on a scripted board: commands, confirmation by sensors, retries, faults.

Motions of a channel without a script succeed: edges come, switches close, axes arrive.
"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

import pytest

from config.layout.field import Spot
from config.loader import load_game, load_table
from controller.run.faults.failures import Fault, TableFault
from controller.run.planning.moves import Carry, Grasp, TurnOver
from controller.run.stations.chain import ChainStation
from controller.run.stations.rig import Stations
from controller.run.stations.switched import Switched
from firmware_bridge.board import Board, Edges, Ended, Level, Reason, Until
from firmware_bridge.boards.devices import Devices
from firmware_bridge.sim import clock
from rules.geometry import WallPlace

T = TypeVar("T")
LATE = Ended(Reason.TIME, 0, 4.5)
NEVER = (LATE,) * 9
UPPER, LOWER = WallPlace(0, 1, 0), WallPlace(0, 1, 1)
WALL, HAND = Spot(0.1, -0.3, False), Spot(-0.4, 0.2, True)


class ScriptedBoard(Board):
    """A fake board that ends motions as scripted by channel, and records its commands."""

    def __init__(self) -> None:
        self.ends: dict[str, Sequence[Ended]] = {}
        self.levels: dict[str, list[int]] = {}
        self.rolls: list[tuple[int, ...]] = []
        """The faces of the next throws."""
        self.throws: list[tuple[int, ...]] = []
        """The faces of each completed throw."""
        self.tag: int | None = None
        self.misread: list[int | None] = []
        """The first readings; each further one is `tag`."""
        self.commands: list[str] = []
        self.counts: Counter[str] = Counter()
        """The count of each sensor: edges under drives, and edges that a test adds."""
        self.seconds: dict[str, float] = {}
        """Seconds of a drive for each edge of a sensor; 0.28 s for sensors that are not listed."""
        self.slips: dict[str, list[int]] = {}
        """For each sensor, the edges that come after each drive, while no drive runs."""

    async def drive(self, motor: str, value: int, until: Until, limit: float) -> Ended:
        way = "forward" if value > 0 else "back"
        self.commands.append(f"{motor} {way}")
        match until:
            case Edges(sensor, count):
                ended = self._next(
                    motor, Ended(Reason.EDGES, count, self.seconds.get(sensor, 0.28) * count)
                )
                slips = self.slips.get(sensor) or [0]
                self.counts[sensor] += ended.count + slips.pop(0)
            case Level():
                ended = self._next(motor, Ended(Reason.LEVEL, 0, 0.4))
            case _:
                ended = Ended(Reason.TIME, 0, limit)
        await asyncio.sleep(ended.seconds)
        return ended

    async def move(self, targets: Mapping[str, float], speed: int = 1000) -> Ended:
        first = next(iter(targets))
        self.commands.append(" ".join(f"{axis} {place:.3f}" for axis, place in targets.items()))
        ended = self._next(first, Ended(Reason.DONE, 0, 0.7))
        await asyncio.sleep(ended.seconds)
        return ended

    async def home(self, axis: str) -> Ended:
        self.commands.append(f"{axis} home")
        return Ended(Reason.DONE, 0, 0.4)

    async def stop(self, channel: str | None = None) -> None:
        self.commands.append(f"{channel} stop")

    async def set(self, channel: str, value: int) -> None:
        self.commands.append(f"{channel} = {value}")

    async def read(self, channel: str) -> int:
        levels = self.levels.get(channel, [0])
        return levels.pop(0) if len(levels) > 1 else levels[0]

    async def count(self, sensor: str) -> int:
        return self.counts[sensor]

    async def throw(self, channel: str, dice: int) -> tuple[int, ...]:
        self.throws.append(self.rolls.pop(0))
        return self.throws[-1]

    async def thrown(self, channel: str) -> tuple[int, tuple[int, ...]]:
        return len(self.throws), self.throws[-1] if self.throws else ()

    async def scan(self, channel: str) -> int | None:
        return self.misread.pop(0) if self.misread else self.tag

    def _next(self, channel: str, otherwise: Ended) -> Ended:
        first, *self.ends[channel] = self.ends.get(channel) or (otherwise,)
        return first


def rig_of(table: str) -> tuple[Stations, ScriptedBoard]:
    """Return all stations of a table, connected to one scripted board."""
    machine, board = load_table(table), ScriptedBoard()
    tile = load_game("wenzhou").tile
    return Stations(machine, tile, Devices(machine, dict.fromkeys(machine.boards, board))), board


def duration_of(work: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """Return the result of a coroutine, and its duration in virtual seconds."""

    async def timed() -> tuple[T, float]:
        result = await work
        return result, asyncio.get_running_loop().time()

    return clock.run(timed())


def fault_of(work: Coroutine[Any, Any, object]) -> TableFault:
    """Return the fault that a coroutine raises."""
    with pytest.raises(TableFault) as raised:
        clock.run(work)
    return raised.value


# Parts between two switches: lid, lifts, lanes, flipper


def test_a_lid_that_fails_once_is_driven_again_and_opens() -> None:
    rig, board = rig_of("robotic")
    board.ends["lid"] = [LATE]
    assert rig.lid is not None
    clock.run(rig.lid.go_forth())
    assert board.commands == ["lid forward", "lid forward"]


def test_a_lid_that_never_reaches_its_switch_is_tried_twice_and_the_switch_is_named() -> None:
    rig, board = rig_of("robotic")
    board.ends["lid"] = NEVER
    assert rig.lid is not None
    fault = fault_of(rig.lid.go_forth())
    assert (fault.fault, fault.part) == (Fault.LID, "lid")
    assert str(fault) == (
        "lid: the lid did not reach its switch"
        " (lid_opened gave no signal within 4.5 s; the drive ended by TIME)."
    )
    assert board.commands == ["lid forward", "lid forward"]


def test_a_closing_lid_names_its_other_switch() -> None:
    rig, board = rig_of("robotic")
    board.ends["lid"] = NEVER
    assert rig.lid is not None
    assert "lid_closed gave no signal" in fault_of(rig.lid.go_back()).evidence


def test_a_drive_ended_by_the_parts_stop_switch_has_arrived() -> None:
    rig, board = rig_of("robotic")
    board.ends["lid"] = [Ended(Reason.SWITCH, 0, 2.0)]
    assert rig.lid is not None
    clock.run(rig.lid.go_forth())
    assert board.commands == ["lid forward"]


def _switched(rig: Stations, part: str) -> Switched:
    match part.split():
        case ["lift", side]:
            return rig.lifts[int(side)]
        case ["hand", "lane", seat]:
            return rig.lanes[int(seat)]
    assert rig.flipper is not None
    return rig.flipper


@pytest.mark.parametrize(
    ("part", "motor", "switch", "code"),
    [
        ("lift 2", "lift2", "lift2_up", Fault.LIFT),
        ("hand lane 3", "lane3_presenter", "lane3_presented", Fault.LANE),
        ("flipper", "flipper", "flipper_flipped", Fault.FLIPPER),
    ],
)
def test_every_part_between_two_switches_names_itself_and_the_switch(
    part: str, motor: str, switch: str, code: Fault
) -> None:
    rig, board = rig_of("auto_deal")
    board.ends[motor] = NEVER
    fault = fault_of(_switched(rig, part).go_forth())
    assert (fault.fault, fault.part) == (code, part)
    assert switch in fault.evidence


# Heads


def test_a_starved_head_names_its_counter_the_tiles_and_the_time() -> None:
    rig, board = rig_of("robotic")
    board.ends["head1_wheel"] = [Ended(Reason.TIME, 0, 30.0)] * 5 + [Ended(Reason.TIME, 1, 30.0)]
    fault = fault_of(rig.heads[1].lift(2))
    assert fault.fault is Fault.STARVED
    assert str(fault) == (
        "head 1: a head counted fewer tiles than it was to lift"
        " (head1_counter counted 1 of 2 tiles in 60.0 s)."
    )


def test_a_vane_without_an_edge_is_named() -> None:
    rig, board = rig_of("robotic")
    board.ends["head3_pusher"] = [Ended(Reason.TIME, 0, 1.5)] * 2
    fault = fault_of(rig.heads[3].stack((2, 2)))
    assert (fault.fault, fault.part) == (Fault.PUSHER, "head 3")
    assert fault.evidence == "head3_vane gave no signal within 1.5 s; the drive ended by TIME"


def test_a_failed_push_is_reported_before_a_third_stack_is_lifted() -> None:
    rig, board = rig_of("robotic")
    board.ends["head0_pusher"] = [Ended(Reason.TIME, 0, 1.5)] * 2
    fault_of(rig.heads[0].stack((2,) * 17))
    assert sorted(board.commands) == ["head0_pusher forward"] * 2 + ["head0_wheel forward"] * 2


def test_the_wheel_lifts_the_next_stack_during_a_push() -> None:
    # Three stacks of two take 3 * 0.56 s to lift. Two pushes run during that time; the last push
    # takes 0.28 s after it.
    rig, board = rig_of("robotic")
    counted, seconds = duration_of(rig.heads[0].stack((2, 2, 2)))
    assert counted == 6
    assert seconds == pytest.approx(3 * 0.56 + 0.28)
    assert sorted(board.commands) == ["head0_pusher forward"] * 3 + ["head0_wheel forward"] * 3


def test_the_command_of_a_push_is_sent_before_that_of_the_next_tile() -> None:
    # With stacks of one tile, a tile before the push would be lifted onto the present stack.
    rig, board = rig_of("robotic")
    clock.run(rig.heads[0].stack((1, 1, 1)))
    assert board.commands == ["head0_wheel forward", "head0_pusher forward"] * 3


def test_a_long_push_delays_the_next_push_but_not_the_wheel() -> None:
    rig, board = rig_of("robotic")
    board.ends["head0_pusher"] = [Ended(Reason.EDGES, 1, 1.4)]
    _, seconds = duration_of(rig.heads[0].stack((2, 2)))
    assert seconds == pytest.approx(0.56 + 1.4 + 0.28)


@pytest.mark.parametrize("at", [1.0, 9.0])
def test_a_build_that_is_cancelled_leaves_no_push_behind(at: float) -> None:
    """After 1 s the push still runs; after 9 s it has failed, while the wheel waits for tiles.

    asyncio prints the failure of a task that nobody has asked for.
    """
    rig, board = rig_of("robotic")
    board.ends["head0_wheel"] = [Ended(Reason.EDGES, 2, 0.5), Ended(Reason.TIME, 0, 60.0)]
    printed: list[object] = []

    async def push() -> None:
        try:
            await asyncio.sleep(5.0)
        except asyncio.CancelledError:
            await asyncio.sleep(0.1)  # the board is told to stop
            raise
        raise TableFault(Fault.UNPROVEN, "head 0", "the vane gave no signal")

    async def cancelled() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: printed.append(context["message"]))
        assert rig.heads[0]._push is not None
        rig.heads[0]._push.push = push  # type: ignore[method-assign]
        stacking = asyncio.create_task(rig.heads[0].stack((2, 2)))
        await asyncio.sleep(at)
        stacking.cancel()
        await asyncio.wait([stacking])
        assert asyncio.all_tasks() == {asyncio.current_task()}
        del stacking
        gc.collect()

    clock.run(cancelled())
    assert printed == []


def test_stacks_of_different_heights_are_counted() -> None:
    rig, _ = rig_of("robotic")
    assert clock.run(rig.heads[2].stack((1, 2, 2))) == 5


def test_the_belt_runs_from_start_to_halt() -> None:
    rig, board = rig_of("robotic")
    clock.run(rig.heads[0].start())
    assert board.commands == ["head0_belt = 1000"]
    clock.run(rig.heads[0].halt())
    assert board.commands[1:] == ["head0_belt stop"]


def test_a_tile_that_is_face_up_is_a_fault_that_names_the_sensor() -> None:
    rig, board = rig_of("pai_gow")
    board.levels["head0_face"] = [1]
    fault = fault_of(rig.heads[0].lift(1))
    assert (fault.fault, fault.part, fault.evidence) == (
        Fault.FACE_UP,
        "head 0",
        "head0_face is active",
    )


BACK = Ended(Reason.LEVEL, 0, 2.0)


@pytest.mark.parametrize(
    ("go", "sensor", "ends"),
    [
        (lambda chain: chain.to_zero(), "zero", NEVER),
        (lambda chain: chain.to_side(1), "corner", (LATE, BACK, LATE)),
    ],
)
def test_a_chain_that_does_not_arrive_names_its_sensor(
    go: Callable[[ChainStation], Coroutine[Any, Any, None]], sensor: str, ends: Sequence[Ended]
) -> None:
    rig, board = rig_of("single_port")
    module = load_table("single_port").modules.chain
    assert rig.chain is not None and module is not None
    board.ends[module.motor] = ends
    fault = fault_of(go(rig.chain))
    assert (fault.fault, fault.part) == (Fault.CHAIN, "chain")
    assert fault.evidence.startswith(f"{getattr(module, sensor)} gave no signal")


# The gantry


def packet(*, wide: bool = False) -> Carry:
    return Carry((UPPER, LOWER), Grasp(WALL, 0, wide), Grasp(HAND, 0, wide), 0.057, 2)


def test_a_carry_is_checked_by_the_sensor_in_the_jaws_before_and_after_the_release() -> None:
    rig, board = rig_of("robotic")
    board.levels["loaded"] = [1, 0]
    assert rig.gantry is not None
    clock.run(rig.gantry.carry(packet()))
    assert board.commands == [
        "gantry_z 0.057",
        "gantry_x 0.100 gantry_y -0.300",
        "turn back",
        "wide = 0",
        "gantry_z 0.000",
        "grip forward",
        "gantry_z 0.057",
        "gantry_x -0.400 gantry_y 0.200",
        "turn forward",
        "wide = 0",
        "gantry_z 0.000",
        "grip back",
        "gantry_z 0.057",
    ]


def test_the_jaws_turn_while_the_gantry_travels() -> None:
    # Seven moves of 0.7 s (the jaws turn during the travel), 0.4 s each to grip and to release.
    rig, board = rig_of("robotic")
    board.levels["loaded"] = [1, 0]
    assert rig.gantry is not None
    _, seconds = duration_of(rig.gantry.carry(packet()))
    assert seconds == pytest.approx(7 * 0.7 + 2 * 0.4)


def test_an_empty_grip_is_tried_again() -> None:
    rig, board = rig_of("robotic")
    board.levels["loaded"] = [0, 1, 0]
    assert rig.gantry is not None
    clock.run(rig.gantry.carry(packet()))
    assert board.commands.count("grip forward") == 2


def test_after_a_lost_block_the_jaws_travel_at_their_greatest_height() -> None:
    """The lost block can be on other stacks, higher than the planned travel height."""
    rig, board = rig_of("robotic")
    board.levels["loaded"] = [0, 1, 0]
    assert rig.gantry is not None
    clock.run(rig.gantry.carry(packet()))
    lost = board.commands.index("grip back")
    assert board.commands[lost + 1] == "gantry_z 0.300"
    again = board.commands[lost + 1 : board.commands.index("grip forward", lost)]
    assert "gantry_z 0.057" not in again


def test_an_empty_grip_three_times_is_a_fault_with_the_position() -> None:
    rig, board = rig_of("robotic")
    assert rig.gantry is not None
    fault = fault_of(rig.gantry.carry(packet()))
    assert str(fault) == (
        "gripper: the jaws closed and hold nothing"
        " (loaded stayed inactive 3 times at x 0.100 m, y -0.300 m, level 0)."
    )
    assert board.commands.count("grip forward") == board.commands.count("grip back") == 3


def test_a_block_that_slips_out_after_a_restart_is_taken_again() -> None:
    # `loaded`: not in the jaws, gripped at the source, lost over the target, gripped, released.
    rig, board = rig_of("robotic")
    board.levels["loaded"] = [0, 1, 0, 1, 0]
    assert rig.gantry is not None
    clock.run(rig.gantry.carry(packet(), doubtful=True))
    assert board.commands.count("grip forward") == 2
    assert board.commands.count("gantry_x -0.400 gantry_y 0.200") == 2
    assert board.levels["loaded"] == [0]


def test_a_block_found_in_the_jaws_after_a_restart_is_carried_to_its_target() -> None:
    rig, board = rig_of("robotic")
    board.levels["loaded"] = [1, 1, 0]
    assert rig.gantry is not None
    clock.run(rig.gantry.carry(packet(), doubtful=True))
    assert "grip forward" not in board.commands
    assert board.commands.count("grip back") == 1


def test_a_block_found_at_its_target_after_a_restart_stays_there() -> None:
    # `loaded`: not in the jaws, not at the source, gripped at the target, released.
    rig, board = rig_of("robotic")
    board.levels["loaded"] = [0, 0, 1, 0]
    assert rig.gantry is not None
    clock.run(rig.gantry.carry(packet(), doubtful=True))
    assert board.commands.count("grip forward") == 2
    assert board.levels["loaded"] == [0]


def test_a_block_found_nowhere_after_a_restart_was_not_delivered() -> None:
    rig, _ = rig_of("robotic")
    assert rig.gantry is not None
    fault = fault_of(rig.gantry.carry(packet(), doubtful=True))
    assert fault.fault is Fault.EMPTY_GRIP
    assert "x 0.100 m, y -0.300 m" in fault.evidence, "the position at which people put it back"


def test_tiles_that_stick_in_the_jaws_are_a_fault() -> None:
    rig, board = rig_of("robotic")
    board.levels["loaded"] = [1]
    assert rig.gantry is not None
    fault = fault_of(rig.gantry.carry(packet()))
    assert (fault.fault, fault.evidence) == (Fault.FULL_GRIP, "loaded is still active")


def test_an_axis_that_stops_on_the_way_is_a_fault_with_the_reason() -> None:
    rig, board = rig_of("robotic")
    board.ends["gantry_x"] = [Ended(Reason.STOPPED, 0, 0.2)]
    assert rig.gantry is not None
    fault = fault_of(rig.gantry.carry(packet()))
    assert str(fault) == "gantry: an axis did not arrive (the move of x and y ended by STOPPED)."
    assert "grip forward" not in board.commands


def test_jaws_that_do_not_close_name_their_switch() -> None:
    rig, board = rig_of("robotic")
    board.ends["grip"] = NEVER
    assert rig.gantry is not None
    fault = fault_of(rig.gantry.carry(packet()))
    assert (fault.fault, fault.part) == (Fault.GRIPPER, "gripper")
    assert fault.evidence.startswith("gripped gave no signal")


def test_the_width_of_the_jaws_is_set_before_every_grip() -> None:
    """When the lease is released, the output `wide` returns to its safe value: narrow jaws."""
    rig, board = rig_of("robotic")
    board.levels["loaded"] = [1, 0, 1, 0]
    assert rig.gantry is not None
    gantry = rig.gantry

    async def deal_two() -> None:
        await gantry.carry(packet(wide=True))
        board.commands.append("lease released")
        await gantry.carry(packet(wide=True))

    clock.run(deal_two())
    since = board.commands[board.commands.index("lease released") :]
    assert "wide = 1" in since[: since.index("grip forward")]
    assert "wide = 0" not in board.commands


@pytest.mark.parametrize(
    ("misread", "found"),
    [
        ([9], 7),
        ([None], 7),
        ([7, 9], 7),
        ([None, 9], 7),
        ([9, 9], 9),
        ([9, None, 9], None),
        ([None, None, None, None], None),
    ],
)
def test_a_tag_counts_if_two_successive_readings_of_at_most_four_agree(
    misread: list[int | None], found: int | None
) -> None:
    rig, board = rig_of("robotic")
    board.levels["loaded"] = [1, 0]
    board.tag, board.misread = 7, misread
    assert rig.gantry is not None
    move = TurnOver(UPPER, Grasp(WALL, 1, False), 0.057)
    assert clock.run(rig.gantry.turn_over(move)) == found


def test_the_indicator_is_lifted_turned_read_and_set_down() -> None:
    rig, board = rig_of("robotic")
    board.levels["loaded"] = [1, 0]
    board.tag = 0xE004_0100_0000_0007
    assert rig.gantry is not None
    move = TurnOver(UPPER, Grasp(WALL, 1, False), 0.057)
    assert clock.run(rig.gantry.turn_over(move)) == board.tag
    assert board.commands[5:] == [
        "grip forward",
        "gantry_z 0.057",
        "turner forward",
        "gantry_z 0.021",
        "grip back",
        "gantry_z 0.057",
        "turner back",
    ]


def test_homing_raises_the_jaws_first_and_leaves_them_open_straight_and_narrow() -> None:
    rig, board = rig_of("robotic")
    assert rig.gantry is not None
    clock.run(rig.gantry.home())
    assert board.commands == [
        "gantry_z home",
        "gantry_x home",
        "gantry_y home",
        "grip back",
        "turn back",
        "turner back",
        "wide = 0",
    ]
