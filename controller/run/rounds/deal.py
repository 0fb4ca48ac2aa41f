"""Executes a set-up: plans each step as moves, confirms each move, then applies the step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from config.layout.field import Field
from config.layout.staging import Staging
from config.schema import Table, TileSize
from controller.events import EventLog, EventName
from controller.run.faults.failures import Fault, TableFault
from controller.run.journal.notes import Flipped, MovesMade, Note, last_of
from controller.run.operator.guided_steps import Guided
from controller.run.orders import Orders
from controller.run.planning.moves import (
    Carry,
    FlipIndicator,
    Move,
    Present,
    Prompt,
    Shake,
    TurnOver,
)
from controller.run.planning.planner import Plan, Planner, fastest_order
from controller.run.planning.setup_forecast import foreseen, packets_ahead, seats_of
from controller.run.planning.table_top import TableTop
from controller.run.run_state import RunState, Work, as_json
from controller.run.run_together import run_together
from controller.run.stations.rig import Stations
from rules.dice import Dice
from rules.geometry import Place
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
from rules.tiles import Face


class Deal:
    """Executes the set-up of one round on one table."""

    def __init__(self, place: Workplace, staging: Staging, setup: Setup, tile_set: int) -> None:
        self.setup = setup
        self.moves: list[Move] = []
        """Every move made so far, in order."""
        self._rig = place.rig
        self._guided = place.guided
        self._run_state = place.run_state
        self._orders = place.orders
        self._throws = list(place.orders.throws)
        self._face_of = place.face_of
        self._tile_set = tile_set
        field = Field(place.table, place.tile)
        self._planner = Planner(place.table, field, staging, seats_of(setup))
        self._top = self._planner.raised().top

    @property
    def top(self) -> TableTop:
        """The table top after the confirmed moves."""
        return self._top

    @property
    def staging(self) -> Staging:
        """The tray, column and level of each place."""
        return self._planner.staging

    async def raise_walls(self) -> None:
        """Raise the staged set with the lifts; on a table without lifts people build the walls.

        For a game without tiles only the states change. Raises TableFault.
        """
        run_state, build = self._run_state, self.setup.pending
        await run_state.machine.enter("raise_walls")
        if not isinstance(build, Build):
            run_state.ledger = run_state.ledger.raised(self._tile_set, ())
            await run_state.machine.enter("hand_up")
            return
        async with run_state.intent("top", {"set": self._tile_set, **build.facts()}) as work:
            if not work.done:
                await self._lift(build)
            run_state.ledger = run_state.ledger.raised(self._tile_set, build.layout.places)
            work("raised")
        if run_state.machine.under == "staged":
            await run_state.machine.enter("hand_up")
        if not work.done:
            run_state.events.emit(EventName.WALLS_RAISED, set=self._tile_set)

    async def _lift(self, build: Build) -> None:
        filled = {fill.tray for fill in self.staging.fills}
        lifts = [lift for tray, lift in enumerate(self._rig.lifts) if tray in filled]
        async with self._rig.leased(*(lift.motor.channel for lift in lifts)):
            stops = [lift.stop for lift in lifts]
            await run_together(*(lift.go_forth() for lift in lifts), stops=stops)
        if self.staging.by_hand:
            await self._guided.do(build, self.staging)

    async def finish(self) -> None:
        """Execute all remaining steps of the set-up. Raises TableFault."""
        if isinstance(build := self.setup.pending, Build):
            await self._join_pile(build)
            self.setup = self.setup.apply()
        while (step := self.setup.pending) is not None:
            trigger = TRIGGERS[type(step)]
            if self._run_state.machine.top != trigger.removeprefix("begin_"):
                await self._run_state.machine.enter(trigger)
            if isinstance(step, Packet) and self.staging.lanes and not self._planner.hands:
                self._settle_lanes()
            if isinstance(step, Packet) and self._orders.fastest and self._planner.carries:
                await self._deal_fastest()
            else:
                await self._execute(step)

    # The play

    def take_up_hands(self) -> None:
        """Remove the dealt tiles from the table top: players hold them, so the rows are free."""
        hands = self._run_state.ledger.sets[self._tile_set].hands
        self._top = self._top.taken_up(place for hand in hands.values() for place in hand)

    async def hand_over(self, step: Packet | Replace) -> None:
        """Bring a seat the tiles of a draw or a replacement from the wall. Raises TableFault."""
        async with self._intent(step) as work:
            work(as_json(await self._carry_out(step, self._planner.plan(step, self._top), work)))
        self._emit(step, None, work)
        self.take_up_hands()

    def put_back(self, places: Sequence[Place], top: TableTop) -> None:
        """Note that people have put drawn tiles back to their places; `top` is the table then."""
        ledger = self._run_state.ledger
        self._run_state.ledger = ledger.returned(self._tile_set, places)
        self._top = top

    async def throw(self, step: Throw) -> Dice:
        """Throw dice for the play; returns their faces. Raises TableFault."""
        thrown = await self.outcome_of(step)
        assert isinstance(thrown, tuple)
        return thrown

    async def outcome_of(self, step: Step) -> Outcome:
        """Execute a step that is not part of the set-up; returns its outcome.

        Raises TableFault.
        """
        async with self._intent(step) as work:
            outcome = step.check(await self._outcome(step, work))
            work(as_json(outcome))
        self._emit(step, outcome, work)
        return outcome

    # Steps

    async def _join_pile(self, build: Build) -> None:
        """Put one half of the pile on the other half, if it was raised as two halves."""
        plan = self._planner.raised()
        if not plan.moves:
            self._top = plan.top
            return
        async with self._run_state.intent("top", {"do": "join", "set": self._tile_set}) as work:
            await self._carry_out(build, plan, work)

    async def _execute(self, step: Step) -> None:
        """Execute one step of the set-up and apply it."""
        async with self._intent(step) as work:
            result = await self._outcome(step, work)
            work(as_json(result))
        self._apply(step, result, work)

    async def _outcome(self, step: Step, work: Work) -> Outcome:
        """Carry out a step; returns its outcome.

        The outcome comes from the orders, the journal, the machine or people.
        """
        given = self._given(step)
        if given is not None:
            return given
        result = await self._carry_out(step, self._planner.plan(step, self._top), work)
        if work.done:
            return from_json(work.outcome)
        if isinstance(step, TurnUp) and result is None:
            await work.on_disk()
            result = await self._ask(step)
        return result

    async def _ask(self, step: Step) -> Outcome:
        """Prompt people for a step; returns the outcome that they report.

        Raises TableFault for a face that is not in the set.
        """
        reported = await self._guided.do(step, self.staging)
        tiles = self.setup.game.tiles
        if isinstance(step, TurnUp | DrawLot) and reported is not None and reported not in tiles:
            evidence = f"the reported {reported!r} is not a tile of {self.setup.game.title}"
            raise TableFault(Fault.FOREIGN, "table", evidence)
        return reported

    def _given(self, step: Step) -> Outcome:
        """The outcome that the orders give in advance, None if they give none."""
        if isinstance(step, Throw) and self._throws:
            return self._throws.pop(0)
        if isinstance(step, Choose):
            return self._orders.answers.get(step.what)
        return None

    async def _deal_fastest(self) -> None:
        """Deal all packets in the order of least gantry travel.

        The packets are applied to the set-up in the game's order.
        """
        packets = packets_ahead(self.setup)
        todo = {packet: set(packet.places) for packet in packets}
        waiting = list(packets)
        for packet, plan in fastest_order(packets, self._planner, self._top):
            async with self._intent(packet) as work:
                await self._carry_out(packet, plan, work)
            for move in plan.moves:
                if isinstance(move, Carry) and move.seat is not None:
                    todo[packet].difference_update(move.tiles)
            while waiting and not todo[waiting[0]]:
                self._apply(waiting.pop(0), None, work)

    def _apply(self, step: Step, result: Outcome, work: Work) -> None:
        """Apply a confirmed step to the set-up and emit its event."""
        self.setup = self.setup.apply(result)
        self._emit(step, result, work)

    def _emit(self, step: Step, result: Outcome, work: Work) -> None:
        """Emit the event of a step, unless an earlier run has emitted it."""
        if not work.done:
            emit_step(self._run_state.events, step, result)

    def _intent(self, step: Step) -> AbstractAsyncContextManager[Work]:
        """The journal intent of a step; `_do` waits until it is on disk before a move."""
        throws = isinstance(step, Throw)
        facts = step.facts()
        return self._run_state.intent(
            "top", facts, emit=EventName.STEP, wait=False, write=not throws
        )

    # Moves

    async def _carry_out(self, step: Step, plan: Plan, work: Work) -> Outcome:
        """Make the moves of a plan; each confirmed delivery is added to the ledger.

        Moves of an interrupted step that its notes confirm are not made again.
        """
        result: Outcome = None
        run_state = self._run_state
        made = len(plan.moves) if work.done else _made(work.notes)
        for number, move in enumerate(plan.moves):
            if number >= made:
                if number > made:
                    work.record(MovesMade(number))
                run_state.events.emit(EventName.MOVE, **move.facts())
                result = await self._do(move, work, doubtful=work.doubtful and number == made)
            self.moves.append(move)
            if isinstance(move, Carry) and move.seat is not None:
                run_state.ledger = run_state.ledger.delivered(self._tile_set, move.seat, move.tiles)
        self._top = plan.top
        if not any(isinstance(move, Carry) for move in plan.moves):
            self._deliver_without_arm(step)
        return result

    def _deliver_without_arm(self, step: Step) -> None:
        """Add tiles that people or lanes have delivered to the ledger, as the step defines them."""
        ledger, number = self._run_state.ledger, self._tile_set
        match step:
            case Packet():
                self._run_state.ledger = ledger.delivered(number, step.seat, step.places)
            case Replace() | DrawLot():
                self._run_state.ledger = ledger.delivered(number, step.seat, (step.place,))
            case ReturnLots():
                self._run_state.ledger = ledger.returned(number, step.places)
            case _:
                pass

    async def _do(self, move: Move, work: Work, *, doubtful: bool) -> Outcome:
        """Make one move; a `doubtful` move was possibly made before, completely or in part.

        Every part waits until the step's intent is on disk: the gantry just before it grips and
        the dice just before they shake, so that the gantry travels during the write; all others
        before they begin.
        """
        if not isinstance(move, Carry | TurnOver | Shake):
            await work.on_disk()
        rig = self._rig
        match move:
            case Carry():
                assert rig.gantry is not None
                await rig.gantry.carry(move, work, doubtful=doubtful)
            case TurnOver():
                assert rig.gantry is not None
                return self._face(await rig.gantry.turn_over(move, work))
            case FlipIndicator():
                await self._flip(work)
            case Present():
                await rig.lanes[move.seat].go_forth()
            case Shake():
                assert rig.dice is not None
                async with rig.leased(rig.dice.unit):
                    return await rig.dice.throw(move.dice, move.times, work)
            case Prompt():
                return await self._ask(move.step)
        return None

    async def _flip(self, work: Work) -> None:
        """Turn a tile with the flipper, unless an earlier run has turned it."""
        flipper = self._rig.flipper
        assert flipper is not None
        if Flipped() not in work.notes:
            await flipper.go_forth()
            await work.note(Flipped())
        await flipper.go_back()

    def _face(self, tag: int | None) -> Outcome:
        """The face of a tag, None without a tag. Raises TableFault for a tag of another set."""
        face = None if tag is None else self._face_of(tag)
        if tag is not None and face is None:
            evidence = f"tag {tag:#x} belongs to no tile of this set"
            raise TableFault(Fault.FOREIGN, "reader", evidence)
        return face

    # Hand lanes

    def _settle_lanes(self) -> None:
        """Assign places to the lanes and the walls, after the throws have determined them."""
        self._planner = self._planner.with_lanes(foreseen(self.setup))
        self._top = self._planner.raised().top


def from_json(outcome: Any) -> Outcome:
    """Convert an outcome from JSON to the form of the rules: a tuple instead of a list."""
    return tuple(outcome) if isinstance(outcome, list) else outcome


def _made(notes: tuple[Note, ...]) -> int:
    """The number of moves that the notes of a step confirm."""
    last = last_of(notes, MovesMade)
    return 0 if last is None else last.moves


@dataclass(frozen=True)
class Workplace:
    """The components of one table.

    `face_of` returns a tile's face by its tag, None for an unknown tag. `record` takes each line of
    the record of the play.
    """

    table: Table
    tile: TileSize
    rig: Stations
    guided: Guided
    run_state: RunState
    orders: Orders
    face_of: Callable[[int], Face | None]
    record: Callable[[str], None]


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
"""Trigger of the state machine for each class of step."""


def emit_step(events: EventLog, step: Step, result: Outcome) -> None:
    """Emit the event of a confirmed step."""
    match step:
        case Packet():
            number = {} if step.hand is None else {"hand": step.hand}
            events.emit(
                EventName.DELIVERED,
                seat=step.seat,
                **{"from": [str(p) for p in step.places]},
                **number,
            )
        case Replace() | DrawLot():
            events.emit(EventName.DELIVERED, seat=step.seat, **{"from": [str(step.place)]})
        case TurnUp():
            events.emit(EventName.TILE_TURNED_UP, at=str(step.place), tile=result, by=step.by)
        case Throw():
            events.emit(EventName.DICE_THROWN, by=step.by, dice=as_json(result))
        case Choose():
            events.emit(EventName.CHOICE_MADE, by=step.by, what=step.what, answer=result)
        case Build() | Arrange() | ReturnLots():
            pass
