"""The lamp tower: red, amber or green, computed from the table's events; never delays a round.

red     stopped, a fault, a pause by a fault that a board has latched
    amber   a person is asked; a pause without a fault; starting up
    green   the table runs and needs no action besides the game

Red is the safe value: it is lit without any command, and so also after the host has died. Amber and
green hold their board's lease. A lamp that cannot be set is reported; the run goes on.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Mapping
from contextlib import suppress

from config.schema import Table
from controller.events import Event, EventLog
from controller.pausing.power_lease import BoardSupply
from firmware_bridge.board import FaultCode
from firmware_bridge.wire.errors import BoardError

WHO = "tower"
_STOPPED = ("offline", "fault", "stopped")
_STARTING = ("testing", "homing")
_LATCHED = frozenset(code.name for code in FaultCode) - {FaultCode.LEASE_EXPIRED.name}
"""Pauses by a fault that stays latched until it is cleared."""
_DONE = ("delivered", "tile_turned_up", "dice_thrown", "choice_made", "step", "ready")
"""Events that show that people have done what they were prompted for."""


class Colour(enum.Enum):
    """The lamps of a tower, from the top."""

    RED = "red"
    AMBER = "amber"
    GREEN = "green"


class LampWatch:
    """Computes one colour from the events.

    `board` is the board that the tower is wired to; `by_hand` is set where people build the walls.
    """

    def __init__(self, board: str, *, by_hand: bool = False) -> None:
        self._board = board
        self._by_hand = by_hand
        self._above = "offline"
        self._paused = False
        self._latched = False
        self._prompted = False
        self._asked: set[tuple[object, object]] = set()

    def hear(self, event: Event) -> None:
        """Take the next event."""
        match event:
            case {"event": "state", "top": str(top)}:
                self._above = top
                self._prompted = top == "raising" and self._by_hand
                if top in (*_STOPPED, *_STARTING):
                    self._paused = self._latched = False
            case {"event": "paused", "why": why, "board": board}:
                self._paused = True
                # Outputs that its own board has released show red, whatever colour is wanted.
                self._latched |= why in _LATCHED or board == self._board
            case {"event": "resumed"}:
                self._paused = self._latched = False
            case {"event": "operator_prompted", "code": code, "part": part}:
                self._asked.add((code, part))
            case {"event": "prompt_answered" | "prompt_withdrawn", "code": code, "part": part}:
                self._asked.discard((code, part))
            case {"event": "fault"}:
                self._above = "fault"
            case {"event": "move", "move": "prompt"}:
                self._prompted = True
            case {"event": name} if name in _DONE:
                self._prompted = False

    @property
    def colour(self) -> Colour:
        """The colour to light now."""
        if self._above in _STOPPED or self._latched:
            return Colour.RED
        if self._paused or self._asked or self._prompted or self._above in _STARTING:
            return Colour.AMBER
        return Colour.GREEN


class Tower:
    """A table's lamp tower, from `begin` to `close`. `supplies` are its boards', by name."""

    def __init__(self, table: Table, supplies: Mapping[str, BoardSupply], events: EventLog) -> None:
        tower = table.modules.tower
        self._lamps = {Colour(name): lamp for name, lamp in tower.lamps.items()} if tower else {}
        board = table.board_of(next(iter(self._lamps.values()))) if self._lamps else ""
        self._supply = supplies.get(board)
        self._watch = LampWatch(board, by_hand=table.modules.trays is None)
        self._events = events
        self._changed = asyncio.Event()
        self._shows: Colour | None = None
        self._told: tuple[Colour, str] | None = None
        """The colour that could not be lit and was reported, with the reason."""
        self._task: asyncio.Task[None] | None = None
        if self._lamps:
            events.listen(self._hear)

    def begin(self) -> None:
        """Enable the tower once the boards are open."""
        if self._supply is not None and self._lamps:
            self._supply.fell = self._fell
            self._task = asyncio.get_running_loop().create_task(self._run(self._supply))

    async def close(self) -> None:
        """Disable the tower; the lamps go to their safe values with their board."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    def _hear(self, event: Event) -> None:
        if event["event"] in ("paused", "resumed") and self._supply is not None:
            self._supply.doubt()
            self._shows = None
        self._watch.hear(event)
        if self._watch.colour is not self._shows:
            self._changed.set()

    def _fell(self) -> None:
        """The board has released all outputs: red, until another colour is set."""
        self._shows = None
        self._changed.set()

    async def _run(self, supply: BoardSupply) -> None:
        self._changed.set()
        while True:
            await self._changed.wait()
            self._changed.clear()
            colour = self._watch.colour
            if colour is self._shows:
                continue
            try:
                await self._show(supply, colour)
            except BoardError as error:
                if not self._changed.is_set():
                    self._emit(colour, str(error))
            else:
                self._told = None

    async def _show(self, supply: BoardSupply, colour: Colour) -> None:
        """Light this lamp only; without a lease the tower is red. Raises BoardError."""
        if colour is Colour.RED:
            await self._fall(supply)
            return
        await supply.light(WHO)
        # From here on, a lamp that its board releases is to be lit again.
        self._shows = colour
        for each, lamp in self._lamps.items():
            await supply.board.set(lamp, int(each is colour))

    async def _fall(self, supply: BoardSupply) -> None:
        """Show red; a board that executes no command, or only Clear, shows it by itself."""
        with suppress(BoardError):
            await supply.dim(WHO)
            self._shows = Colour.RED
            if supply.live:
                for colour, lamp in self._lamps.items():
                    await supply.board.set(lamp, int(colour is Colour.RED))
        self._shows = Colour.RED

    def _emit(self, colour: Colour, why: str) -> None:
        if self._told != (colour, why):
            self._told = (colour, why)
            self._events.emit("signal_failed", channel=self._lamps.get(colour, ""), why=why)
