"""Guided steps: prompts and lamps ask people for a step; a key or the guide confirms it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from config.layout.staging import Staging
from controller.run.faults.failures import Fault, TableFault
from controller.run.operator.table_keys import Key
from controller.run.run_together import only
from firmware_bridge.boards.devices import Output
from firmware_bridge.guide import Guide, HandToPlay, HandToReport, TakeBack
from rules.geometry import Place
from rules.play import Action, Reseated, Settlement
from rules.results import Result
from rules.steps import Choose, DrawLot, Outcome, Packet, Replace, Step, TurnUp

PATIENCE = 900.0
"""Time limit for one step that people do by hand, seconds; after it the step is a fault. A choice
has no limit, because nobody has to be at the machine for it."""


class Guided:
    """Prompts people for a step, lights the step's columns, and waits for the confirmation.

    `guide` prompts; `lamps` has one strip for each wall, or is empty; `done` is the key that
    confirms a packet or a drawn tile, None if the table has none.
    """

    def __init__(self, guide: Guide, lamps: tuple[Output, ...], done: Key | None) -> None:
        self._guide = guide
        self._lamps = lamps
        self._done = done

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """Have people do a step; returns its outcome.

        Raises TableFault NOBODY after `PATIENCE`, except for a choice.
        """
        if self._done is not None and isinstance(step, Packet | Replace):
            await self._done.forget_all()
        lit = await self._light(step, staging)
        try:
            async with asyncio.timeout(None if isinstance(step, Choose) else PATIENCE):
                if self._done is not None and isinstance(step, Packet | Replace):
                    return await self._either(self._guide.do(step, staging), self._done.pressed())
                return await self._guide.do(step, staging)
        except TimeoutError as error:
            raise TableFault(
                Fault.NOBODY, "guide", f"no answer to {step.facts()['step']} in {PATIENCE:.0f} s"
            ) from error
        finally:
            for lamps in lit:
                await lamps.switch(0)

    @staticmethod
    async def _either(*ways: Coroutine[None, None, Outcome]) -> Outcome:
        """Wait until the guide or the key, whichever is first, confirms a step done by hand."""
        waits = [asyncio.ensure_future(way) for way in ways]
        try:
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            # A cancelled guide may still have work to finish, so both are awaited to their ends.
            ended = await asyncio.gather(*waits, return_exceptions=True)
        # A failure of the confirmation that came second is raised too.
        failed = [end for end in ended if isinstance(end, Exception)]
        if failed:
            raise only(ExceptionGroup("a guided step", failed))
        return next(iter(done)).result()

    async def ready(self) -> None:
        """Announce that the set-up is complete and the game may begin."""
        await self._guide.ready()

    async def sit_down(self, dealt: HandToPlay) -> None:
        """Announce that the hand begins; from now on `act` asks for the players' actions."""
        await self._guide.sit_down(dealt)

    async def act(self, play: Any) -> Action | None:
        """The next action of a player; None to have the dice thrown. There is no time limit."""
        return await self._guide.act(play)

    async def report(self, hand: HandToReport) -> Result | None:
        """Ask how a hand has ended. There is no time limit."""
        return await self._guide.report(hand)

    async def settled(self, settlement: Settlement) -> None:
        """Announce that the hand is over, and the payments between the players."""
        await self._guide.settled(settlement)

    async def move_seats(self, reseated: Reseated) -> None:
        """Prompt players to move to the seats that were drawn. There is no time limit."""
        await self._guide.move_seats(reseated)

    async def take_back(self, taken: TakeBack) -> None:
        """Prompt people to put the table back before actions that were wrong. No time limit."""
        await self._guide.take_back(taken)

    async def _light(self, step: Step, staging: Staging) -> list[Output]:
        """Light the columns of a step's tiles; returns the strips that are lit."""
        lit: list[Output] = []
        if not self._lamps:
            return lit
        columns: dict[int, list[int]] = {}
        for place in _places(step):
            slot = staging.slots.get(place)
            if slot is not None:
                columns.setdefault(slot.tray, []).append(slot.column)
        for tray, numbers in columns.items():
            strip = self._lamps[tray]
            await strip.switch(sum(1 << number - 1 for number in set(numbers)))
            lit.append(strip)
        return lit


def _places(step: Step) -> tuple[Place, ...]:
    """The places of the tiles that people take or turn in a step."""
    match step:
        case Packet():
            return step.places
        case Replace() | DrawLot() | TurnUp():
            return (step.place,)
    return ()
