"""Follows a hand by the rules: people enter actions, the rules check them, the table moves tiles.

The table has no access to hidden tiles; it uses only tiles that were turned up, announced or laid
open. The journal contains every action before it takes effect. If an action requires a draw or a
replacement, the table brings the tile before it accepts the next action.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from controller.events import EventName
from controller.run.journal.replay import ReplayError
from controller.run.operator.table_keys import Key
from controller.run.planning.table_top import TableTop
from controller.run.rounds.deal import Deal, Workplace
from firmware_bridge.guide import HandToPlay, TakeBack
from rules.errors import WallwrightError
from rules.geometry import Place, Seat
from rules.open_tiles import OpenTiles
from rules.play import Action, Match, Settlement, plain
from rules.records.record import entry, heading, take_back
from rules.steps import Packet, Throw

TAKE_BACK = "take back"
"""The `do` of the journal's intent that takes actions back."""
ABANDONED: dict[str, object] = {"do": "give up"}
"""Journal intent of a hand that was abandoned."""


class CorrectionRefusedError(WallwrightError, ValueError):
    """Actions that cannot be taken back."""


@dataclass(frozen=True)
class _Taken:
    """An action of the hand: the play before and after it, and the table top before it."""

    action: Action
    before: Any
    after: Any
    top: TableTop


