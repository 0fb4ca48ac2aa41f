"""Tests the cures that stations try before they prompt a person, on a scripted board."""

from __future__ import annotations

import pytest

from config.loader import load_game, load_table
from config.recovery_limits import DEFAULTS
from controller.run.faults.failures import Fault
from controller.run.faults.retry import FaultHandler
from controller.run.journal.notes import ChainAt, ChainLost, Note
from controller.run.stations.chain import ChainStation
from controller.run.stations.rig import Stations
from firmware_bridge.board import Ended, Reason
from firmware_bridge.boards.devices import Devices
from firmware_bridge.guide import Ask
from firmware_bridge.sim import clock
from tests.controller.run.stations.test_stations import (
    BACK,
    LATE,
    ScriptedBoard,
    fault_of,
    packet,
    rig_of,
)


def helped(table: str, asked: list[Ask]) -> tuple[Stations, ScriptedBoard]:
    """Return a table's stations and their board; every prompt gets its first answer."""

    async def answer(ask: Ask) -> str:
        asked.append(ask)
        return ask.answers[0]

    machine, board = load_table(table), ScriptedBoard()
    devices = Devices(machine, dict.fromkeys(machine.boards, board))
    return Stations(
        machine, load_game("wenzhou").tile, devices, FaultHandler(DEFAULTS.get, answer)
    ), board


def test_a_lid_that_meets_an_obstacle_backs_off_and_prompts_a_person() -> None:
    asked: list[Ask] = []
    rig, board = helped("robotic", asked)
    board.ends["lid"] = [Ended(Reason.CURRENT, 0, 1.0)]
    assert rig.lid is not None
    clock.run(rig.lid.go_back())
    assert board.commands == ["lid back", "lid forward", "lid back"]
    assert [(ask.code, ask.part) for ask in asked] == [("OBSTRUCTED", "lid")]
    assert asked[0].seen == "lid drew too much current after 1.0 s"


def test_without_a_person_an_obstructed_part_stays_backed_off() -> None:
    rig, board = rig_of("robotic")
    board.ends["lift1"] = [Ended(Reason.CURRENT, 0, 1.0)]
    fault = fault_of(rig.lifts[1].go_forth())
    assert (fault.fault, fault.part) == (Fault.OBSTRUCTED, "lift 1")
    assert board.commands == ["lift1 forward", "lift1 back"]


def test_a_lift_with_both_switches_active_is_tried_again_and_both_are_named() -> None:
    rig, board = rig_of("robotic")
    board.ends["lift2"] = [LATE] * 9
    board.levels |= {"lift2_up": [1], "lift2_down": [1]}
    fault = fault_of(rig.lifts[2].go_forth())
    assert fault.fault is Fault.BOTH_SWITCHES
    assert fault.evidence == "lift2_up and lift2_down are both active"
    assert board.commands == ["lift2 forward"] * 2


def test_a_stuck_upper_switch_does_not_count_as_a_raised_lift() -> None:
    rig, board = rig_of("robotic")
    board.ends["lift2"] = [Ended(Reason.SWITCH, 0, 0.0)] * 2
    board.levels |= {"lift2_up": [1], "lift2_down": [1]}
    fault = fault_of(rig.lifts[2].go_forth())
    assert (fault.fault, fault.part) == (Fault.BOTH_SWITCHES, "lift 2")
    assert board.commands == ["lift2 forward"] * 2


def test_a_lift_that_was_already_up_is_accepted() -> None:
    rig, board = rig_of("robotic")
    board.ends["lift2"] = [Ended(Reason.SWITCH, 0, 0.0)]
    board.levels |= {"lift2_up": [1], "lift2_down": [0]}
    clock.run(rig.lifts[2].go_forth())
    assert board.commands == ["lift2 forward"]


async def over_two_sides(chain: ChainStation) -> None:
    await chain.to_zero()
    await chain.to_side(1)
    await chain.to_side(2)


def test_after_a_missed_corner_the_chain_counts_again_from_side_0() -> None:
    rig, board = rig_of("single_port")
    module, chain = load_table("single_port").modules.chain, rig.chain
    assert module is not None and chain is not None

    arrived = Ended(Reason.EDGES, 1, 1.0)
    board.ends[module.motor] = [BACK, arrived, LATE, BACK, arrived]
    clock.run(over_two_sides(chain))
    forth, back = f"{module.motor} forward", f"{module.motor} back"
    assert board.commands == [back, forth, forth, back, forth]


