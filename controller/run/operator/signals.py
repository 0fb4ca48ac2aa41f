"""Signals to people: the lamp tower and the buzzer, set by the table's events; never delay a round.

Lamps of the tower:

- Red: the table is stopped, has a fault, or is paused by a fault that a board has latched, or the
  tower's own board has dropped its outputs.
- Amber: a person is asked or prompted, the table is paused for another reason, or it starts up.
- Green: the table runs and needs no action besides the game.

Red is the safe value of the lamps: it is lit without any command, and therefore also after the host
has failed. Amber and green need their board's lease. The buzzer sounds briefly when a person is
asked, at a limited rate. If a signal cannot be set, an event reports that and the run goes on.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable, Mapping
from contextlib import suppress

from config.schema import BuzzerModule, Table
from controller.events import Event, EventLog, EventName
from controller.events.lookups import CONFIRMED_STEPS
from controller.run.pausing.leases import BoardSupply
from firmware_bridge.board import FaultCode
from firmware_bridge.wire.errors import BoardError

TOWER_SIGNAL = "tower"
"""Name of the lamp tower as a holder of its board's lease."""
_STOPPED = ("offline", "fault", "stopped")
_STARTING = ("testing", "homing")
_LATCHED = frozenset(code.name for code in FaultCode) - {FaultCode.LEASE_EXPIRED.name}
"""Causes of a pause that a board keeps latched until they are cleared."""
_DONE = CONFIRMED_STEPS | {EventName.STEP, EventName.READY}
"""Events after which the last prompt to people is answered."""


class Colour(enum.Enum):
    """The lamps of a tower, from the top."""

    RED = "red"
    AMBER = "amber"
    GREEN = "green"


class LampWatch:
    """Computes the colour of the tower from the events.

    `board` is the board that the tower is wired to; `by_hand` is set if people build the walls.
    """

    def __init__(self, board: str, *, by_hand: bool = False) -> None:
        self._board = board
        self._by_hand = by_hand
        self._top_state = "offline"
        self._paused = False
        self._latched = False
        self._prompted = False
        self._is_result_due = False
        self._asked: set[tuple[object, object]] = set()

    def update(self, event: Event) -> None:
        """Update the colour by the next event."""
        match event:
            case {"event": EventName.STATE, "top": str(top)}:
                self._top_state, self._is_result_due = top, False
                self._prompted = top == "raising" and self._by_hand
                if top in (*_STOPPED, *_STARTING):
                    self._paused = self._latched = False
            case {"event": EventName.PAUSED, "why": why, "board": board}:
                self._paused = True
                # A board that pauses has dropped its outputs, so a tower wired to it shows red.
                self._latched |= why in _LATCHED or board == self._board
            case {"event": EventName.RESUMED}:
                self._paused = self._latched = False
            case {"event": EventName.OPERATOR_PROMPTED, "code": code, "part": part}:
                self._asked.add((code, part))
            case {
                "event": EventName.PROMPT_ANSWERED | EventName.PROMPT_WITHDRAWN,
                "code": code,
                "part": part,
            }:
                self._asked.discard((code, part))
            case {"event": EventName.RESULT_OVERDUE}:
                self._is_result_due = True
            case {"event": EventName.RESULT_REPORTED}:
                self._is_result_due = False
            case {"event": EventName.FAULT}:
                self._top_state = "fault"
            case {"event": EventName.MOVE, "move": "prompt"}:
                self._prompted = True
            case {"event": name} if name in _DONE:
                self._prompted = False

    @property
    def colour(self) -> Colour:
        """The colour to light now."""
        if self._top_state in _STOPPED or self._latched:
            return Colour.RED
        asked = self._asked or self._prompted or self._is_result_due
        if self._paused or asked or self._top_state in _STARTING:
            return Colour.AMBER
        return Colour.GREEN


