"""One set-up, carried out: a step becomes moves, each move is confirmed, then the step counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from config.field import Field
from config.staging import Staging
from controller.books import as_json
from controller.fastest import fastest_order
from controller.moves import Carry, FlipIndicator, Move, Present, Prompt, Shake, TurnOver
from controller.planner import Plan, Planner
from controller.rest import foreseen, packets_ahead, seats_of
from controller.tabletop import TableTop
from controller.workplace import Workplace
from rules.setup import Setup
from rules.steps import (
    Arrange,
    Build,
    Choose,
    DrawLot,
    Outcome,
    Packet,
    Replace,
    ReturnLots,
    Step,
    Throw,
    TurnUp,
)

TRIGGERS: Mapping[type[Step], str] = {
    Throw: "begin_throwing",
    Choose: "begin_cutting",
    Arrange: "begin_cutting",
    Packet: "begin_dealing",
    TurnUp: "begin_turning",
    Replace: "begin_replacing",
    DrawLot: "begin_replacing",
    ReturnLots: "begin_replacing",
}
"""The machine's state in which each kind of step is done."""


class Deal:
    """One round's set-up on one table."""

    def __init__(self, place: Workplace, staging: Staging, setup: Setup, tile_set: int) -> None:
        self.setup = setup
        self.moves: list[Move] = []
        """Every move made so far, in order."""
        self._rig = place.rig
        self._guided = place.guided
        self._books = place.books
        self._orders = place.orders
        self._throws = list(place.orders.throws)
        self._face_of = place.face_of
        self._tile_set = tile_set
        field = Field(place.table, place.tile)
        self._planner = Planner(place.table, field, staging, seats_of(setup))
        self._top = self._planner.raised().top

    @property
    def top(self) -> TableTop:
        """What lies on the field now, as far as it is confirmed."""
        return self._top

    @property
    def staging(self) -> Staging:
        """Where each place came to lie in the trays."""
        return self._planner.staging

    async def raise_walls(self) -> None:
        """The lifts bring the staged set up; people build where there are none.

        A game without tiles has nothing to raise. Raises TableFault.
        """
        books, build = self._books, self.setup.pending
        books.machine.fire("raise_walls")
        if not isinstance(build, Build):
            books.ledger = books.ledger.raised(self._tile_set, ())
            books.machine.fire("hand_up")
            return
        with books.intent("top", {"set": self._tile_set, **build.facts()}) as outcome:
            filled = {fill.tray for fill in self.staging.fills}
            lifts = [lift for tray, lift in enumerate(self._rig.lifts) if tray in filled]
            async with self._rig.leased(*(lift.motor.channel for lift in lifts)):
                await asyncio.gather(*(lift.go_forth() for lift in lifts))
            if self.staging.by_hand:
                await self._guided.do(build, self.staging)
            books.ledger = books.ledger.raised(self._tile_set, build.layout.places)
            outcome("raised")
        if books.machine.under == "staged":
            books.machine.fire("hand_up")
        books.events.tell("raised", set=self._tile_set)

    async def finish(self) -> None:
        """Every step until the game is ready to be played. Raises TableFault."""
        if isinstance(build := self.setup.pending, Build):
            await self._carry_out(build, self._planner.raised())
            self.setup = self.setup.apply()
        while (step := self.setup.pending) is not None:
            trigger = TRIGGERS[type(step)]
            if self._books.machine.top != trigger.removeprefix("begin_"):
                self._books.machine.fire(trigger)
            if isinstance(step, Packet) and self.staging.lanes and not self._planner.hands:
                self._settle_lanes()
            if isinstance(step, Packet) and self._orders.fastest and self._planner.carries:
                await self._deal_fastest()
            else:
                await self._one(step)

    # Steps

    async def _one(self, step: Step) -> None:
        with self._intent(step) as outcome:
            result = await self._outcome(step)
            outcome(as_json(result))
        self._apply(step, result)

    async def _outcome(self, step: Step) -> Outcome:
        if isinstance(step, Throw) and self._throws:
            return self._throws.pop(0)
        if isinstance(step, Choose) and step.what in self._orders.answers:
            return self._orders.answers[step.what]
        result = await self._carry_out(step, self._planner.plan(step, self._top))
        if isinstance(step, TurnUp) and result is None:
            result = await self._guided.do(step, self.staging)
        return result

    async def _deal_fastest(self) -> None:
        packets = packets_ahead(self.setup)
        todo = {packet: set(packet.places) for packet in packets}
        waiting = list(packets)
        for packet, plan in fastest_order(packets, self._planner, self._top):
            with self._intent(packet):
                await self._carry_out(packet, plan)
            for move in plan.moves:
                if isinstance(move, Carry) and move.seat is not None:
                    todo[packet].difference_update(move.tiles)
            while waiting and not todo[waiting[0]]:
                self._apply(waiting.pop(0), None)

    def _apply(self, step: Step, result: Outcome) -> None:
        """The step is confirmed: let it count, and tell it."""
        self.setup = self.setup.apply(result)
        tell = self._books.events.tell
        match step:
            case Packet():
                number = {} if step.hand is None else {"hand": step.hand}
                tell(
                    "delivered", seat=step.seat, **{"from": [str(p) for p in step.places]}, **number
                )
            case Replace() | DrawLot():
                tell("delivered", seat=step.seat, **{"from": [str(step.place)]})
            case TurnUp():
                tell("turned", at=str(step.place), tile=result, by=step.by)
            case Throw():
                tell("thrown", by=step.by, dice=as_json(result))
            case Choose():
                tell("chosen", by=step.by, what=step.what, answer=result)
            case Build() | Arrange() | ReturnLots():
                pass

    def _intent(self, step: Step) -> AbstractContextManager[Callable[[object], None]]:
        self._books.events.tell("step", **step.facts())
        return self._books.intent("top", step.facts())

    # Moves

    async def _carry_out(self, step: Step, plan: Plan) -> Outcome:
        """Do a plan's moves; what they deliver goes into the ledger as each is confirmed."""
        result: Outcome = None
        books = self._books
        for move in plan.moves:
            books.events.tell("move", **move.facts())
            result = await self._do(move)
            self.moves.append(move)
            if isinstance(move, Carry) and move.seat is not None:
                books.ledger = books.ledger.delivered(self._tile_set, move.seat, move.tiles)
        self._top = plan.top
        if not any(isinstance(move, Carry) for move in plan.moves):
            self._book_by_hand(step)
        return result

    def _book_by_hand(self, step: Step) -> None:
        """What people or lanes have brought: the step itself says what it was."""
        ledger, number = self._books.ledger, self._tile_set
        match step:
            case Packet():
                self._books.ledger = ledger.delivered(number, step.seat, step.places)
            case Replace() | DrawLot():
                self._books.ledger = ledger.delivered(number, step.seat, (step.place,))
            case ReturnLots():
                self._books.ledger = ledger.returned(number, step.places)
            case _:
                pass

    async def _do(self, move: Move) -> Outcome:
        rig = self._rig
        match move:
            case Carry():
                assert rig.gantry is not None
                await rig.gantry.carry(move)
            case TurnOver():
                assert rig.gantry is not None
                tag = await rig.gantry.turn_over(move)
                return None if tag is None else self._face_of(tag)
            case FlipIndicator():
                assert rig.flipper is not None
                await rig.flipper.go_forth()
                await rig.flipper.go_back()
            case Present():
                await rig.lanes[move.seat].go_forth()
            case Shake():
                assert rig.dice is not None
                async with rig.leased(rig.dice.unit):
                    return await rig.dice.throw(move.dice, move.times)
            case Prompt():
                return await self._guided.do(move.step, self.staging)
        return None

    # Hand lanes

    def _settle_lanes(self) -> None:
        """The throws are known: say which places the lanes hold and which the walls."""
        self._planner = self._planner.with_lanes(foreseen(self.setup))
        self._top = self._planner.raised().top