@pytest.mark.parametrize(("is_at_side", "drives"), [(True, 2), (False, 1)])
def test_contact_bounce_as_the_chain_leaves_a_side_is_not_an_arrival(
    is_at_side: bool, drives: int
) -> None:
    rig, board = rig_of("single_port")
    module, chain = load_table("single_port").modules.chain, rig.chain
    assert module is not None and chain is not None
    board.ends[module.motor] = [BACK, Ended(Reason.EDGES, 1, 0.03), Ended(Reason.EDGES, 1, 2.97)]
    board.levels[module.zero] = [0, int(is_at_side)]
    clock.run(chain.to_side(1))
    assert board.commands == [f"{module.motor} back", *[f"{module.motor} forward"] * drives]


def test_two_corner_edges_in_the_time_of_one_side_are_a_fault() -> None:
    rig, board = rig_of("single_port")
    module, chain = load_table("single_port").modules.chain, rig.chain
    assert module is not None and chain is not None

    board.levels[module.zero] = [0, 1, 1, 0, 1]
    arrived, both = Ended(Reason.EDGES, 1, 3.0), Ended(Reason.EDGES, 2, 3.1)
    board.ends[module.motor] = [BACK, arrived, LATE, BACK, both]
    fault = fault_of(over_two_sides(chain))
    assert (fault.fault, fault.part) == (Fault.CHAIN, "chain")
    assert fault.evidence == f"{module.corner} counted 2 sides within 3.1 s"


class Notes:
    """The notes of a build that an earlier run began; `written` has the notes of this run."""

    doubtful = True

    def __init__(self, *notes: Note) -> None:
        self.notes: tuple[Note, ...] = notes
        self.written: list[Note] = []
        self.commands: list[str] = []
        """Receives "on disk" for each wait; a test can set this to the board's list of commands."""

    def record(self, note: Note) -> None:
        self.written.append(note)

    async def on_disk(self) -> None:
        self.commands.append("on disk")

    async def note(self, note: Note) -> None:
        self.record(note)
        await self.on_disk()


def resumed_chain(
    *notes: Note, levels: dict[str, list[int]], corners: int
) -> tuple[list[str], Notes]:
    """Resume a run, drive the chain to side 2, and return the board's commands and the notes.

    `levels` has what each sensor shows whenever it is read.
    """
    rig, board = rig_of("single_port")
    assert rig.chain is not None
    chain, work = rig.chain, Notes(*notes)
    board.levels |= levels
    board.counts["chain_corner"] = corners
    board.seconds["chain_corner"] = 3.0

    async def go_on() -> None:
        await chain.begin(work, resumed=True)
        await chain.to_side(2)

    clock.run(go_on())
    return board.commands, work


AT_SIDE_1 = ChainAt(1, 4)


def test_a_chain_at_the_side_in_the_journal_continues_from_there() -> None:
    commands, work = resumed_chain(AT_SIDE_1, levels={"chain_corner": [1]}, corners=4)
    assert commands == ["chain forward"]
    assert work.written == [ChainAt(2, 5)]


@pytest.mark.parametrize(
    ("notes", "levels", "corners"),
    [
        pytest.param([AT_SIDE_1], {"chain_corner": [1]}, 5, id="an edge since the note"),
        pytest.param([AT_SIDE_1], {"chain_corner": [0]}, 4, id="the chain is between two sides"),
        pytest.param(
            [AT_SIDE_1, ChainLost()], {"chain_corner": [1]}, 4, id="a fault since the note"
        ),
        pytest.param([], {"chain_corner": [1]}, 1, id="no arrival was noted"),
    ],
)
def test_a_chain_without_proof_of_its_side_counts_again_from_side_0(
    notes: list[Note], levels: dict[str, list[int]], corners: int
) -> None:
    commands, _ = resumed_chain(*notes, levels=levels, corners=corners)
    assert commands == ["chain back", "chain forward"]


def test_a_chain_whose_zero_switch_was_active_at_the_start_leaves_it_and_returns() -> None:
    commands, work = resumed_chain(AT_SIDE_1, levels={"chain_zero": [1, 1, 0, 1]}, corners=9)
    assert commands == ["chain forward", "chain back", "chain forward"]
    assert work.written == [ChainAt(2, 12)]


