"""Follows a hand: people enter actions, the rules check them, the table moves tiles.

Hands are hidden from the table's own play: it has only the tiles that were turned up, announced or
laid open. Every action is in the journal before it counts. If the action makes the table owe a draw
or a replacement, that is brought before the next action is taken.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from controller.operator.table_keys import Key
from controller.rounds.deal import Deal
from controller.rounds.workplace import Workplace
from firmware_bridge.guide import HandToPlay
from rules.play import Action, Match, Settlement, plain
from rules.record import entry, heading

GIVEN_UP: dict[str, object] = {"do": "give up"}


class Following:
    """One hand on one table.

    `key` is the lid's: a press before the end gives the hand up. `parts` are the channels that
    bring tiles; their boards' leases are held only while they do. `light` lights the ready lamp, if
    it is dark.
    """

    def __init__(
        self,
        place: Workplace,
        deal: Deal,
        match: Match,
        key: Key,
        parts: tuple[str, ...],
        light: Callable[[], Awaitable[None]],
    ) -> None:
        self._place = place
        self._rules = place.orders.rules
        self._run_state = place.run_state
        self._deal = deal
        self._match = match
        self._key = key
        self._parts = parts
        self._light = light
        self._seated = False

    async def to_its_end(self) -> Match:
        """Follow the hand until it is settled; returns the match after it.

        A hand that is given up leaves the match as it was. Raises TableFault.
        """
        self._deal.hands_are_taken_up()
        self._place.record(heading(self._deal.setup, {}))
        play = self._rules.start(self._deal.setup, {}, self._match)
        while play.settlement is None:
            action = self._recalled() or await self._next(play)
            if action is None:
                async with self._run_state.intent("play", GIVEN_UP) as work:
                    if not work.done:
                        dealer = self._deal.setup.seating.dealer
                        self._run_state.events.emit("hand_abandoned", dealer=dealer)
                    return self._match
            play = await self._after(play, action)
        return await self._settled(play)

    def _recalled(self) -> Action | None:
        """The journal's next action, which counts even if its consequences were not recorded."""
        told = self._run_state.past.ahead("play")
        if told is None or "seat" not in told.intent:
            return None
        seat, do = told.intent["seat"], told.intent["do"]
        assert isinstance(seat, int) and isinstance(do, str)
        action: Action = self._rules.parse(seat, do)
        return action

    async def _next(self, play: Any) -> Action | None:
        """The next action of a player; None if the hand is given up."""
        if self._run_state.is_already_done("play"):
            return None
        await self._light()
        if not self._seated:
            self._seated = True
            # A press from before the hand began, meant for a slow lid, must not give the hand up.
            self._key.forget()
            deal = self._deal
            dealt = HandToPlay(self._rules, deal.setup, self._match, deal.staging)
            await self._place.guided.sit_down(dealt)
        heard = asyncio.ensure_future(self._heard(play))
        return None if await self._given_up(heard) else heard.result()

    async def _heard(self, play: Any) -> Action:
        """Take a player's action, or throw the dice where no player acts before that."""
        action = await self._place.guided.act(play)
        if action is not None:
            return action
        throw = self._rules.throw(play)
        assert throw is not None
        async with self._place.rig.leased(*self._parts):
            thrown: Action = self._rules.thrown(play, await self._deal.throw(throw))
        return thrown

    async def _given_up(self, heard: asyncio.Future[Action]) -> bool:
        """Wait for an action, or for the key that gives the hand up; the press is not consumed."""
        pressed = asyncio.ensure_future(self._key.wait_queued())
        try:
            await asyncio.wait((heard, pressed), return_when=asyncio.FIRST_COMPLETED)
            return not heard.done()
        finally:
            for waiting in (heard, pressed):
                if not waiting.done():
                    waiting.cancel()
                    with suppress(asyncio.CancelledError):
                        await waiting
                elif not waiting.cancelled():
                    # A wait that is cancelled at this very moment does not read the result.
                    waiting.exception()

    async def _after(self, play: Any, action: Action) -> Any:
        """The play after an action, once the table has brought the tiles that it owes."""
        after = play.apply(action)
        told: dict[str, object] = {"seat": action.seat, "do": str(action)}
        async with self._run_state.intent("play", told, emit="action_taken"):
            self._place.record(entry(action))
        owed = self._rules.hands_over(self._deal.setup, play, after)
        if owed:
            async with self._place.rig.leased(*self._parts):
                for step in owed:
                    await self._deal.hand_over(step)
        return after

    async def _settled(self, play: Any) -> Match:
        settlement: Settlement = play.settlement
        after: Match = self._match.after(play)
        told: dict[str, object] = {
            "name": settlement.name,
            "multiplier": settlement.multiplier,
            "winner": settlement.winner,
            "payments": [payment.facts() for payment in settlement.payments],
            "reasons": list(settlement.reasons),
            "scores": [plain(score) for score in after.scores],
            "match_over": after.over,
            "next_dealer": after.dealer if self._rules.before_hand(after) is None else None,
        }
        async with self._run_state.intent("play", {"do": "settle"}) as work:
            if not work.done:
                self._run_state.events.emit("settled", **told)
            work(told)
        if not self._run_state.is_already_done("top"):
            await self._place.guided.settled(settlement)
        return after