class HandPlay:
    """Follows one hand on one table.

    A press of the lid's `key` abandons the hand. `parts` are the channels that bring tiles; the
    leases of their boards are held only while they do. `light` lights the ready lamp if it is dark.
    With `new_match` the record says that a new match begins with this hand.
    """

    def __init__(
        self,
        place: Workplace,
        deal: Deal,
        match: Match,
        key: Key,
        parts: tuple[str, ...],
        light: Callable[[], Awaitable[None]],
        *,
        new_match: bool = False,
    ) -> None:
        self._place = place
        self._rules = place.orders.rules
        self._run_state = place.run_state
        self._deal = deal
        self._match = match
        self._key = key
        self._parts = parts
        self._light = light
        self._new_match = new_match
        self._seated = False
        self._taken: list[_Taken] = []
        """The actions of the hand that count, in order."""
        self.is_over = False
        """Whether the hand is settled or was abandoned."""
        self._begun: Any = None
        """The play before the first action; None before it has begun."""
        self._open: tuple[int, OpenTiles] = (-1, OpenTiles())
        """The open tiles, and the number of actions from which they were derived."""
        self._drawn: tuple[int, tuple[Place, ...]] = (-1, ())
        """The places of the tiles drawn, and the number of actions from which they were derived."""
        self._correction: asyncio.Future[dict[str, object]] | None = None
        """Takes the facts of a correction while an action is awaited; else None."""

    @property
    def open_tiles(self) -> OpenTiles:
        """The public view of the hand; empty before the hand has begun."""
        if self._begun is not None and self._open[0] != len(self._taken):
            taken = [(each.action, each.after) for each in self._taken]
            self._open = len(taken), self._rules.open_tiles(self._begun, taken)
        return self._open[1]

    @property
    def mixes_discards(self) -> bool:
        """Whether the discards lie mixed in this house, so that players see no order of them."""
        return self._rules.mixes_discards(self._deal.setup.parameters)

    @property
    def drawn(self) -> tuple[Place, ...]:
        """The places of all tiles that the actions of the hand brought to seats, in order."""
        if self._drawn[0] != len(self._taken):
            steps = [
                step
                for taken in self._taken
                for step in self._rules.hands_over(self._deal.setup, taken.before, taken.after)
            ]
            places = tuple(
                place
                for step in steps
                for place in (step.places if isinstance(step, Packet) else (step.place,))
            )
            self._drawn = len(self._taken), places
        return self._drawn[1]

    @property
    def is_correcting(self) -> bool:
        """Whether a correction was given that has not begun yet; no action is taken until then."""
        return self._correction is not None and self._correction.done()

    @property
    def acts(self) -> int:
        """Number of actions that were taken and count."""
        return len(self._taken)

    @property
    def throws(self) -> tuple[Action, ...]:
        """The actions of the hand that threw dice, in order."""
        return tuple(
            each.action for each in self._taken if self._is_throw(each.before, each.action)
        )

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """The seats that can act; none before the hand has begun and after its end."""
        play = self._taken[-1].after if self._taken else self._begun
        return () if play is None or self.is_over else tuple(play.to_act)

    def correct(self, acts: int, by: str, reason: str) -> None:
        """Take back the last actions, because one was wrong. Raises CorrectionRefusedError.

        A throw of dice is never taken back: the dice would be thrown again (R4).
        """
        if self._correction is None or self._correction.done():
            raise CorrectionRefusedError(
                "No action is awaited now, so none can be taken back; a settled hand stays."
            )
        if acts > len(self._taken):
            raise CorrectionRefusedError(
                f"{acts} actions cannot be taken back; {len(self._taken)} were taken in this hand."
            )
        for taken in self._taken[-acts:]:
            if self._is_throw(taken.before, taken.action):
                raise CorrectionRefusedError(
                    f"'{taken.action}' was thrown; dice are not thrown again. Take back fewer"
                    " actions."
                )
        self._correction.set_result({"do": TAKE_BACK, "acts": acts, "by": by, "reason": reason})

    async def play_to_end(self) -> Match:
        """Follow the hand until it is settled or abandoned; returns the match after it.

        An abandoned hand does not change the match. Raises TableFault.
        """
        self._deal.take_up_hands()
        self._place.record(heading(self._deal.setup, {}, new_match=self._new_match))
        play = self._begun = self._rules.start(self._deal.setup, {}, self._match)
        while play.settlement is None:
            if (correction := self._replayed_correction()) is not None:
                play = await self._corrected(correction)
                continue
            action = await self._replayed(play) or await self._next(play)
            if isinstance(action, dict):
                play = await self._corrected(action)
                continue
            if action is None:
                self.is_over = True
                async with self._run_state.intent("play", ABANDONED) as work:
                    if not work.done:
                        dealer = self._deal.setup.seating.dealer
                        self._run_state.events.emit(EventName.HAND_ABANDONED, dealer=dealer)
                    return self._match
            play = await self._after(play, action)
        return await self._settled(play)

    async def _replayed(self, play: Any) -> Action | None:
        """The next action in the journal, confirmed or not; None if there is none.

        The action of a throw comes from the throw's own entry: so each throw in the journal is used
        once, and a throw whose action is not in the journal yet counts too. Only a throw that a
        player entered has no other entry. Raises TableFault, and ReplayError.
        """
        replay, throw = self._run_state.replay, self._rules.throw(play)
        entry = replay.ahead("play")
        if throw is not None and replay.next_of("top", "play") == "top":
            thrown = await self._thrown(play, throw)
            if entry is not None and entry.intent != self._facts(thrown):
                raise ReplayError(entry, str(thrown))
            return thrown
        if entry is None or "seat" not in entry.intent:
            return None
        seat, do = entry.intent["seat"], entry.intent["do"]
        assert isinstance(seat, int) and isinstance(do, str)
        action: Action = self._rules.parse(seat, do)
        return action

    async def _thrown(self, play: Any, throw: Throw) -> Action:
        """Throw the dice, or take the throw from the journal; returns it as an action."""
        async with self._place.rig.leased(*self._parts):
            thrown: Action = self._rules.thrown(play, await self._deal.throw(throw))
        return thrown

    def _is_throw(self, play: Any, action: Action) -> bool:
        """Whether an action of this play throws dice."""
        throw = self._rules.throw(play)
        thrown = throw is not None and self._rules.thrown(play, (1,) * throw.dice)
        return bool(thrown) and type(action) is type(thrown)

    @staticmethod
    def _facts(action: Action) -> dict[str, object]:
        """An action as the facts of its journal intent."""
        return {"seat": action.seat, "do": str(action)}

    def _replayed_correction(self) -> dict[str, object] | None:
        """The next entry in the journal if it takes actions back, confirmed or not."""
        entry = self._run_state.replay.ahead("play")
        return entry.intent if entry is not None and entry.intent["do"] == TAKE_BACK else None

    async def _corrected(self, facts: dict[str, object]) -> Any:
        """Take back the last actions and have people put the tiles back; returns the play."""
        acts = int(str(facts["acts"]))
        undone = self._taken[-acts:]
        first, setup = undone[0], self._deal.setup
        owed = [
            (step.seat, place)
            for taken in undone
            for step in self._rules.hands_over(setup, taken.before, taken.after)
            for place in (step.places if isinstance(step, Packet) else (step.place,))
        ]
        # Before the event, so that those who hear it read the open tiles after the correction.
        del self._taken[-acts:]
        self._open, self._drawn = (-1, OpenTiles()), (-1, ())
        async with self._run_state.intent("play", facts, emit=EventName.ACTIONS_TAKEN_BACK) as work:
            self._place.record(take_back(acts))
            if not work.done:
                await self._place.guided.take_back(
                    TakeBack(
                        tuple(taken.action for taken in reversed(undone)),
                        first.before,
                        tuple(reversed(owed)),
                        self._deal.staging,
                    )
                )
        self._deal.put_back([place for _, place in owed], first.top)
        return first.before

    async def _next(self, play: Any) -> Action | dict[str, object] | None:
        """Wait for the next action of a player, or for the facts of a correction.

        Returns None if the hand is abandoned.
        """
        if self._run_state.is_replaying("play"):
            return None
        await self._light()
        if not self._seated:
            self._seated = True
            # A press from before the hand, for example for a slow lid, must not abandon the hand.
            self._key.forget()
            deal = self._deal
            dealt = HandToPlay(self._rules, deal.setup, self._match, deal.staging)
            await self._place.guided.sit_down(dealt)
        entered = asyncio.ensure_future(self._entered(play))
        correction: asyncio.Future[dict[str, object]]
        correction = self._correction = asyncio.get_running_loop().create_future()
        try:
            abandoned = await self._is_abandoned(entered, correction)
        finally:
            self._correction = None
        if correction.done() and not correction.cancelled():
            return correction.result()
        return None if abandoned else entered.result()

    async def _entered(self, play: Any) -> Action:
        """Wait for a player's action, or throw the dice if the next action is a throw."""
        action = await self._place.guided.act(play)
        if action is not None:
            return action
        throw = self._rules.throw(play)
        assert throw is not None
        return await self._thrown(play, throw)

    async def _is_abandoned(
        self, entered: asyncio.Future[Action], correction: asyncio.Future[dict[str, object]]
    ) -> bool:
        """Wait for an action, a correction or a press of the lid's key.

        Returns whether no action was entered. The press is not consumed.
        """
        pressed = asyncio.ensure_future(self._key.wait_queued())
        try:
            await asyncio.wait((entered, pressed, correction), return_when=asyncio.FIRST_COMPLETED)
            return not entered.done()
        finally:
            ending = [each for each in (entered, pressed) if not each.done()]
            for each in ending:
                each.cancel()
            if ending:
                await asyncio.wait(ending)
            for each in (entered, pressed):
                # Reads the exception, so that asyncio does not report it as never retrieved; the
                # caller does not read the result if it is cancelled at this moment.
                failure = None if each.cancelled() else each.exception()
                if failure is not None and each in ending:
                    raise failure

    async def _after(self, play: Any, action: Action) -> Any:
        """Record an action and bring the tiles that it requires; returns the play after it."""
        after, top = play.apply(action), self._deal.top
        facts = self._facts(action)
        # Before the event, so that those who hear it read the open tiles after the action.
        self._taken.append(_Taken(action, play, after, top))
        async with self._run_state.intent("play", facts, emit=EventName.ACTION_TAKEN):
            self._place.record(entry(action))
        owed = self._rules.hands_over(self._deal.setup, play, after)
        if owed:
            async with self._place.rig.leased(*self._parts):
                for step in owed:
                    await self._deal.hand_over(step)
            # The player takes the tile up now. A resumed run that did not know of the delivery
            # would look for the tile where the gantry set it down.
            await self._run_state.journal.settle()
        return after

    async def _settled(self, play: Any) -> Match:
        """Record and announce the settlement; returns the match after the hand."""
        self.is_over = True
        settlement: Settlement = play.settlement
        after: Match = self._match.after(play)
        facts: dict[str, object] = {
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
                self._run_state.events.emit(EventName.SETTLED, **facts)
            work(facts)
        if not self._run_state.is_replaying("top"):
            await self._place.guided.settled(settlement)
        return after