def test_a_zero_switch_that_is_stuck_does_not_count_as_side_0() -> None:
    rig, board = rig_of("single_port")
    assert rig.chain is not None
    board.levels["chain_zero"] = [1] * 9
    fault = fault_of(rig.chain.to_zero())
    assert (fault.fault, fault.part) == (Fault.CHAIN, "chain")
    assert fault.evidence == "chain_zero is still active after the chain left it"
    assert "chain back" not in board.commands


def test_a_chain_that_missed_a_corner_notes_that_its_side_is_unknown() -> None:
    rig, board = rig_of("single_port")
    assert rig.chain is not None
    chain, work = rig.chain, Notes()
    board.ends["chain"] = [BACK, LATE, BACK]
    work.commands = board.commands

    async def build() -> None:
        await chain.begin(work, resumed=False)
        await chain.to_side(1)

    clock.run(build())
    assert work.written == [ChainLost(), ChainAt(1, 1)]
    assert board.commands == [
        "chain back",
        "chain forward",
        "on disk",
        "chain back",
        "chain forward",
    ]


def test_a_tile_that_sticks_in_the_jaws_is_lowered_and_released_again() -> None:
    rig, board = rig_of("robotic")
    board.levels["loaded"] = [1, 1, 0]
    assert rig.gantry is not None
    clock.run(rig.gantry.carry(packet()))
    assert board.commands[-6:] == [
        *("grip back", "gantry_z 0.057"),
        *("gantry_z 0.000", "grip forward", "grip back", "gantry_z 0.057"),
    ]


@pytest.mark.parametrize("axis", ["gantry_x", "gantry_z"])
def test_a_blocked_axis_is_homed_after_the_answer_and_the_carry_continues(axis: str) -> None:
    asked: list[Ask] = []
    rig, board = helped("robotic", asked)
    board.levels["loaded"] = [1, 0]
    board.ends[axis] = [Ended(Reason.SWITCH, 0, 0.2)]
    assert rig.gantry is not None
    clock.run(rig.gantry.carry(packet()))
    assert [(ask.code, ask.part) for ask in asked] == [("AXIS", "gantry")]
    homed = board.commands.index("gantry_z home")
    assert board.commands[homed : homed + 3] == ["gantry_z home", "gantry_x home", "gantry_y home"]
    assert board.commands[-1] == "gantry_z 0.057"


def test_a_pusher_that_cannot_run_backwards_is_driven_again() -> None:
    rig, board = rig_of("robotic")
    board.ends["head3_pusher"] = [Ended(Reason.TIME, 0, 1.5)]
    assert clock.run(rig.heads[3].stack((2,))) == 2
    assert board.commands.count("head3_pusher forward") == 2
    assert "head3_pusher back" not in board.commands


def test_a_blocked_counter_makes_the_wheel_run_backwards() -> None:
    rig, board = rig_of("robotic")
    board.ends["head2_wheel"] = [Ended(Reason.TIME, 1, 30.0)]
    board.levels["head2_counter"] = [1, 1, 0]
    assert clock.run(rig.heads[2].lift(2)) == 2
    assert board.commands[:3] == ["head2_wheel forward", "head2_wheel back", "drum back"]


def test_a_surplus_tile_prompts_a_person() -> None:
    asked: list[Ask] = []
    rig, board = helped("robotic", asked)
    board.ends["head2_wheel"] = [Ended(Reason.EDGES, 3, 0.8)]
    assert clock.run(rig.heads[2].lift(2)) == 2
    assert [(ask.code, ask.part) for ask in asked] == [("EXTRA_TILE", "head 2")]
    assert asked[0].seen == "head2_counter counted 3 of 2 tiles in 0.8 s"


def test_a_wheel_that_did_not_turn_does_not_prove_that_the_drum_is_empty() -> None:
    rig, board = rig_of("robotic")
    head = rig.heads[0]
    board.ends["head0_wheel"] = [Ended(Reason.CURRENT, 0, 0.3)]
    fault = fault_of(head.lifts_another())
    assert (fault.fault, fault.part) == (Fault.UNPROVEN, "trays")


def test_a_wheel_that_turned_until_its_time_limit_proves_that_the_drum_is_empty() -> None:
    rig, board = rig_of("robotic")
    head = rig.heads[0]
    board.ends["head0_wheel"] = [LATE]
    assert clock.run(head.lifts_another()) is False