class Tower:
    """A table's lamp tower, active from `begin` to `close`.

    `supplies` are the boards' leases, by name.
    """

    def __init__(self, table: Table, supplies: Mapping[str, BoardSupply], events: EventLog) -> None:
        tower = table.modules.tower
        self._lamps = {Colour(name): lamp for name, lamp in tower.lamps.items()} if tower else {}
        board = table.board_of(next(iter(self._lamps.values()))) if self._lamps else ""
        self._supply = supplies.get(board)
        self._watch = LampWatch(board, by_hand=table.modules.trays is None)
        self._events = events
        self._changed = asyncio.Event()
        self._lit: Colour | None = None
        """The colour that is lit, None if that is unknown."""
        self._reported: tuple[Colour, str] | None = None
        """The colour that could not be lit and was reported, with the reason."""
        self._task: asyncio.Task[None] | None = None
        if self._lamps:
            events.listen(self._on_event)

    def begin(self) -> None:
        """Enable the tower once the boards are open."""
        if self._supply is not None and self._lamps:
            self._supply.on_release = self._outputs_released
            self._task = asyncio.get_running_loop().create_task(self._run(self._supply))

    async def close(self) -> None:
        """Disable the tower; the lamps go to their safe values with their board."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    def _on_event(self, event: Event) -> None:
        if event["event"] in (EventName.PAUSED, EventName.RESUMED) and self._supply is not None:
            self._supply.mark_uncertain()
            self._lit = None
        self._watch.update(event)
        if self._watch.colour is not self._lit:
            self._changed.set()

    def _outputs_released(self) -> None:
        """Set the colour again after the board has set its outputs to safe values (red)."""
        self._lit = None
        self._changed.set()

    async def _run(self, supply: BoardSupply) -> None:
        """Light the colour of the events after each change, until cancelled."""
        self._changed.set()
        while True:
            await self._changed.wait()
            self._changed.clear()
            colour = self._watch.colour
            if colour is self._lit:
                continue
            try:
                await self._show(supply, colour)
            except BoardError as error:
                if not self._changed.is_set():
                    self._report(colour, str(error))
            else:
                self._reported = None

    async def _show(self, supply: BoardSupply, colour: Colour) -> None:
        """Light the lamp of this colour only. Raises BoardError if amber or green cannot be lit."""
        if colour is Colour.RED:
            await self._show_red(supply)
            return
        await supply.hold_for_signal(TOWER_SIGNAL)
        # Set before the lamps: if the board releases them meanwhile, they are lit again.
        self._lit = colour
        for each, lamp in self._lamps.items():
            await supply.board.set(lamp, int(each is colour))

    async def _show_red(self, supply: BoardSupply) -> None:
        """Light red. A board that is silent or has a latched fault shows red by itself."""
        with suppress(BoardError):
            await supply.release_for_signal(TOWER_SIGNAL)
            self._lit = Colour.RED
            if supply.is_held:
                for colour, lamp in self._lamps.items():
                    await supply.board.set(lamp, int(colour is Colour.RED))
        self._lit = Colour.RED

    def _report(self, colour: Colour, why: str) -> None:
        """Emit that a colour could not be lit, once for the same colour and reason."""
        if self._reported != (colour, why):
            self._reported = (colour, why)
            self._events.emit(EventName.SIGNAL_FAILED, channel=self._lamps.get(colour, ""), why=why)


BUZZER_SIGNAL = "buzzer"
"""Name of the buzzer as a holder of its board's lease."""


class Buzzer:
    """A table's buzzer, active from `begin` to `close`. `supplies` are the boards' leases, by name.

    If it cannot sound, for example during an emergency stop, an event reports that and the run goes
    on.
    """

    def __init__(
        self,
        table: Table,
        supplies: Mapping[str, BoardSupply],
        events: EventLog,
        clock: Callable[[], float],
    ) -> None:
        self._module = table.modules.buzzer
        self._supply = supplies[table.board_of(self._module.sounder)] if self._module else None
        self._events = events
        self._clock = clock
        self._last: float | None = None
        """When it sounded last, seconds of the table's clock."""
        self._open = False
        self._sounding: asyncio.Task[None] | None = None
        if self._module is not None:
            events.listen(self._on_event)

    def begin(self) -> None:
        """Enable the buzzer, once the boards are open."""
        self._open = True

    async def close(self) -> None:
        """Disable the buzzer."""
        self._open = False
        if self._sounding is not None:
            self._sounding.cancel()
            await asyncio.wait((self._sounding,))

    def _on_event(self, event: Event) -> None:
        module, supply = self._module, self._supply
        if (
            event["event"] not in (EventName.OPERATOR_PROMPTED, EventName.RESULT_OVERDUE)
            or not self._open
            or module is None
            or supply is None
        ):
            return
        now = self._clock()
        if self._last is None or now - self._last >= module.every:
            self._last = now
            loop = asyncio.get_running_loop()
            self._sounding = loop.create_task(self._sound(module, supply))

    async def _sound(self, module: BuzzerModule, supply: BoardSupply) -> None:
        try:
            await supply.hold_for_signal(BUZZER_SIGNAL)
            try:
                await supply.board.pulse(module.sounder, 1, module.seconds)
            finally:
                await supply.release_for_signal(BUZZER_SIGNAL)
        except BoardError as error:
            self._events.emit(EventName.SIGNAL_FAILED, channel=module.sounder, why=str(error))
