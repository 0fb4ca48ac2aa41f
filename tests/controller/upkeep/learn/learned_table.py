"""Learns a simulated table with shuffled wires, and compares the result with the truth."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from config.loader import load_game, load_table
from config.schema import MotorChannel, SensorChannel, Table
from controller.run.assembly import simulated_plant
from controller.upkeep.learn import Findings, LearnQuestion, LearnSession, QuestionKind
from controller.upkeep.learn.proposal import motor_roles
from firmware_bridge.board import Board
from firmware_bridge.boards.encoding import flags
from firmware_bridge.boards.serial_board import SerialBoard
from firmware_bridge.executor.virtual_board import KEY
from firmware_bridge.sim.line import CablePlug
from firmware_bridge.sim.people.learn_helper import LearnHelper
from firmware_bridge.sim.people.selftest_watcher import NoPeople
from firmware_bridge.sim.plant.machine import Plant
from firmware_bridge.sim.rewired import Rewiring, rewired_bench, shuffled
from firmware_bridge.wire.link import SerialLine
from rules.games import GAMES


class ScriptedPerson:
    """A simulated person at the table; `before_motion` is called before each word is typed."""

    def __init__(self, helper: LearnHelper, model: Table) -> None:
        self.helper = helper
        self._roles = motor_roles(model)
        self.lines: list[str] = []
        self.words: list[tuple[str, str]] = []
        self.asked: list[LearnQuestion] = []
        self.before_motion: Callable[[str], bool] = lambda wire: True
        self.most_rounds = 49

    async def allow(self, please: str, word: str, wire: str = "") -> bool:
        await asyncio.sleep(1.0)
        if not self.before_motion(wire):
            return False
        self.words.append((word, wire))
        self.helper.moves(wire)
        return True

    async def choose(self, question: LearnQuestion) -> str:
        await asyncio.sleep(1.0)
        self.asked.append(question)
        answers = question.answers
        match question.kind:
            case QuestionKind.MOVED:
                return self.helper.moved(question.wire, answers)
            case QuestionKind.AT_FAR_END:
                return self.helper.is_at(self._roles[question.role].far, answers)
            case QuestionKind.WORKS_FORWARD:
                return self.helper.works_forward(question.wire, answers)
            case QuestionKind.AGAIN:
                self.most_rounds -= 1
                return "yes" if self.most_rounds > 0 else "no"

    async def act(self, please: str, role: str) -> None:
        self.helper.reach(role)

    def report(self, line: str) -> None:
        self.lines.append(line)


@dataclass
class Learned:
    """A table that is being learned."""

    model: Table
    rewiring: Rewiring
    plant: Plant
    board: Board
    person: ScriptedPerson
    session: LearnSession
    saved: list[int] = field(default_factory=list)


async def learner(
    table: str,
    seed: int,
    *,
    sees: float = 1.0,
    guesses: bool = False,
    findings: Findings | None = None,
) -> Learned:
    """Set up a session with a simulated table; the board is open."""
    model, config = load_table(table), load_game("wenzhou")
    plant = simulated_plant(
        model, config, GAMES[config.game], 4, seed, chance=False, people=NoPeople
    )
    rewiring, plug = shuffled(model, seed), CablePlug()
    bench, wired = rewired_bench(plant, rewiring, plug.send)
    plug.on_receive = bench.receive
    line, nonces = SerialLine(plug.open()), Random(seed)
    listed = rewiring.wire_list
    ((name, board_config),) = listed.boards.items()
    board = SerialBoard(
        name,
        board_config,
        line,
        KEY,
        lambda: nonces.randbytes(8),
        flags(listed.emergency, listed.curtain, ()),
    )
    await board.start()
    helper = LearnHelper(plant, wired, rewiring, seed, sees=sees, guesses=guesses)
    person = ScriptedPerson(helper, model)
    saved: list[int] = []
    session = LearnSession(
        listed,
        model,
        {name: board},
        person,
        findings or Findings(model.name),
        lambda found: saved.append(len(found.wires)),
    )
    return Learned(model, rewiring, plant, board, person, session, saved)


def check_wiring(found: Table, rewiring: Rewiring, model: Table) -> None:
    """Assert that every motor and sensor has the pins of the wire that really leads to it."""
    listed = next(iter(rewiring.wire_list.boards.values())).channels
    for wire, truth in rewiring.wires.items():
        channel, listed_wire = found.channel(truth.channel), listed[wire]
        if isinstance(listed_wire, MotorChannel):
            assert isinstance(channel, MotorChannel)
            pins = (listed_wire.pin, listed_wire.reverse_pin)
            expected = pins[::-1] if truth.inverted else pins
            assert (channel.pin, channel.reverse_pin) == expected, truth.channel
            original = model.channel(truth.channel)
            assert isinstance(original, MotorChannel)
            assert channel.forward_stop == original.forward_stop
            assert channel.reverse_stop == original.reverse_stop
        elif isinstance(listed_wire, SensorChannel):
            assert isinstance(channel, SensorChannel)
            assert channel.pin == listed_wire.pin, truth.channel
            assert (channel.active != listed_wire.active) == truth.inverted, truth.channel
