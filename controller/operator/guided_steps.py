"""Guided steps: lamps and a guide tell people what to do, a key or the guide says it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from config.layout.staging import Staging
from controller.faults.table_fault import Fault, TableFault
from controller.operator.table_keys import Key
from controller.run_together import only
from firmware_bridge.boards.devices import Output
from firmware_bridge.guide import Dealt, Guide
from rules.geometry import Place
from rules.play import Action, Reseated, Settlement
from rules.steps import DrawLot, Outcome, Packet, Replace, Step, TurnUp

PATIENCE = 900.0
"""How long people may take over one step before it is a fault, seconds."""


class Guided:
    """Asks people for a step, lights its columns where there are lamps, waits within a limit."""

    def __init__(self, guide: Guide, lamps: tuple[Output, ...], done: Key | None) -> None:
        self._guide = guide
        self._lamps = lamps
        self._done = done

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """The step's outcome. Raises TableFault if nobody does it in time."""
        if self._done is not None and isinstance(step, Packet | Replace):
            await self._done.forget_all()
        lit = await self._light(step, staging)
        try:
            async with asyncio.timeout(PATIENCE):
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
        """A step of the hands is done when the guide says so or the key is pressed."""
        asked = [asyncio.ensure_future(way) for way in ways]
        try:
            done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in asked:
                way.cancel()
            # What people have in hand they finish first.
            ended = await asyncio.gather(*asked, return_exceptions=True)
        # No failure is lost, not even that of the way that came second.
        failed = [end for end in ended if isinstance(end, Exception)]
        if failed:
            raise only(ExceptionGroup("a guided step", failed))
        return next(iter(done)).result()

    async def ready(self) -> None:
        """Tell the people that they may play."""
        await self._guide.ready()

    async def sit_down(self, dealt: Dealt) -> None:
        """Tell the people that the rules are followed from here."""
        await self._guide.sit_down(dealt)

    async def act(self, play: Any) -> Action | None:
        """What one of them does next, None to have the dice thrown; people take their time."""
        return await self._guide.act(play)

    async def settled(self, settlement: Settlement) -> None:
        """Tell them how the hand ended."""
        await self._guide.settled(settlement)

    async def move_seats(self, reseated: Reseated) -> None:
        """Have everybody sit down where he was drawn; people take their time."""
        await self._guide.move_seats(reseated)

    async def _light(self, step: Step, staging: Staging) -> list[Output]:
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
    match step:
        case Packet():
            return step.places
        case Replace() | DrawLot() | TurnUp():
            return (step.place,)
    return ()
