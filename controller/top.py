"""The activity on top: round after round, from a staged set to the played set pushed in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from controller.bounds import top_bound
from controller.deal import Deal
from controller.keys import Key
from controller.stations.switched import Switched
from controller.under import Under
from controller.workplace import Workplace
from rules.geometry import Seat


class Top:
    """Plays rounds with the sets that the activity below hands up."""

    def __init__(self, place: Workplace, under: Under, key: Key) -> None:
        self.deal: Deal | None = None
        """The round in play, for whoever wants to look at it."""
        self._place = place
        self._table = place.table
        self._rig = place.rig
        self._guided = place.guided
        self._books = place.books
        self._orders = place.orders
        self._under = under
        self._key = key
        self._dark = False

    async def darken(self) -> None:
        """Put the ready lamp out and keep it out: its board's lease is held until it is lit.

        Lit is the lamp's safe value, so a table that merely waits would say that it is ready.
        """
        if not self._dark:
            self._dark = True
            await self._rig.hold(self._field_parts)
            if self._rig.ready:
                await self._rig.ready.switch(0)

    async def light(self) -> None:
        """Ready: the lamp is lit, and what works on the field lets go."""
        if self._rig.ready:
            await self._rig.ready.switch(1)
        await self._rig.release(self._field_parts)
        self._dark = False

    async def load_first(self) -> None:
        """Cold start: a key is pressed and the people put the first set in."""
        if self._tiles:
            await self._key.pressed()
        await self._collect(0)

    async def set_up(self, dealer: Seat) -> None:
        """Raise the staged set and do everything until the game is ready. Raises TableFault."""
        number, staging = await self._under.staged()
        books, figures = self._books, self._books.figures
        begun = books.clock()
        deal = self.deal = Deal(self._place, staging, self._orders.setup(dealer), number)
        await deal.raise_walls()
        if not staging.lanes:
            self._under.trays_are_empty()
        await deal.finish()
        self._under.trays_are_empty()
        self._key.forget()
        await self.light()
        figures.top.append(books.clock() - begun)
        figures.top_bound.append(
            top_bound(deal.moves, self._table, self._place.tile.height_mm / 1000)
        )
        books.machine.fire("begin_play")
        books.journal.flush()
        books.events.tell("ready", dealer=dealer, set=number)
        await self._guided.ready()

    async def play_out(self) -> None:
        """While the people play: take in a second set if one waits, and at last the played one."""
        books = self._books
        while True:
            await self._key.pressed()
            boxed = books.ledger.boxed
            if boxed is None:
                break
            await self._take_in(boxed)
        played = books.ledger.on_top
        assert played is not None
        await self._collect(played)
        books.figures.rounds += 1

    async def _collect(self, number: int) -> None:
        """The top is cleared of a set, and what held it up goes down again."""
        self._books.machine.fire("collect")
        await self.darken()
        await self._take_in(number, sinking=(*self._rig.lifts, *self._rig.lanes))
        self._books.machine.fire("clear_top")

    async def _take_in(self, number: int, sinking: Sequence[Switched] = ()) -> None:
        """The lid opens, the people push a set in, the lid closes over it.

        What held the set up sinks while the lid closes: the felt is clear by then.
        """
        books, rig = self._books, self._rig
        await self._under.free()
        books.machine.fire("gather")
        async with rig.leased(*self._lid_parts):
            with books.intent("top", {"do": "take in", "set": number}):
                if rig.lid and self._tiles:
                    await rig.lid.go_forth()
                    # A press from before the lid stood open cannot mean that the tiles are in.
                    self._key.forget()
                    await self._key.pressed()
                sunk = asyncio.gather(*(part.go_back() for part in sinking))
                if rig.lid and self._tiles:
                    await rig.lid.go_back()
                books.ledger = books.ledger.gathered(number)
            await self._under.take(number)
            await sunk
        books.journal.flush()

    @property
    def _tiles(self) -> int:
        return self._under.tiles

    @property
    def _lid_parts(self) -> tuple[str, ...]:
        """A channel on each board that works while a set is taken in."""
        lid = self._table.modules.lid
        sinking = [part.motor.channel for part in (*self._rig.lifts, *self._rig.lanes)]
        return (*((lid.motor,) if lid else ()), *sinking)

    @property
    def _field_parts(self) -> tuple[str, ...]:
        """A channel on each board that works on the field from raised walls to ready to play.

        Lifts and dice take their board's lease for themselves: a board at rest holds none.
        """
        modules = self._table.modules
        gantry, flipper, lanes = modules.gantry, modules.flipper, self._rig.lanes
        lamps = modules.lamps.walls if modules.lamps else ()
        named = (gantry and gantry.x, flipper and flipper.motor, modules.ready, *lamps)
        return (*(name for name in named if name), *(lane.motor.channel for lane in lanes))
