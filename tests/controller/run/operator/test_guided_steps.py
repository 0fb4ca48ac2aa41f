"""Tests guided steps: lamps show the columns, and a key or the guide confirms the step."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from config.layout.staging import Staging, stage
from config.loader import load_table
from controller.run.faults.failures import Fault, TableFault
from controller.run.operator.guided_steps import PATIENCE, Guided
from controller.run.operator.table_keys import Key
from firmware_bridge.board import Board, Edge
from firmware_bridge.boards.devices import Output, Sensor
from firmware_bridge.guide import Ask, HandToPlay
from firmware_bridge.sim import clock
from rules.geometry import Place, Walls, parse_place
from rules.play import Action, Reseated, Settlement
from rules.steps import Choose, Outcome, Packet, Replace, Step, Throw, TurnUp
from tests.firmware_bridge.scripted_edges import scripted

CLASSIC = load_table("classic")
WALLS = stage(Walls.even(17), CLASSIC)
Lit = tuple[float, str, int]


def places(*texts: str) -> tuple[Place, ...]:
    return tuple(parse_place(text) for text in texts)


PACKET = Packet(2, places("w3.15u", "w3.15l", "w3.16u", "w3.16l"))


class Panel(Board):
    """A board that records when lamps were switched, with a key that is pressed at given times."""

    def __init__(self, presses: Sequence[float] = ()) -> None:
        self.lit: list[Lit] = []
        self._presses = presses

    async def set(self, channel: str, value: int) -> None:
        self.lit.append((asyncio.get_running_loop().time(), channel, value))

    async def count(self, sensor: str) -> int:
        return sum(at <= asyncio.get_running_loop().time() for at in self._presses)

    @scripted
    async def watch(self, *sensors: str) -> AsyncIterator[Edge]:
        for number, at in enumerate(self._presses, 1):
            await asyncio.sleep(at - asyncio.get_running_loop().time())
            yield Edge(sensors[0], True, at, number)
            yield Edge(sensors[0], False, at, number)


@dataclass
class People:
    """People who answer each step with `answer` after `seconds`; never if `seconds` is None."""

    seconds: float | None = 2.5
    answer: Outcome = None
    asked: list[Step] = field(default_factory=list)

    async def do(self, step: Step, staging: Staging) -> Outcome:
        self.asked.append(step)
        await (asyncio.Event().wait() if self.seconds is None else asyncio.sleep(self.seconds))
        return self.answer

    async def ready(self) -> None:
        """Do nothing when the table is ready."""

    async def sit_down(self, dealt: HandToPlay) -> None:
        """Do nothing when a hand is dealt."""

    async def act(self, play: Any) -> Action | None:
        """Return no action, after the same time as for a guided step."""
        await asyncio.sleep(self.seconds or 0.0)
        return None

    async def settled(self, settlement: Settlement) -> None:
        """Do nothing when a hand is settled."""

    async def move_seats(self, reseated: Reseated) -> None:
        """Do nothing when the seats change."""

    async def help(self, ask: Ask) -> str:
        """Answer that the fault is removed."""
        return ask.answers[0]


@dataclass
class Done:
    """The result of a guided step: its outcome or fault, its end, and the changes of the lamps."""

    outcome: Outcome
    fault: TableFault | None
    at: float
    lit: list[Lit]


def guided(
    step: Step,
    people: People | None = None,
    presses: Sequence[float] | None = None,
    begin: float = 0.0,
) -> Done:
    """Do one step on the classic table; its done key is pressed at the times `presses`."""

    async def scenario() -> Done:
        loop = asyncio.get_running_loop()
        panel = Panel(presses or ())
        key = None if presses is None else Key(Sensor(panel, "done_key"))
        lamps = tuple(Output(panel, f"lamps{side}") for side in range(4))
        steps = Guided(people or People(), lamps, key)
        outcome, fault = None, None
        await asyncio.sleep(begin)
        try:
            outcome = await steps.do(step, WALLS)
        except TableFault as raised:
            fault = raised
        if key is not None:
            key.close()
        return Done(outcome, fault, loop.time(), panel.lit)

    return clock.run(scenario())


def test_the_columns_of_a_packet_are_lit_until_it_is_taken() -> None:
    # Columns 15 and 16 are lamps 14 and 15, counted from 0.
    done = guided(PACKET)
    assert done.lit == [(0.0, "lamps3", 0b11 << 14), (2.5, "lamps3", 0)]


def test_a_packet_from_two_walls_lights_both() -> None:
    done = guided(Packet(1, places("w3.17u", "w3.17l", "w2.1u", "w2.1l")))
    assert done.lit == [
        (0.0, "lamps3", 1 << 16),
        (0.0, "lamps2", 1),
        (2.5, "lamps3", 0),
        (2.5, "lamps2", 0),
    ]


@pytest.mark.parametrize(
    "step", [TurnUp(places("w3.8u")[0], 0), Replace(1, places("w3.8l")[0])], ids=["turn up", "draw"]
)
def test_a_single_tile_lights_its_own_column(step: Step) -> None:
    assert guided(step, People(answer=None)).lit[0] == (0.0, "lamps3", 1 << 7)


@pytest.mark.parametrize("step", [Throw(0, 2, "break"), Choose(0, "cut", ("a", "b"), "a")])
def test_a_step_without_tiles_lights_no_column(step: Step) -> None:
    assert guided(step, People(answer=(3, 5))).lit == []


def test_a_table_without_lamps_prompts_too() -> None:
    people = People(answer="dai_pin")
    choose = Choose(0, "cut", ("one_stack", "dai_pin"), "one_stack")
    assert clock.run(Guided(people, (), None).do(choose, WALLS)) == "dai_pin"
    assert people.asked == [choose]


def test_without_an_answer_the_lamps_go_out_and_the_fault_names_the_step() -> None:
    done = guided(PACKET, People(seconds=None))
    assert done.fault is not None
    assert done.fault.fault is Fault.NOBODY
    assert done.fault.evidence == "no answer to packet in 900 s"
    assert done.at == PATIENCE
    assert done.lit == [(0.0, "lamps3", 0b11 << 14), (PATIENCE, "lamps3", 0)]


def test_the_lamps_go_out_when_the_table_is_stopped() -> None:
    async def scenario() -> list[Lit]:
        panel = Panel()
        lamps = tuple(Output(panel, f"lamps{side}") for side in range(4))
        prompt = asyncio.create_task(Guided(People(None), lamps, None).do(PACKET, WALLS))
        await asyncio.sleep(30.0)
        prompt.cancel()
        await asyncio.wait([prompt])
        return panel.lit

    assert clock.run(scenario())[-1] == (30.0, "lamps3", 0)


# The done key


def test_a_press_of_the_key_confirms_a_packet() -> None:
    done = guided(PACKET, People(seconds=None), presses=[7.0])
    assert done.at == 7.0
    assert done.lit[-1] == (7.0, "lamps3", 0)


def test_the_guide_confirms_a_packet_without_a_press_of_the_key() -> None:
    assert guided(PACKET, presses=[]).at == 2.5


def test_a_press_before_the_step_does_not_confirm_it() -> None:
    done = guided(PACKET, People(seconds=None), presses=[1.0, 1.2, 9.0], begin=5.0)
    assert done.at == 9.0


def test_a_step_with_an_answer_needs_no_press_of_the_key() -> None:
    done = guided(TurnUp(places("w3.8u")[0], 0), People(answer="7m"), presses=[])
    assert (done.outcome, done.at) == ("7m", 2.5)


def test_a_key_that_is_not_pressed_in_time_is_a_fault() -> None:
    done = guided(PACKET, People(seconds=None), presses=[])
    assert done.fault is not None
    assert done.fault.fault is Fault.NOBODY
    assert done.at == PATIENCE


def test_people_can_take_all_evening_for_a_choice() -> None:
    choice = Choose(1, "bank", ("take", "decline"), "take")
    done = guided(choice, People(seconds=20 * PATIENCE, answer="decline"))
    assert (done.fault, done.outcome, done.at) == (None, "decline", 20 * PATIENCE)
