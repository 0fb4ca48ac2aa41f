"""Guided steps: lamps show the columns, people do the work, a key says that it is done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from config.layout.staging import Staging, stage
from config.loader import load_table
from controller.faults.table_fault import Fault, TableFault
from controller.operator.guided_steps import PATIENCE, Guided
from controller.operator.table_keys import Key
from firmware_bridge.board import Board, Edge
from firmware_bridge.boards.devices import Output, Sensor
from firmware_bridge.guide import Ask, HandToPlay
from firmware_bridge.sim import clock
from rules.geometry import Place, Walls, parse_place
from rules.play import Action, Reseated, Settlement
from rules.steps import Choose, Outcome, Packet, Replace, Step, Throw, TurnUp

CLASSIC = load_table("classic")
WALLS = stage(Walls.even(17), CLASSIC)
Lit = tuple[float, str, int]


def places(*texts: str) -> tuple[Place, ...]:
    return tuple(parse_place(text) for text in texts)


PACKET = Packet(2, places("w3.15u", "w3.15l", "w3.16u", "w3.16l"))


class Panel(Board):
    """A board with lamps that remembers when each was switched, and a key pressed at set times."""

    def __init__(self, presses: Sequence[float] = ()) -> None:
        self.lit: list[Lit] = []
        self._presses = presses

    async def set(self, channel: str, value: int) -> None:
        self.lit.append((asyncio.get_running_loop().time(), channel, value))

    async def count(self, sensor: str) -> int:
        return sum(at <= asyncio.get_running_loop().time() for at in self._presses)

    async def watch(self, *sensors: str) -> AsyncIterator[Edge]:
        for number, at in enumerate(self._presses, 1):
            await asyncio.sleep(at - asyncio.get_running_loop().time())
            yield Edge(sensors[0], True, at, number)
            yield Edge(sensors[0], False, at, number)


@dataclass
class People:
    """They take so long over each step, and this is what they answer; None is for ever."""

    seconds: float | None = 2.5
    answer: Outcome = None
    asked: list[Step] = field(default_factory=list)

    async def do(self, step: Step, staging: Staging) -> Outcome:
        self.asked.append(step)
        await (asyncio.Event().wait() if self.seconds is None else asyncio.sleep(self.seconds))
        return self.answer

    async def ready(self) -> None:
        """They need no telling."""

    async def sit_down(self, dealt: HandToPlay) -> None:
        """They know the rules."""

    async def act(self, play: Any) -> Action | None:
        """They take as long as over a step, and leave it to the dice."""
        await asyncio.sleep(self.seconds or 0.0)
        return None

    async def settled(self, settlement: Settlement) -> None:
        """They can count."""

    async def move_seats(self, reseated: Reseated) -> None:
        """They find their seats."""

    async def help(self, ask: Ask) -> str:
        """They have put it right."""
        return ask.answers[0]


@dataclass
class Done:
    """How a guided step went: its outcome or fault, when it was over, and what the lamps did."""

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
    """Do one step on the classic table; with `presses` there is a done key, pressed just then."""

    async def scenario() -> Done:
        loop = asyncio.get_running_loop()
        panel = Panel(presses or ())
        key = None if presses is None else Key(Sensor(panel, "done_key"))
        lamps = tuple(Output(panel, f"lamps{side}") for side in range(4))
        asks = Guided(people or People(), lamps, key)
        outcome, fault = None, None
        await asyncio.sleep(begin)
        try:
            outcome = await asks.do(step, WALLS)
        except TableFault as raised:
            fault = raised
        if key is not None:
            key.close()
        return Done(outcome, fault, loop.time(), panel.lit)

    return clock.run(scenario())


def test_a_packets_columns_are_lit_and_go_out_when_it_is_taken() -> None:
    # Columns 15 and 16 are lamps 14 and 15, counted from 0.
    done = guided(PACKET)
    assert done.lit == [(0.0, "lamps3", 0b11 << 14), (2.5, "lamps3", 0)]


def test_a_packet_round_the_corner_lights_both_walls() -> None:
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
def test_a_step_that_is_about_no_tile_lights_nothing(step: Step) -> None:
    assert guided(step, People(answer=(3, 5))).lit == []


def test_a_table_without_lamps_asks_all_the_same() -> None:
    people = People(answer="dai_pin")
    choose = Choose(0, "cut", ("one_stack", "dai_pin"), "one_stack")
    assert clock.run(Guided(people, (), None).do(choose, WALLS)) == "dai_pin"
    assert people.asked == [choose]


def test_lamps_go_out_though_nobody_answers_and_the_fault_says_what_was_asked() -> None:
    done = guided(PACKET, People(seconds=None))
    assert done.fault is not None
    assert done.fault.fault is Fault.NOBODY
    assert done.fault.evidence == "no answer to packet in 900 s"
    assert done.at == PATIENCE
    assert done.lit == [(0.0, "lamps3", 0b11 << 14), (PATIENCE, "lamps3", 0)]


def test_lamps_go_out_when_the_table_is_stopped_meanwhile() -> None:
    async def scenario() -> list[Lit]:
        panel = Panel()
        lamps = tuple(Output(panel, f"lamps{side}") for side in range(4))
        asking = asyncio.create_task(Guided(People(None), lamps, None).do(PACKET, WALLS))
        await asyncio.sleep(30.0)
        asking.cancel()
        await asyncio.wait([asking])
        return panel.lit

    assert clock.run(scenario())[-1] == (30.0, "lamps3", 0)


# The done key


def test_a_packet_counts_when_the_key_is_pressed() -> None:
    done = guided(PACKET, People(seconds=None), presses=[7.0])
    assert done.at == 7.0
    assert done.lit[-1] == (7.0, "lamps3", 0)


def test_a_packet_counts_as_well_when_the_screen_is_told() -> None:
    assert guided(PACKET, presses=[]).at == 2.5


def test_a_press_from_before_the_step_does_not_count() -> None:
    done = guided(PACKET, People(seconds=None), presses=[1.0, 1.2, 9.0], begin=5.0)
    assert done.at == 9.0


def test_what_people_answered_needs_no_key_besides() -> None:
    done = guided(TurnUp(places("w3.8u")[0], 0), People(answer="7m"), presses=[])
    assert (done.outcome, done.at) == ("7m", 2.5)


def test_a_key_that_nobody_presses_is_a_fault_too() -> None:
    done = guided(PACKET, People(seconds=None), presses=[])
    assert done.fault is not None
    assert done.fault.fault is Fault.NOBODY
    assert done.at == PATIENCE
