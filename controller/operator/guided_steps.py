"""Guided steps: lamps and prompts show people what to do; a key or the guide confirms it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from config.layout.staging import Staging
from controller.faults.table_fault import Fault, TableFault
from controller.operator.table_keys import Key
from controller.run_together import only
from firmware_bridge.boards.devices import Output
from firmware_bridge.guide import Guide, HandToPlay
from rules.geometry import Place
from rules.play import Action, Reseated, Settlement
from rules.steps import DrawLot, Outcome, Packet, Replace, Step, TurnUp

PATIENCE = 900.0
"""Time limit for people's work on one step, seconds; then it is a fault."""


class Guided:
    """Prompts people for a step, lights its columns where there are lamps, waits within a limit."""

    def __init__(self, guide: Guide, lamps: tuple[Output, ...], done: Key | None) -> None:
        self._guide = guide
        self._lamps = lamps
        self._done = done

    async def do(self, step: Step, staging: Staging) -> Outcome:
        """Return the step's outcome. Raises TableFault if it is not done in time."""
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
        """Wait until the guide or the key confirms a step that people do by hand."""
        asked = [asyncio.ensure_future(way) for way in ways]
        try:
            done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in asked:
                way.cancel()
            # People first finish the step that they have begun.
            ended = await asyncio.gather(*asked, return_exceptions=True)
        # Every failure is kept, also that of the confirmation that came second.
        failed = [end for end in ended if isinstance(end, Exception)]
        if failed:
            raise only(ExceptionGroup("a guided step", failed))
        return next(iter(done)).result()

    async def ready(self) -> None:
        """Show the people that they may play."""
        await self._guide.ready()

    async def sit_down(self, dealt: HandToPlay) -> None:
        """Show the people that the table follows the rules from here."""
        await self._guide.sit_down(dealt)

    async def act(self, play: Any) -> Action | None:
        """The next action of a player, None to have the dice thrown; without a time limit."""
        return await self._guide.act(play)

    async def settled(self, settlement: Settlement) -> None:
        """Show the people how the hand ended."""
        await self._guide.settled(settlement)

    async def move_seats(self, reseated: Reseated) -> None:
        """Prompt players to move to the seats that were drawn; without a time limit."""
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
