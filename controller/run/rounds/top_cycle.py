"""The activity on top: raises, deals and plays a staged set; at the end people push it in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from config.layout.staging import Staging
from controller.events import EventName
from controller.run.journal.notes import KeyPresses, last_of
from controller.run.operator.table_keys import Key
from controller.run.orders import Orders
from controller.run.planning.least_times import top_bound
from controller.run.rounds.cycle_chances import CycleChances
from controller.run.rounds.deal import Deal, Workplace
from controller.run.rounds.hand_play import HandPlay
from controller.run.rounds.lid_interrupt import close_lid
from controller.run.rounds.under_cycle import UnderCycle
from controller.run.run_state import Work
from controller.run.stations.switched import Switched
from rules.geometry import Seat
from rules.play import Match, Reseated
from rules.records.record import heading, seats_line

TOO_EARLY = 0.3
"""Seconds after the lid has opened in which a person cannot have pushed a set in (our choice)."""
NO_SET = -1
"""Set number for a `Deal` that only throws dice and asks for choices, without tiles."""


class TopCycle:
    """Plays the rounds with the sets that `UnderCycle` stages.

    `shuffles` is called with the number of a set before the set is shuffled.
    """

    def __init__(
        self,
        place: Workplace,
        staging: Staging,
        under: UnderCycle,
        key: Key,
        shuffles: Callable[[int], None],
        chances: CycleChances,
    ) -> None:
        self.deal: Deal | None = None
        """The set-up of the present or last round, for other components to read."""
        self.hand: HandPlay | None = None
        """The hand of the round in play that the table follows, also after its end."""
        self._place = place
        self._table = place.table
        self._rig = place.rig
        self._guided = place.guided
        self._run_state = place.run_state
        self._orders = place.orders
        self._staging = staging
        self._under = under
        self._key = key
        self._shuffles = shuffles
        self._chances = chances
        self._dark = False
        self._begins_match = False
        """Whether the next line of the record begins a new match."""
        self.moves: tuple[Seat, ...] = ()
        """The new seats of all players that were drawn before this hand; empty if none were."""

    def play_by(self, orders: Orders, *, new_match: bool = False) -> None:
        """Play the next round by these orders. Its set may be in the trays already.

        With `new_match` the record of the play says that a new match begins.
        """
        self._orders, self._begins_match = orders, new_match
        self._place = replace(self._place, orders=orders)

    def begin_match(self) -> None:
        """Say in the record that a new match begins with the next hand."""
        self._begins_match = True

    async def darken(self) -> None:
        """Switch the ready lamp off and hold its board's lease until `light`.

        The lease is necessary because the lamp's safe value is lit: without a lease the lamp would
        show "ready" while the table is not ready.
        """
        if not self._dark:
            self._dark = True
            await self._rig.hold(self._field_parts)
            if self._rig.ready:
                await self._rig.ready.switch(0)

    async def light(self) -> None:
        """Light the ready lamp and release the leases of the boards that work on the field."""
        if not self._dark:
            return
        if self._rig.ready:
            await self._rig.ready.switch(1)
        await self._rig.release(self._field_parts)
        self._dark = False

    async def load_first(self) -> None:
        """Take in the first set after a start: wait for a key press, then open the lid."""
        if self._tiles and not self._run_state.is_replaying("top"):
            await self._key.pressed()
        await self._collect(0)

    async def set_up(self, dealer: Seat) -> None:
        """Raise the staged set and execute its set-up. Raises TableFault."""
        self.hand = None
        await self._run_state.check()
        number = await self._under.staged()
        # While the lid is open or people clear a head, their hands can be near the lifts.
        await self._rig.below.wait_moving(0.0)
        run_state, figures = self._run_state, self._run_state.figures
        begun, is_replaying = run_state.clock(), run_state.is_replaying("top")
        deal = self.deal = Deal(self._place, self._staging, self._orders.setup(dealer), number)
        await deal.raise_walls()
        if not self._staging.lanes:
            self._under.trays_are_empty()
        await deal.finish()
        # Only with lanes: without lanes the trays can already contain the next set.
        if self._staging.lanes:
            self._under.trays_are_empty()
        self._key.forget()
        if run_state.is_replaying("top"):
            await run_state.machine.enter("begin_play")
            return
        await self.light()
        if not is_replaying:
            figures.top.append(run_state.clock() - begun)
            figures.top_bound.append(
                top_bound(deal.moves, self._table, self._staging, self._place.tile.height_mm / 1000)
            )
        await run_state.machine.enter("begin_play")
        await run_state.journal.settle()
        run_state.events.emit(EventName.READY, dealer=dealer, set=number)
        await self._guided.ready()

    async def play_out(self, match: Match | None = None) -> Match | None:
        """Wait until the play of the round is over; returns the match after a followed hand.

        A second set that is not in the machine yet is taken in first, during the play. With a match
        the table follows the hand by the rules, if its orders say so.
        """
        run_state = self._run_state
        while (boxed := run_state.ledger.boxed) is not None:
            await self._end_of_play()
            await self._take_in(boxed)
        if match is not None and self._orders.follow == "play":
            assert self.deal is not None
            hand = self.hand = HandPlay(
                self._place,
                self.deal,
                match,
                self._key,
                self._field_parts,
                self.light,
                new_match=self._begins_match,
            )
            match = await hand.play_to_end()
        elif match is not None:
            assert self.deal is not None
            standing = self._orders.results.standing(match)
            self._place.record(
                heading(self.deal.setup, {}, new_match=self._begins_match, standing=standing)
            )
        await self._end_of_play()
        if (played := run_state.ledger.on_top) is not None:
            self._chances.reveal(played)
        return match

    async def collect_played(self) -> None:
        """Take in the set of the round that is over."""
        run_state = self._run_state
        played = run_state.ledger.on_top
        assert played is not None
        await self._collect(played)
        await run_state.check()
        run_state.figures.rounds += 1

    async def seated(self, match: Match) -> Match:
        """Determine the seats and the dealer of the next hand by throws and choices.

        Depending on the game, seats are drawn and the players move, the first dealer is cut for, or
        the bank is offered. Throws and answers of the orders are for hands and are not used here.
        Returns the match. Raises TableFault.
        """
        self.moves = ()
        drawing = self._orders.rules.before_hand(match)
        if drawing is None:
            return match
        place = replace(self._place, orders=replace(self._orders, throws=(), answers={}))
        table = Deal(place, self._staging, self._orders.setup(match.dealer), NO_SET)
        step, outcomes = next(drawing), []
        while True:
            outcomes.append(await table.outcome_of(step))
            try:
                step = drawing.send(outcomes[-1])
            except StopIteration as end:
                reseated: Reseated = end.value
                if reseated.match != match:
                    setup = self._orders.setup(match.dealer)
                    begins, self._begins_match = self._begins_match, False
                    self._place.record(seats_line(setup, outcomes, new_match=begins))
                return await self._moved(reseated)

    async def _moved(self, reseated: Reseated) -> Match:
        """Prompt the players to move to the seats that were drawn, if any; returns the match."""
        match: Match = reseated.match
        if not reseated.moves:
            return match
        self.moves = reseated.moves
        facts = reseated.facts()
        async with self._run_state.intent("top", {"do": "move seats", **facts}) as work:
            if not work.done:
                self._run_state.events.emit(EventName.SEATS_DRAWN, **facts)
                await self._guided.move_seats(reseated)
        return match

    async def _end_of_play(self) -> None:
        """Light the ready lamp and wait for a press of the lid's key."""
        if not self._run_state.is_replaying("top"):
            await self.light()
            await self._key.pressed()

    async def _collect(self, number: int) -> None:
        """Take in the set on top, and lower lifts and lanes."""
        await self._run_state.machine.enter("collect")
        await self.darken()
        await self._take_in(number, sinking=(*self._rig.lifts, *self._rig.lanes))
        await self._run_state.machine.enter("clear_top")

    async def _take_in(self, number: int, sinking: Sequence[Switched] = ()) -> None:
        """Open the lid, wait until people have pushed a set in, and close the lid.

        The parts in `sinking` are lowered while the lid closes: no tile is on them by then.
        """
        run_state = self._run_state
        await self._under.free()
        await run_state.machine.enter("gather")
        async with self._rig.leased(*self._lid_parts), asyncio.TaskGroup() as sinks:
            async with run_state.intent("top", {"do": "take in", "set": number}) as work:
                await self._chances.begin()
                if not work.done:
                    await self._let_in(work)
                    self._shuffles(number)
                parts = self._to_sink(work, sinking)
                if work.done or self._rig.lid is None or not self._tiles:
                    for part in parts:
                        sinks.create_task(part.go_back())
                else:
                    await self._shut_lid(self._rig.lid, parts, sinks)
                run_state.ledger = run_state.ledger.gathered(number)
            await self._under.take(number)
        await run_state.journal.settle()

    async def _let_in(self, work: Work) -> None:
        """Open the lid and wait for the key press that confirms that the tiles are in.

        After the lid has opened, the board's count of key presses is noted. A run that resumes
        takes the set as taken in only if the key was pressed since then and the lid is closed. A
        lid that is not closed is opened again until a press in this run: a hand can be under it,
        wherever the interrupted run has stopped it.
        """
        lid, key = self._rig.lid, self._rig.lid_key
        if lid is None or not self._tiles:
            return
        before = last_of(work.notes, KeyPresses)
        if before is not None and await key.count() > before.count and await lid.is_back():
            return
        await lid.go_forth()
        # A press from before the lid was open does not confirm that the tiles are in. Its edge can
        # come after the end of the lid's motion, because a key has a debounce time.
        await asyncio.sleep(TOO_EARLY)
        self._key.forget()
        if before is None:
            await work.note(KeyPresses(await key.count()))
        await self._key.pressed()

    async def _shut_lid(
        self, lid: Switched, sinking: Sequence[Switched], sinks: asyncio.TaskGroup
    ) -> None:
        """Close the lid and lower parts; a press meanwhile opens the lid until the next press."""
        # A press from before the lid moves is a repeated confirmation that the tiles are in.
        self._key.forget()
        await close_lid(lid, self._key.pressed, self._key.forget, sinking, sinks)

    def _to_sink(self, work: Work, sinking: Sequence[Switched]) -> Sequence[Switched]:
        """The parts to lower; none if an interrupted run has lowered them and continued."""
        return () if work.done and self._run_state.is_replaying("top") else sinking

    @property
    def _tiles(self) -> int:
        return self._under.tiles

    @property
    def _lid_parts(self) -> tuple[str, ...]:
        """The channels whose boards need a lease while a set is taken in."""
        lid = self._table.modules.lid
        sinking = [part.motor.channel for part in (*self._rig.lifts, *self._rig.lanes)]
        return (*((lid.motor,) if lid else ()), *sinking)

    @property
    def _field_parts(self) -> tuple[str, ...]:
        """The channels whose boards need a lease from raised walls until the table is ready.

        Lifts and dice hold their boards' leases themselves while they work.
        """
        modules = self._table.modules
        gantry, flipper, lanes = modules.gantry, modules.flipper, self._rig.lanes
        lamps = modules.lamps.walls if modules.lamps else ()
        arm = (gantry.x, gantry.grip, gantry.wide, gantry.turn, gantry.turner) if gantry else ()
        named = (*arm, flipper and flipper.motor, modules.ready, *lamps)
        return (*(name for name in named if name), *(lane.motor.channel for lane in lanes))
